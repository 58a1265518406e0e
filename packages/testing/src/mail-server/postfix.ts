import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startDaemon } from './daemon.ts'
import type { Daemon } from './daemon.ts'

const run = promisify(execFile)

export interface PostfixOptions {
  /** Absolute; it owns it. */
  readonly dir: string
  /** Whose mail it keeps. */
  readonly domains: readonly string[]
  /** `mx`: from the world; `submission`, `submissions`: from its own people, who sign in. */
  readonly ports: { readonly mx: number; readonly submission: number; readonly submissions: number }
  readonly certificate: { readonly certFile: string; readonly keyFile: string }
  /** Of Dovecot. */
  readonly sockets: { readonly lmtp: string; readonly auth: string }
  /** Its own name, which it writes into `Authentication-Results`. */
  readonly name: string
  /** Largest mail, bytes. */
  readonly maxBytes: number
}

/** Folders of the queue that its own start script would make. */
const queueFolders = 'active bounce corrupt defer deferred flush hold incoming private saved trace'.split(' ')

/** Starts Postfix in the foreground. Mail to `busy@` is put off, mail to `gone@` refused; else it hands mail to Dovecot and asks it for passwords. Needs root. */
export async function startPostfix(options: PostfixOptions): Promise<Daemon> {
  const { dir, ports } = options
  const [config, queue, data] = ['config', 'queue', 'data'].map((name) => join(dir, 'postfix', name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [config, queue]) await mkdir(folder, { recursive: true, mode: 0o755 })
  await mkdir(data, { recursive: true, mode: 0o700 })
  for (const name of queueFolders) await mkdir(join(queue, name), { recursive: true, mode: 0o700 })
  for (const name of ['maildrop', 'public', 'pid']) await mkdir(join(queue, name), { recursive: true, mode: 0o755 })
  await run('chown', ['-R', 'postfix', data, ...queueFolders.map((name) => join(queue, name)), join(queue, 'public')])
  await run('chown', ['postfix:postdrop', join(queue, 'public'), join(queue, 'maildrop')])
  await chmod(join(queue, 'public'), 0o2710)
  await chmod(join(queue, 'maildrop'), 0o1730)
  await writeFile(join(config, 'main.cf'), mainConfiguration(options, { queue, data }))
  await writeFile(join(config, 'master.cf'), services(options))
  const master = '/usr/lib/postfix/sbin/master'
  return startDaemon({ command: master, args: ['-c', config, '-s'], ports: Object.values(ports) })
}

function mainConfiguration(options: PostfixOptions, folders: { readonly queue: string; readonly data: string }) {
  const { dir, domains, certificate, sockets, name, maxBytes } = options
  return `
compatibility_level = 3.6
queue_directory = ${folders.queue}
data_directory = ${folders.data}
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = ${name}
mydestination =
mynetworks =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
maillog_file = ${dir}/postfix.log
maillog_file_prefixes = /
message_size_limit = ${maxBytes}
mailbox_size_limit = 0
virtual_mailbox_domains = ${domains.join(', ')}
virtual_mailbox_maps = static:x
virtual_transport = lmtp:unix:${sockets.lmtp}
default_transport = error:no mail leaves this machine
smtpd_peername_lookup = no
smtpd_client_event_limit_exceptions = static:all
alias_maps =
alias_database =
local_recipient_maps =
smtpd_tls_cert_file = ${certificate.certFile}
smtpd_tls_key_file = ${certificate.keyFile}
smtpd_tls_security_level = may
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${sockets.auth}
smtpd_recipient_restrictions =
  check_recipient_access inline:{ { busy@ = 450 4.2.1 the mailbox is busy }, { gone@ = 550 5.1.1 there is no such mailbox } }
  permit_sasl_authenticated, reject_unauth_destination
`
}

/** What the world's servers are shown to be: the domain of the envelope's sender decides, as SPF would. */
function services({ ports, name }: PostfixOptions): string {
  const results = (text: string) => `PREPEND Authentication-Results: ${name}; ${text}`
  const verdicts = [
    `{ friend.test = ${results('dmarc=pass header.from=friend.test')} }`,
    `{ evil.test = ${results('spf=pass smtp.mailfrom=evil.test; dmarc=fail header.from=example.test')} }`,
  ]
  const fromWorld = `-o { smtpd_sender_restrictions = check_sender_access inline:{ ${verdicts.join(', ')} } }`
  const own = `-o { smtpd_sender_restrictions = check_sender_access static:{${results('dmarc=pass header.from=example.test')}} }`
  const signedIn = `-o smtpd_sasl_auth_enable=yes -o smtpd_relay_restrictions=permit_sasl_authenticated,reject ${own}`
  const internal = (service: string, chroot: string, command = service) =>
    `${service} unix ${chroot} - n - - ${command}`
  return [
    `${ports.mx} inet n - n - - smtpd ${fromWorld}`,
    `${ports.submission} inet n - n - - smtpd -o smtpd_tls_security_level=encrypt ${signedIn}`,
    `${ports.submissions} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes ${signedIn}`,
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'postlog unix-dgram n - n - 1 postlogd',
    'proxymap unix - - n - - proxymap',
    internal('rewrite', '-', 'trivial-rewrite'),
    ...['bounce', 'defer', 'trace'].map((service) => internal(service, '-', 'bounce')),
    ...['error', 'retry'].map((service) => internal(service, '-', 'error')),
    'anvil unix - - n - 1 anvil',
    ...['lmtp', 'showq'].map((service) => internal(service, '-')),
    '',
  ].join('\n')
}
