import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { freePort } from '../free-ports.ts'

/** Why tests with Synapse are skipped; `false` where it is there. `scripts/test-synapse.sh` sets it up. */
export const noSynapse: string | false =
  (process.env['HERMES_TEST_SYNAPSE'] ?? '') === '' &&
  'HERMES_TEST_SYNAPSE names no Python with Synapse; see scripts/test-synapse.sh'

/** A person of the server, signed in on a device. */
export interface SynapseUser {
  readonly userId: string
  readonly deviceId: string
  readonly accessToken: string
  readonly password: string
}

export interface SynapseOptions {
  /** More lines of `homeserver.yaml`; without them nothing is limited. */
  readonly config?: string
}

/** A real Matrix server on this machine's loopback, with an empty database. */
export interface Synapse extends AsyncDisposable {
  readonly url: string
  /** Registers a person. */
  register(name: string): Promise<SynapseUser>
  /** Signs a person in on a new device. */
  login(user: Pick<SynapseUser, 'userId' | 'password'>): Promise<SynapseUser>
  /** Calls the client-server API as a person. Rejects where the server refuses. */
  call(user: Pick<SynapseUser, 'accessToken'>, method: string, path: string, body?: unknown): Promise<unknown>
  /** Stops it, as an update would. */
  stop(): Promise<void>
  /** Starts it again with what it has. */
  start(): Promise<void>
}

const secret = 'a-shared-secret-of-tests'
const startMs = 60_000

const session = z.object({ user_id: z.string(), device_id: z.string(), access_token: z.string() })

/** Starts Synapse. Throws with its log where it does not come up. */
export async function startSynapse({ config = unlimited }: SynapseOptions = {}): Promise<Synapse> {
  const python = process.env['HERMES_TEST_SYNAPSE'] ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'hermes-synapse-'))
  const url = await configure(folder, config)
  let process_: ChildProcess | undefined

  async function start(): Promise<void> {
    const log = await open(join(folder, 'synapse.log'), 'a')
    const child = spawn(python, ['-m', 'synapse.app.homeserver', '-c', 'homeserver.yaml'], {
      cwd: folder,
      stdio: ['ignore', log.fd, log.fd],
    })
    process_ = child
    await log.close()
    const until = performance.now() + startMs
    while (!(await isUp(url))) {
      if (child.exitCode !== null || performance.now() > until) {
        throw new Error(`Synapse does not start: ${await readFile(join(folder, 'synapse.log'), 'utf8')}`)
      }
      await wait(100)
    }
  }
  async function stop(): Promise<void> {
    const child = process_
    process_ = undefined
    if (!child || child.exitCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  async function request(method: string, path: string, body?: unknown, token?: string): Promise<unknown> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }

  await start()
  return {
    url,
    start,
    stop,
    async register(name) {
      const { nonce } = z.object({ nonce: z.string() }).parse(await request('GET', '/_synapse/admin/v1/register'))
      const password = `password-of-${name}`
      const mac = createHmac('sha1', secret).update([nonce, name, password, 'notadmin'].join('\0')).digest('hex')
      const body = { nonce, username: name, password, admin: false, mac }
      return userOf(await request('POST', '/_synapse/admin/v1/register', body), password)
    },
    async login({ userId, password }) {
      const identifier = { type: 'm.id.user', user: userId }
      const body = { type: 'm.login.password', identifier, password }
      return userOf(await request('POST', '/_matrix/client/v3/login', body), password)
    },
    call: ({ accessToken }, method, path, body) => request(method, path, body, accessToken),
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function userOf(answer: unknown, password: string): SynapseUser {
  const { user_id: userId, device_id: deviceId, access_token: accessToken } = session.parse(answer)
  return { userId, deviceId, accessToken, password }
}

async function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/_matrix/client/versions`).then(
    (response) => response.ok,
    () => false,
  )
}

/** Writes its configuration; resolves to its address. */
async function configure(folder: string, more: string): Promise<string> {
  const port = await freePort()
  const seed = randomBytes(32).toString('base64').replace(/=+$/, '')
  await writeFile(join(folder, 'signing.key'), `ed25519 a_test ${seed}\n`)
  await writeFile(join(folder, 'log.yaml'), logConfig)
  const lines = `server_name: hermes.test
pid_file: synapse.pid
listeners: [{port: ${port}, bind_addresses: ['127.0.0.1'], type: http, resources: [{names: [client]}]}]
database: {name: sqlite3, args: {database: homeserver.db}}
media_store_path: media
log_config: log.yaml
signing_key_path: signing.key
registration_shared_secret: ${secret}
macaroon_secret_key: a-macaroon-secret-of-tests
form_secret: a-form-secret-of-tests
trusted_key_servers: []
report_stats: false
federation_domain_whitelist: []
allow_guest_access: false
use_presence: false
bcrypt_rounds: 4
`
  await writeFile(join(folder, 'homeserver.yaml'), lines + more)
  return `http://127.0.0.1:${port}`
}

const logConfig = `version: 1
formatters: {line: {format: '%(levelname)s %(name)s %(message)s'}}
handlers: {console: {class: logging.StreamHandler, formatter: line}}
root: {level: WARNING, handlers: [console]}
disable_existing_loggers: false
`

const often = '{per_second: 10000, burst_count: 10000}'

const unlimited = `rc_message: ${often}
rc_registration: ${often}
rc_login: {address: ${often}, account: ${often}, failed_attempts: ${often}}
rc_joins: {local: ${often}, remote: ${often}}
rc_joins_per_room: ${often}
rc_invites: {per_room: ${often}, per_user: ${often}, per_issuer: ${often}}
rc_room_creation: ${often}
`
