import { spawn } from 'node:child_process'
import { ServiceError } from '../services/service-error.ts'
import { createTail } from '../terminals/output-buffer.ts'
import { killGraceMs } from '../terminals/process-groups.ts'

export interface ProgramRun {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Written to its input, which is then closed. */
  readonly input?: string
  readonly timeoutMs: number
}

/** Most output that is kept, characters; what comes after it is dropped. */
const maxOutputChars = 200_000
const maxReasonChars = 400

/**
 * Runs a program to its end and resolves to what it printed. Its whole process group ends with it, or with the signal,
 * whose reason passes untouched. Throws `ServiceError`: `unconfigured` when it is not there, `timeout`, or `refused` with
 * the last words of its errors.
 */
export async function runProgram(run: ProgramRun, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const timeout = AbortSignal.timeout(run.timeoutMs)
  const { output, errors, failure, code } = await started(run, AbortSignal.any([signal, timeout]))
  signal.throwIfAborted()
  const { program } = run
  if (failure !== undefined) {
    const isMissing = 'code' in failure && failure.code === 'ENOENT'
    throw new ServiceError('unconfigured', `${program} ${isMissing ? 'is not installed' : 'cannot be started'}.`, {
      cause: failure,
    })
  }
  if (timeout.aborted) throw new ServiceError('timeout', `${program} took longer than ${run.timeoutMs / 1000} s.`)
  if (code === 0) return output
  const said = errors.trim().replaceAll(/\s+/g, ' ').slice(-maxReasonChars).toWellFormed()
  throw new ServiceError('refused', `${program} failed (code ${code ?? 'none'})${said && `: ${said}`}`)
}

interface Ended {
  readonly output: string
  readonly errors: string
  readonly failure?: Error
  readonly code?: number | null
}

function started({ program, args, env, cwd, input }: ProgramRun, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const errors = createTail(maxOutputChars)
    let output = ''
    const child = spawn(program, args, { env, cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    const kill = () => {
      killGroup(child.pid)
      // Who left the group may hold them still, and `close` waits for them.
      setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, killGraceMs).unref()
    }
    const end = (more: Pick<Ended, 'failure' | 'code'>) => {
      signal.removeEventListener('abort', kill)
      resolve({ output: output.slice(0, maxOutputChars), errors: errors.read(), ...more })
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maxOutputChars) output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
    // A program that reads nothing closes its input before all is written.
    child.stdin.on('error', () => undefined).end(input)
    child.once('error', (failure) => end({ failure }))
    // What it started must not hold the pipes open.
    child.once('exit', kill)
    child.once('close', (code) => end({ code }))
    signal.addEventListener('abort', kill, { once: true })
    if (signal.aborted) kill()
  })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // Nobody of it is left, or its number is another's by now.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
