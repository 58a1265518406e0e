import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')
/** The built command. */
export const hermesFile = join(root, 'dist', 'hermes.cjs')

export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  /** Exit code; undefined when a signal ended it. */
  readonly code: number | undefined
}

export interface RunningHermes {
  readonly pid: number
  readonly ended: Promise<Outcome>
  kill(signal: NodeJS.Signals): void
}

/** Starts the built command as a program would, without a terminal. */
export function startHermes(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { input, cwd }: { readonly input?: string; readonly cwd?: string } = {},
): RunningHermes {
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const child = spawn(process.execPath, [hermesFile, ...args], { env, cwd, stdio: [stdin, 'pipe', 'pipe'] })
  if (input !== undefined) child.stdin?.end(input)
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code]): Outcome => ({ stdout, stderr, code: code ?? undefined }))
  return { pid: child.pid ?? -1, ended, kill: (signal) => child.kill(signal) }
}

/** Runs the built command to its end. */
export function runHermes(...args: Parameters<typeof startHermes>): Promise<Outcome> {
  return startHermes(...args).ended
}

/** A `config.yaml` that talks to a scripted model server. */
export function scriptedConfig(url: string, more = ''): Readonly<Record<string, string>> {
  return {
    'config.yaml': `model:\n  default: scripted-model\n  base_url: ${url}\n  api_key: made-up-key-123456\n${more}`,
  }
}
