import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from '@hermes/core/agent/context.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { readGatewayState } from '@hermes/gateway/life/state-file.ts'
import { CommandError } from '../../command.ts'

/** How long it may take until the gateway runs, and how often it is looked, ms. */
const [startMs, lookMs] = [30_000, 100]

export interface StartedGateway {
  readonly pid: number
  /** What it tells. */
  readonly logPath: string
}

/**
 * Starts the profile's gateway as a process of its own, which outlives this one; resolves when it runs. Throws
 * `CommandError` where one runs already or it ends at once, with what it said.
 */
export async function startGatewayProcess(
  { home }: Pick<Profile, 'home'>,
  environment: Environment,
  signal: AbortSignal,
): Promise<StartedGateway> {
  const other = await findGateway(home)
  if (other) throw new CommandError(`The gateway of this profile runs already (pid ${other.pid}).`)
  await mkdir(home.path('logs'), { recursive: true, mode: 0o700 })
  const logPath = home.path('logs', 'gateway.out.log')
  await using log = await open(logPath, 'w', 0o600)
  // The script that this process runs, with which it was started.
  const program = process.argv[1] ?? ''
  const child = spawn(process.execPath, [...conditions(), program, 'gateway', 'run'], {
    cwd: home.dir,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  const ended = once(child, 'exit').then(() => true)
  const until = Date.now() + startMs
  while (!(await runs(home, child.pid))) {
    signal.throwIfAborted()
    const isOver = await Promise.race([ended, wait(lookMs, false, { signal })])
    if (isOver) throw new CommandError(`The gateway has ended: ${(await readFile(logPath, 'utf8')).trim()}`)
    if (Date.now() > until) throw new CommandError(`The gateway does not say that it runs; see ${logPath}.`)
  }
  child.unref()
  return { pid: child.pid ?? 0, logPath }
}

/** How the modules of this program are found holds for its gateway as well. */
function conditions(): readonly string[] {
  return process.execArgv.filter((argument) => argument.startsWith('--conditions='))
}

async function runs(home: Profile['home'], pid: number | undefined): Promise<boolean> {
  const [running, state] = await Promise.all([findGateway(home), readGatewayState(home)])
  return running?.pid === pid && state?.pid === pid && state?.gateway_state === 'running'
}
