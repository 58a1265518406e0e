import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDaemon } from './daemon.ts'
import type { Daemon } from './daemon.ts'
import { mailUser } from './mail-user.ts'

export interface DovecotOptions {
  /** Absolute; it owns it. */
  readonly dir: string
  /** Of everybody: whoever is named exists. */
  readonly password: string
  readonly ports: { readonly imap: number; readonly imaps: number }
  readonly certificate: { readonly certFile: string; readonly keyFile: string }
}

/** What it offers beside its ports. */
export interface Dovecot extends Daemon {
  /** Sockets in the file system: mail is brought by LMTP, passwords are asked for. */
  readonly sockets: { readonly lmtp: string; readonly auth: string }
}

export function dovecotSockets(dir: string): Dovecot['sockets'] {
  return { lmtp: join(dir, 'run', 'lmtp'), auth: join(dir, 'run', 'auth-client') }
}

/** Starts Dovecot in the foreground of its own process. `hasIdle: false`: it offers no IDLE, as some servers do not. */
export async function startDovecot(options: DovecotOptions, hasIdle: boolean): Promise<Dovecot> {
  const { dir, ports } = options
  await mkdir(join(dir, 'run'), { recursive: true, mode: 0o755 })
  await writeFile(join(dir, 'dovecot.conf'), configuration(options, hasIdle))
  await rm(join(dir, 'run', 'master.pid'), { force: true })
  const args = ['-F', '-c', join(dir, 'dovecot.conf')]
  const daemon = await startDaemon({ command: '/usr/sbin/dovecot', args, ports: Object.values(ports) })
  return { ...daemon, sockets: dovecotSockets(dir) }
}

function configuration({ dir, ports, certificate, password }: DovecotOptions, hasIdle: boolean): string {
  const { name, group } = mailUser()
  const capability = 'IMAP4rev1 SASL-IR LITERAL+ UIDPLUS'
  return `
base_dir = ${dir}/run
state_dir = ${dir}/run
log_path = ${dir}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = yes
ssl_cert = <${certificate.certFile}
ssl_key = <${certificate.keyFile}
ssl_dh =
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
mail_location = maildir:${dir}/mail/%u
mail_fsync = never
first_valid_uid = 1
${hasIdle ? '' : `imap_capability = ${capability}`}
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${name} gid=${group} home=${dir}/mail/%u allow_all_users=yes
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${ports.imaps}
    ssl = yes
  }
}
service lmtp {
  unix_listener lmtp {
    mode = 0666
  }
}
service auth {
  unix_listener auth-client {
    mode = 0666
  }
}
`
}
