import { PassThrough } from 'node:stream'
import type { Environment } from '@hermes/core/agent/context.ts'
import type { Cli, Command } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { parseCommand } from '../../parse-arguments.ts'

// Runs the commands of this folder as `hermes` does, for their tests.

export interface TestRun {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

export interface TestRunOptions {
  readonly environment: Environment
  /** What is piped in. */
  readonly input?: string
  /** Told what is on stderr so far, each time it grows. */
  readonly onStderr?: (text: string) => void
}

export async function runForTest(
  command: Command,
  argv: readonly string[],
  { environment, input = '', onStderr }: TestRunOptions,
): Promise<TestRun> {
  const stdin = new PassThrough()
  stdin.end(input)
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  let out = ''
  let err = ''
  stdout.on('data', (bytes: Buffer) => (out += bytes.toString()))
  stderr.on('data', (bytes: Buffer) => {
    err += bytes.toString()
    onStderr?.(err)
  })
  const cli: Cli = { environment, cwd: '/', stdin, stdout, stderr, signal: new AbortController().signal }
  const code = await run(command, argv, cli)
  // What was written last has not been read yet.
  await new Promise(setImmediate)
  return { stdout: out, stderr: err, code }
}

/** Runs it with this process's own terminal. */
export function runAtTerminal(command: Command, argv: readonly string[]): Promise<number> {
  const { env: environment, stdin, stdout, stderr } = process
  return run(command, argv, { environment, cwd: '/', stdin, stdout, stderr, signal: new AbortController().signal })
}

async function run(command: Command, argv: readonly string[], cli: Cli): Promise<number> {
  try {
    const parsed = parseCommand(command, argv, ['hermes', command.name])
    return (await parsed.command.run?.(parsed.input, cli)) ?? 2
  } catch (error) {
    if (!(error instanceof Error)) throw error
    cli.stderr.write(`${error.message}\n`)
    if (error instanceof UsageError) return 2
    return error instanceof CommandError ? error.exitCode : 1
  }
}
