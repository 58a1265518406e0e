import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '@hermes/core/agent/context.ts'
import { readIfThere } from '@hermes/core/config/read-if-there.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { runTool } from './run-tool.ts'
import type { ToolOutcome } from './run-tool.ts'
import { isUnreachable, ServiceError } from './system-service.ts'
import type { ServiceState, SystemService } from './system-service.ts'
import { systemdUnit, wantedBy } from './systemd-unit.ts'

export interface SystemdOptions {
  readonly name: string
  readonly scope: 'user' | 'system'
  /** Where the units of this scope are, absolute. */
  readonly folder: string
  readonly environment: Environment
  /** The id of the person, for where their bus is; undefined where the system has none. */
  readonly userId: number | undefined
}

/** How long `systemctl` may take, ms: what stops may drain for as long as the unit says. */
const [askMs, workMs, stopMs] = [10_000, 60_000, 1_800_000]

/** Such files hold no secrets, and systemd warns where others cannot read those of the system. */
const unitMode = 0o644

export function createSystemd({ name, scope, folder, environment, userId }: SystemdOptions): SystemService {
  const file = join(folder, `${name}.service`)
  const unit = `${name}.service`
  const own = scope === 'user' ? withBus(environment, userId) : environment
  const scoped = scope === 'user' ? ['--user'] : []

  const read = () => readIfThere(file)?.toString('utf8')
  const logs = `journalctl ${scope === 'user' ? '--user ' : ''}-u ${unit} -n 50`
  const ask = async (words: readonly string[], signal: AbortSignal, timeoutMs = askMs): Promise<ToolOutcome> => {
    const outcome = await runTool(['systemctl', ...scoped, ...words], { environment: own, timeoutMs, signal })
    if (outcome) return outcome
    throw unreachable('there is no systemctl', scope)
  }
  const work = async (words: readonly string[], signal: AbortSignal, timeoutMs = workMs): Promise<void> => {
    const { code, stderr } = await ask(words, signal, timeoutMs)
    if (code !== 0) throw failure(words, stderr.trim() || `exit code ${code}`, { unit, logs, scope })
  }
  return {
    name,
    kind: `systemd (${scope})`,
    file,
    logs,
    async install(definition, signal) {
      const text = systemdUnit(definition)
      const before = read()
      try {
        if (before !== text) {
          await orServiceError(writeFileAtomic(file, text, { mode: unitMode }), file)
          await work(['daemon-reload'], signal)
        }
        await work(['enable', unit], signal)
      } catch (error) {
        // What was not installed does not look as if it were.
        await (before === undefined ? rm(file, { force: true }) : writeFileAtomic(file, before, { mode: unitMode }))
        throw error
      }
    },
    async uninstall(signal) {
      if (read() === undefined) return false
      try {
        await work(['disable', '--now', unit], signal, stopMs)
      } catch (error) {
        if (!isUnreachable(error)) throw error
        // Nothing runs it here: the files are all there is of it.
        await orServiceError(rm(join(folder, `${wantedBy(scope)}.wants`, unit), { force: true }), file)
        await orServiceError(rm(file, { force: true }), file)
        return true
      }
      await orServiceError(rm(file, { force: true }), file)
      await work(['daemon-reload'], signal)
      // Else a failed one stays listed.
      await ask(['reset-failed', unit], signal)
      return true
    },
    async standing(definition) {
      const present = read()
      if (present === undefined) return 'absent'
      return withoutPath(present) === withoutPath(systemdUnit(definition)) ? 'current' : 'outdated'
    },
    isInstalled: () => read() !== undefined,
    async installedUser() {
      return /^User=(.+)$/m.exec(read() ?? '')?.[1]
    },
    async start(signal) {
      // One that failed too often is refused otherwise.
      await ask(['reset-failed', unit], signal)
      await work(['start', unit], signal)
    },
    stop: (signal) => work(['stop', unit], signal, stopMs),
    async restart(signal) {
      await ask(['reset-failed', unit], signal)
      await work(['restart', unit], signal, stopMs)
    },
    async state(signal) {
      const words = ['show', unit, '--property=ActiveState,SubState,UnitFileState,Result']
      const { code, stdout, stderr } = await ask(words, signal)
      if (code !== 0) return { isActive: false, text: stderr.trim() || 'unknown', isEnabled: false, hints: [] }
      return { ...stateOf(stdout), hints: scope === 'user' ? await lingerHints({ environment: own }, signal) : [] }
    },
  }
}

/** `PATH` is that of whoever installed it, and differs from one shell to the next. */
function withoutPath(unit: string): string {
  return unit.replace(/^Environment="PATH=.*$/m, '')
}

function stateOf(properties: string): Omit<ServiceState, 'hints'> {
  const values = new Map(properties.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]))
  const [active = 'unknown', sub = '', result = ''] = ['ActiveState', 'SubState', 'Result'].map((key) =>
    values.get(key),
  )
  const why = result === '' || result === 'success' ? '' : `, ${result}`
  return {
    isActive: ['active', 'activating', 'reloading'].includes(active),
    text: `${active} (${sub}${why})`,
    isEnabled: values.get('UnitFileState') === 'enabled',
  }
}

/** Without lingering, the services of a person end when they sign out. */
async function lingerHints({ environment }: { readonly environment: Environment }, signal: AbortSignal) {
  const user = environment['USER'] || environment['LOGNAME']
  if (!user) return []
  const command = ['loginctl', 'show-user', user, '--property=Linger'] as const
  const outcome = await runTool([...command], { environment, timeoutMs: askMs, signal })
  if (outcome?.stdout.trim() !== 'Linger=no') return []
  return [`It ends when ${user} signs out. So that it stays: sudo loginctl enable-linger ${user}`]
}

/** Where the bus of a person is: sessions by `su` or `sudo` do not say. */
function withBus(environment: Environment, userId: number | undefined): Environment {
  if (environment['XDG_RUNTIME_DIR'] || userId === undefined) return environment
  const folder = `/run/user/${userId}`
  return existsSync(folder) ? { ...environment, XDG_RUNTIME_DIR: folder } : environment
}

function failure(
  [verb = '']: readonly string[],
  reason: string,
  { unit, logs, scope }: { readonly unit: string; readonly logs: string; readonly scope: SystemdOptions['scope'] },
): ServiceError {
  if (/connect to (?:user scope )?bus|No medium found|not been booted with systemd/i.test(reason)) {
    return unreachable(reason, scope)
  }
  if (/access denied|authentication required|permission denied/i.test(reason)) {
    return new ServiceError('not-permitted', `systemctl ${verb} is not permitted (${reason}). Try it with sudo.`)
  }
  return new ServiceError('failed', `systemctl ${verb} failed for ${unit}: ${reason}\nWhat it said: ${logs}`)
}

function unreachable(reason: string, scope: SystemdOptions['scope']): ServiceError {
  const other = scope === 'user' ? ', or install it for the whole system: sudo hermes gateway install --system' : ''
  const instead = `Run "hermes gateway start" instead${other}`
  return new ServiceError('no-service-manager', `systemd cannot be reached here (${reason}). ${instead}`)
}

async function orServiceError(work: Promise<void>, file: string): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))) throw error
    throw new ServiceError('not-permitted', `${file} cannot be changed. Try it with sudo.`, { cause: error })
  }
}
