import { execFile } from 'node:child_process'
import type { Environment } from '@hermes/core/agent/context.ts'

/** What a program of the system came to. */
export interface ToolOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Longest answer that is read, bytes. */
const maxBytes = 1024 * 1024

export interface RunToolOptions {
  readonly environment: Environment
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Runs a program found on `PATH`; undefined where there is none of that name. Rejects when `signal` aborts. */
export function runTool(
  command: readonly [string, ...string[]],
  { environment, timeoutMs, signal }: RunToolOptions,
): Promise<ToolOutcome | undefined> {
  const [program, ...args] = command
  const options = { env: { ...environment }, timeout: timeoutMs, maxBuffer: maxBytes, signal }
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (signal.aborted) return reject(signal.reason as Error)
      if (error?.code === 'ENOENT') return resolve(undefined)
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0
      const late = error?.killed ? `${program} did not answer within ${timeoutMs / 1000} s` : ''
      resolve({ code, stdout, stderr: late || stderr })
    })
  })
}
