import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Environment } from '@hermes/core/agent/context.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { profileName } from '@hermes/gateway/life/system-service/service-name.ts'
import { CommandError } from '../../command.ts'
import type { Chosen } from './chosen.ts'
import { ownProgram, runningMessage } from './own-process.ts'

/** How long it may take until the gateway runs, ms. */
const startMs = 30_000

const maxLogBytes = 1024 * 1024

export interface StartedGateway {
  readonly pid: number
  /** What it tells. */
  readonly logPath: string
}

/** Set for the children of a service; a gateway in the background is none of it. */
const serviceVariables: ReadonlySet<string> = new Set(['HERMES_GATEWAY_SERVICE', 'SYSTEMD_EXEC_PID', 'INVOCATION_ID'])

/**
 * Starts the profile's gateway as a process of its own, which outlives this one and its terminal; resolves when it runs.
 * Throws `CommandError` where one runs already and is not to be replaced, or it ends at once, with what it said.
 */
export async function startGatewayProcess(
  { home, environment, isReplacing = false, chosen = [] }: StartOptions,
  signal: AbortSignal,
): Promise<StartedGateway> {
  const other = isReplacing ? undefined : await findGateway(home)
  if (other) throw runsAlready(other.pid)
  const logPath = home.path('logs', 'gateway.out.log')
  await makeRoom(logPath)
  // Several that are started at once write below each other.
  await using log = await open(logPath, 'a', 0o600)
  const { size: before } = await log.stat()
  const [program = '', ...args] = ownProgram()
  const own = Object.entries(environment).filter(([name]) => !serviceVariables.has(name))
  const replace = isReplacing ? ['--replace'] : []
  signal.throwIfAborted()
  // Named, since the profile that is chosen for good goes before the variable.
  const child = spawn(program, [...args, 'gateway', 'run', ...chosen, ...replace, '--profile', profileName(home)], {
    cwd: home.dir,
    env: Object.fromEntries(own),
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  })
  const said = await sayOf(child, isReplacing ? startMs * 10 : startMs, signal).catch((error: unknown) => {
    // Whoever stops the start wants no gateway, and nothing to wait for.
    child.kill('SIGTERM')
    letGo(child)
    throw error
  })
  if (said === 'ended') {
    const written = (await readFile(logPath)).subarray(before).toString('utf8').trim()
    // Where the disk is full, nothing could be written.
    throw new CommandError(`The gateway has ended: ${written || '"hermes gateway run" shows what it says.'}`)
  }
  letGo(child)
  if (said === 'late') throw new CommandError(`The gateway does not say that it runs; see ${logPath}.`)
  return { pid: child.pid ?? 0, logPath }
}

export function runsAlready(pid: number): CommandError {
  const how = '"hermes gateway restart" starts it anew, "hermes gateway status" shows how it does.'
  return new CommandError(`The gateway of this profile runs already (pid ${pid}). ${how}`)
}

/** This process may end before it. */
function letGo(child: ChildProcess): void {
  child.unref()
  if (child.connected) child.disconnect()
}

/** A log that has grown long makes room for a new one; the one before it goes. */
async function makeRoom(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  )
  if (size > maxLogBytes) await rename(path, `${path}.1`)
}

interface StartOptions extends Pick<Profile, 'home'> {
  /** Of this process. */
  readonly environment: Environment
  readonly isReplacing?: boolean
  readonly chosen?: Chosen
}

/** Not by its files: they may not be writable. */
async function sayOf(
  child: ChildProcess,
  withinMs: number,
  signal: AbortSignal,
): Promise<'running' | 'ended' | 'late'> {
  const done = new AbortController()
  const both = AbortSignal.any([signal, done.signal])
  const says = once(child, 'message', { signal: both }).then(([message]) => {
    return message === runningMessage ? ('running' as const) : ('late' as const)
  })
  const ends = once(child, 'exit', { signal: both }).then(() => 'ended' as const)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), withinMs)))
  try {
    return await Promise.race([says, ends, late])
  } finally {
    const quiet = (waiting: Promise<unknown>) => waiting.catch(() => undefined)
    clearTimeout(timer)
    done.abort()
    await Promise.all([quiet(says), quiet(ends)])
  }
}
