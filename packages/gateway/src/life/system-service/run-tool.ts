import type { Environment } from '@hermes/core/agent/context.ts'
import { runInGroup } from '@hermes/core/terminals/run-in-group.ts'

/** What a program of the system came to. */
export interface ToolOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Longest answer that is read, characters. */
const maxChars = 1024 * 1024

export interface RunToolOptions {
  readonly environment: Environment
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Runs a program found on `PATH`; undefined where there is none of that name. Rejects when `signal` aborts. */
export async function runTool(
  command: readonly [string, ...string[]],
  { environment, timeoutMs, signal }: RunToolOptions,
): Promise<ToolOutcome | undefined> {
  const [program, ...args] = command
  const { end, code, stdout, stderr, failure } = await runInGroup(
    { program, args, env: environment, timeoutMs, maxChars },
    signal,
  )
  if (failure && 'code' in failure && failure.code === 'ENOENT') return undefined
  const late = end === 'late' ? `${program} did not answer within ${timeoutMs / 1000} s` : failure?.message
  return { code: end === 'exited' ? code : 1, stdout, stderr: late ?? stderr }
}
