/** How a command is run. */
export interface RunOptions {
  /** Where, for this command only; the session's directory when absent. */
  readonly workdir?: string
  readonly timeoutMs: number
  /** Given to the command's standard input, which is then closed. */
  readonly stdin?: string
  /** Most characters of output kept; beyond it the head (40 %) and the tail (60 %) are kept. */
  readonly maxOutputChars: number
  /** Called with pieces of output as they come. */
  readonly onOutput?: (text: string) => void
  readonly signal: AbortSignal
}

/** How a command ended. */
export interface RunResult {
  /** Standard output and error merged, in order, as valid text. */
  readonly output: string
  /** 124 after a time-out, 130 after an abort, 128+n after signal n. */
  readonly exitCode: number
  /** Characters left out of `output`; 0 when it is whole. */
  readonly omittedChars: number
  readonly timedOut: boolean
}

export interface SpawnOptions {
  readonly workdir?: string
  /** Run under a pseudo-terminal (30 × 120) where there is one. */
  readonly pty: boolean
  readonly onOutput: (text: string) => void
  readonly onExit: (exitCode: number) => void
}

/** A command that goes on in the background. */
export interface BackgroundProcess {
  readonly pid: number
  /** Whether it got the pseudo-terminal that was asked for. */
  readonly pty: boolean
  /** Resolves when it has ended. */
  readonly exited: Promise<number>
  write(data: string): void
  /** Closes its standard input. */
  closeInput(): void
  /** Ends the whole process group: TERM, then KILL after `graceMs`. */
  kill(graceMs?: number): Promise<void>
}

/**
 * Where commands run. Keeps the working directory and exported variables from command to command, as a shell session
 * would. One command at a time; `run` waits its turn.
 */
export interface Terminal {
  /** Registry key, e.g. `local`. */
  readonly backend: string
  /** The session's current directory, absolute. */
  readonly cwd: string
  /** Runs a command to its end. When `signal` aborts, its process group is killed and the reason is thrown. */
  run(command: string, options: RunOptions): Promise<RunResult>
  spawn(command: string, options: SpawnOptions): Promise<BackgroundProcess>
  [Symbol.asyncDispose](): Promise<void>
}
