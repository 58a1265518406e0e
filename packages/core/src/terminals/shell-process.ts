import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { Socket } from 'node:net'
import type { FifoPool, InputPipe, OutputPipe } from './fifo-pool.ts'
import { reportFd, scriptArguments, type Shell } from './shell-script.ts'
import { settlesWithin } from './settles-within.ts'
import { TerminalError } from './terminal-error.ts'
import { createTextCleaner } from './text-cleaner.ts'

export interface ShellProcessOptions {
  readonly shell: Shell
  readonly script: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly pipes: FifoPool
  /** Its standard input: empty, a pipe that we write to, or an open file, which is closed here. */
  readonly input: 'empty' | 'pipe' | { readonly fd: number }
  /** Called with its report on `reportFd` as it grows; true when it is complete. Without it, no such descriptor. */
  readonly onReport?: (soFar: string) => boolean
  /** Called with cleaned output, in order. */
  readonly onOutput: (text: string) => void
}

/** How long after its end what the shell left behind may still write, ms: `>(tee log)`, `server &`. */
const afterEndMs = 50
/** Longest that reading what is already in the pipe may take, ms. */
const longestDrainMs = 500
const maxReportChars = 2_000_000

/** A shell in a process group of its own, with its output read until it ends. */
export class ShellProcess {
  readonly pid: number
  /** Resolves to the exit code (128+n after signal n) when the shell itself has ended. */
  readonly exited: Promise<number>
  /** Resolves when it has ended and nobody it left behind can write to its output. */
  readonly gone: Promise<void>
  readonly input: Socket | undefined
  readonly #options: ShellProcessOptions
  readonly #output: OutputPipe
  readonly #report: Socket | undefined
  readonly #outputEnded: Promise<void>
  readonly #cleaner = createTextCleaner()
  #isListening = true
  #hasOutputEnded = false
  #reads = 0

  /** Throws `TerminalError` with code `spawn-failed`. */
  static async start(options: ShellProcessOptions): Promise<ShellProcess> {
    const output = await options.pipes.output()
    const input = options.input === 'pipe' ? await options.pipes.input() : undefined
    const inputFd = typeof options.input === 'object' ? options.input.fd : input?.commandFd
    const child = spawn(options.shell.path, scriptArguments(options.shell, options.script), {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: [inputFd ?? 'ignore', output.commandFd, output.commandFd, options.onReport ? 'pipe' : 'ignore'],
    })
    closeSync(output.commandFd)
    if (inputFd !== undefined) closeSync(inputFd)
    if (child.pid === undefined) {
      const cause = await new Promise<Error>((resolve) => child.once('error', resolve))
      output.socket.destroy()
      input?.socket.destroy()
      options.pipes.giveBack(output, { ended: true })
      throw new TerminalError('spawn-failed', `${options.shell.path} could not be started: ${cause.message}`, { cause })
    }
    return new ShellProcess(child, child.pid, options, output, input)
  }

  private constructor(
    child: ChildProcess,
    pid: number,
    options: ShellProcessOptions,
    output: OutputPipe,
    input: InputPipe | undefined,
  ) {
    this.pid = pid
    this.#options = options
    this.#output = output
    this.input = input?.socket
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
    })
    // Somebody who ends before reading all of their input is no failure.
    this.input?.on('error', () => this.input?.destroy())
    this.#outputEnded = this.#readOutput()
    this.gone = Promise.all([this.exited, this.#outputEnded]).then(() => undefined)
    this.#report = options.onReport ? this.#readReport(child, options.onReport) : undefined
  }

  /** Reads what is still in the pipes after `exited`; with `wait`, a little more where others hold them open. */
  async drain({ wait }: { readonly wait: boolean }): Promise<void> {
    const deadline = performance.now() + longestDrainMs
    for (let quiet = 0; quiet < 2 && !this.#isAllRead() && performance.now() < deadline; quiet++) {
      const before = this.#reads
      await nextRound()
      if (this.#reads !== before) quiet = -1
    }
    if (wait && !this.#hasOutputEnded) await settlesWithin(this.#outputEnded, afterEndMs)
    this.#report?.destroy()
  }

  /** Stops listening: what others still write is read and forgotten. */
  release(): void {
    if (!this.#hasOutputEnded) this.#emit(this.#cleaner.end())
    this.#isListening = false
    this.input?.destroy()
    this.#options.pipes.giveBack(this.#output, { ended: this.#hasOutputEnded })
    this.#output.socket.unref()
  }

  /** Stops reading what others still write: they get a broken pipe. */
  abandon(): void {
    this.#output.socket.destroy()
  }

  #isAllRead(): boolean {
    return this.#hasOutputEnded && (this.#report?.destroyed ?? true)
  }

  #emit(text: string): void {
    if (this.#isListening && text !== '') this.#options.onOutput(text)
  }

  #readOutput(): Promise<void> {
    const { socket } = this.#output
    socket.on('data', (bytes: Buffer) => {
      this.#reads++
      this.#emit(this.#cleaner.push(bytes))
    })
    // A pipe that cannot be read has no more to say; `close` follows.
    socket.once('error', () => socket.destroy())
    return new Promise((resolve) => {
      socket.once('close', () => {
        this.#hasOutputEnded = true
        this.#emit(this.#cleaner.end())
        resolve()
      })
    })
  }

  #readReport(child: ChildProcess, onReport: (soFar: string) => boolean): Socket {
    // With 'pipe' at this place of stdio, Node puts a socket there.
    const socket = child.stdio[reportFd] as Socket
    const decoder = new TextDecoder()
    let report = ''
    socket.on('data', (bytes: Buffer) => {
      this.#reads++
      report += decoder.decode(bytes, { stream: true })
      if (report.length > maxReportChars || onReport(report)) socket.destroy()
    })
    socket.once('error', () => socket.destroy())
    return socket
  }
}
