import type { Environment } from '@hermes/core/agent/context.ts'
import { configExitCode } from './exit-codes.ts'

/** Who starts this process again when it ends; undefined: nobody. */
export type Supervisor = 'systemd' | 'launchd'

/**
 * By the process's own environment, which its children inherit: what says so must be about this very process. systemd
 * tells it its id, launchd is the parent of what it runs.
 */
export function supervisorOf(
  environment: Environment,
  { pid, ppid }: { readonly pid: number; readonly ppid: number },
): Supervisor | undefined {
  if (environment['SYSTEMD_EXEC_PID'] === String(pid)) return 'systemd'
  const isAgent = environment['HERMES_GATEWAY_SERVICE']?.startsWith('ai.hermes.') && ppid === 1
  return isAgent ? 'launchd' : undefined
}

/** The exit code when it cannot run as it is set up, so that the supervisor does not try it for ever. */
export function refusedExitCode(supervisor: Supervisor | undefined): number {
  if (supervisor === 'systemd') return configExitCode
  // launchd starts all again that fails.
  return supervisor === 'launchd' ? 0 : 1
}
