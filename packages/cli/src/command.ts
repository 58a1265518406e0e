import type { Readable, Writable } from 'node:stream'
import type { Environment } from '@hermes/core/agent/context.ts'
import type { V8Flags } from './code/v8-flags.ts'

/** An option of a command. The name is the key: `{ json: … }` is `--json`. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string'
  /** One letter, e.g. `m` for `-m`. */
  readonly short?: string
  /** May be given several times; the value is then a list. */
  readonly multiple?: boolean
  /** What the value is called in help, e.g. `FILE`. */
  readonly value?: string
  readonly description: string
  /** Accepted values, for help, errors and completion. */
  readonly choices?: readonly string[]
}

/** A subcommand as data: help, completion and parsing are made from it. */
export interface Command {
  readonly name: string
  /** Other names that it answers to. */
  readonly aliases?: readonly string[]
  readonly summary: string
  /** Positional arguments as help shows them, e.g. `<id> [title...]`. */
  readonly positionals?: string
  readonly options?: Readonly<Record<string, OptionSpec>>
  readonly subcommands?: readonly Command[]
  /** Lines shown under `Examples:` in help. */
  readonly examples?: readonly string[]
  /** Does it and resolves to the exit code. Absent where only subcommands do something. Throws `UsageError`. */
  run?(input: CommandInput, cli: Cli): Promise<number>
}

export interface CommandInput {
  readonly positionals: readonly string[]
  /** Values by option name; absent options are undefined. */
  readonly options: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>
}

/** What a command may touch of the world. */
export interface Cli {
  readonly environment: Environment
  readonly cwd: string
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  /** Aborts at Ctrl-C or TERM. */
  readonly signal: AbortSignal
  /**
   * For a command that runs until it is told to end: a signal that stops it is no failure, its own exit code counts.
   * `handle` is asked first, and says whether it has dealt with a signal itself; SIGUSR1 is heard only so.
   */
  readonly ownSignals?: (handle: (signal: NodeJS.Signals) => boolean) => void
  /** For a command whose process serves many. */
  readonly v8Flags?: V8Flags
}

/** The command line is wrong: exit code 2, with a pointer to help. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command could not do it: exit code 1; the message says what to do next. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  constructor(message: string, exitCode = 1, options?: { cause?: unknown }) {
    super(message, options)
    this.exitCode = exitCode
  }
}
