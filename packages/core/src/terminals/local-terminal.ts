import { openSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FifoPool } from './fifo-pool.ts'
import { Lock } from './lock.ts'
import { createOutputBuffer } from './output-buffer.ts'
import { killGraceMs, ProcessGroups } from './process-groups.ts'
import { startPty } from './pty.ts'
import { ShellProcess, type ShellProcessOptions } from './shell-process.ts'
import { type ScriptBody, scriptArguments, type Shell, type ShellReport, type ShellScripts } from './shell-script.ts'
import type { BackgroundProcess, RunOptions, RunResult, SpawnOptions, Terminal } from './terminal.ts'
import { TerminalError } from './terminal-error.ts'
import { isDirectory, nearestDirectory } from './working-directory.ts'

/** Longest command that is given to a shell as an argument, bytes; Linux takes 131,071 with the quoting. */
const maxArgumentBytes = 30_000
/** Longest variable that is kept, and most of all together: more could not be given to any program. */
const maxVariableChars = 100_000
const maxVariablesChars = 1_000_000
/** Most process groups whose output is read. */
const maxGroups = 128
/** How long after KILL a process that the kernel holds is still waited for, ms. */
const afterKillMs = 1000

/** Variables that a shell sets for itself. */
const shellOwn: ReadonlySet<string> = new Set(['_', 'PWD', 'SHLVL'])

type BackgroundStart = Pick<ShellProcessOptions, 'script' | 'cwd' | 'env' | 'onOutput'>

export interface LocalTerminalParts {
  readonly shell: Shell
  readonly scripts: ShellScripts
  /** The terminal's own; it ends them. */
  readonly pipes: FifoPool
  readonly cwd: string
  readonly variables: Readonly<Record<string, string>>
  /** A script that every command reads first. */
  readonly definitionsPath?: string
}

/**
 * A shell session made of one shell a command: each gets the directory and the exported variables that the one before
 * reported, and reports its own.
 */
export class LocalTerminal implements Terminal {
  readonly backend = 'local'
  readonly #parts: LocalTerminalParts
  readonly #lock = new Lock()
  readonly #groups = new ProcessGroups()
  readonly #closing = new AbortController()
  #cwd: string
  #variables: Readonly<Record<string, string>>
  #files = 0

  constructor(parts: LocalTerminalParts) {
    this.#parts = parts
    this.#cwd = parts.cwd
    this.#variables = parts.variables
  }

  get cwd(): string {
    return this.#cwd
  }

  async run(command: string, options: RunOptions): Promise<RunResult> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal])
    using _turn = await this.#lock.take(signal)
    await using body = await this.#body(command)
    signal.throwIfAborted()
    return await this.#run(body, { ...options, signal })
  }

  async spawn(command: string, options: SpawnOptions): Promise<BackgroundProcess> {
    this.#closing.signal.throwIfAborted()
    const { cwd } = this.#directory(options.workdir)
    const body = await this.#body(command)
    const start: BackgroundStart = {
      script: this.#parts.scripts.background(body, this.#parts.definitionsPath),
      cwd,
      env: { ...this.#variables, PWD: cwd, PYTHONUNBUFFERED: '1' },
      onOutput: options.onOutput,
    }
    const process = (options.pty && (await this.#spawnPty(start))) || (await this.#spawnShell(start))
    void process.exited.then(async (exitCode) => {
      options.onExit(exitCode)
      await body[Symbol.asyncDispose]()
    })
    return process
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(new TerminalError('closed', 'the terminal was closed'))
    this.#groups.endAll()
    this.#parts.pipes.dispose()
    // What runs has been told to end, and does within a grace.
    using _turn = await this.#lock.take(new AbortController().signal)
    await this.#groups.dispose()
  }

  async #run(body: ScriptBody, options: RunOptions): Promise<RunResult> {
    const { cwd, note } = this.#directory(options.workdir)
    const { scripts, definitionsPath } = this.#parts
    const output = createOutputBuffer(options.maxOutputChars)
    const onOutput = (text: string) => {
      output.push(text)
      options.onOutput?.(text)
    }
    if (note !== '') onOutput(note)
    let report = ''
    const process = await this.#start({
      script: scripts.foreground(body, definitionsPath),
      cwd,
      env: { ...this.#variables, PWD: cwd },
      input: options.stdin === undefined ? 'empty' : { fd: await this.#inputFile(options.stdin) },
      onReport: (soFar) => scripts.isComplete((report = soFar)),
      onOutput,
    })
    const end = await this.#waitForEnd(process, options)
    await process.drain({ wait: !options.signal.aborted })
    process.release()
    this.#remember(scripts.read(report), { keepDirectory: options.workdir === undefined })
    options.signal.throwIfAborted()
    const { text, omittedChars } = output.read()
    return { output: text, omittedChars, ...end }
  }

  async #start(options: Omit<ShellProcessOptions, 'shell' | 'pipes'>): Promise<ShellProcess> {
    const { pipes, shell } = this.#parts
    this.#closing.signal.throwIfAborted()
    try {
      const process = await ShellProcess.start({ ...options, pipes, shell })
      this.#groups.add(process.pid, { gone: process.gone, abandon: () => process.abandon() })
      this.#groups.limit(maxGroups)
      return process
    } catch (error) {
      // Its pipes go when it is closed.
      this.#closing.signal.throwIfAborted()
      throw error
    }
  }

  async #waitForEnd(process: ShellProcess, { signal, timeoutMs }: RunOptions) {
    const gaveUp = Promise.withResolvers<number>()
    let giveUp: NodeJS.Timeout | undefined
    const end = () => {
      this.#groups.end(process.pid)
      giveUp ??= setTimeout(() => gaveUp.resolve(137), killGraceMs + afterKillMs)
    }
    let timedOut = false
    const timeout = setTimeout(() => {
      timedOut = true
      end()
    }, timeoutMs)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    try {
      const exitCode = await Promise.race([process.exited, gaveUp.promise])
      return { exitCode: timedOut ? 124 : exitCode, timedOut }
    } finally {
      clearTimeout(timeout)
      clearTimeout(giveUp)
      signal.removeEventListener('abort', end)
      this.#groups.leaderEnded(process.pid)
    }
  }

  async #spawnShell(start: BackgroundStart): Promise<BackgroundProcess> {
    const shell = await this.#start({ ...start, input: 'pipe' })
    const exited = shell.exited.then(async (exitCode) => {
      await shell.drain({ wait: true })
      shell.release()
      return exitCode
    })
    return {
      pid: shell.pid,
      pty: false,
      exited,
      write(data) {
        if (!shell.input?.writable) throw new TerminalError('closed', 'its standard input is closed')
        shell.input.write(data)
      },
      closeInput: () => shell.input?.end(),
      kill: (graceMs) => this.#kill(shell.pid, exited, graceMs),
    }
  }

  async #spawnPty(start: BackgroundStart): Promise<BackgroundProcess | undefined> {
    const { shell } = this.#parts
    const pty = await startPty({ ...start, file: shell.path, args: scriptArguments(shell, start.script) })
    if (!pty) return undefined
    const { pid, exited } = pty
    this.#groups.add(pid, { gone: exited.then(() => undefined), abandon: () => undefined })
    return {
      pid,
      pty: true,
      exited,
      write: (data) => pty.write(data),
      // What a person types to end their input.
      closeInput: () => pty.write('\x04'),
      kill: (graceMs) => this.#kill(pid, exited, graceMs),
    }
  }

  async #kill(pid: number, exited: Promise<number>, graceMs?: number): Promise<void> {
    this.#groups.end(pid, graceMs)
    await exited
    this.#groups.leaderEnded(pid)
  }

  #directory(workdir: string | undefined): { readonly cwd: string; readonly note: string } {
    if (workdir === undefined) {
      const cwd = nearestDirectory(this.#cwd)
      return { cwd, note: cwd === this.#cwd ? '' : `[${this.#cwd} is gone; running in ${cwd}]\n` }
    }
    const home = this.#variables['HOME'] ?? '/'
    const cwd = resolve(this.#cwd, workdir.replace(/^~(?=\/|$)/, home))
    if (isDirectory(cwd)) return { cwd, note: '' }
    throw new TerminalError('no-such-directory', `the working directory ${cwd} does not exist`)
  }

  /** Keeps what a command changed. */
  #remember(report: ShellReport | undefined, { keepDirectory }: { readonly keepDirectory: boolean }): void {
    if (!report) return
    if (keepDirectory && report.cwd.startsWith('/')) this.#cwd = report.cwd
    // Names that no shell can set, such as bash's own for exported functions, are not reported.
    const unreported = Object.entries(this.#variables).filter(
      ([name]) => shellOwn.has(name) || !/^[A-Za-z_]\w*$/.test(name),
    )
    const kept = Object.fromEntries(unreported)
    let chars = 0
    for (const [name, value] of report.variables) {
      if (shellOwn.has(name) || value.length > maxVariableChars) continue
      chars += name.length + value.length
      kept[name] = value
    }
    if (chars <= maxVariablesChars) this.#variables = kept
  }

  /** Opens a file that holds `text` and that nobody else can find. A pipe could not be opened again as /dev/stdin. */
  async #inputFile(text: string): Promise<number> {
    const path = this.#newFile('input')
    await writeFile(path, text, { mode: 0o600 })
    const fd = openSync(path, 'r')
    await rm(path, { force: true })
    return fd
  }

  #newFile(kind: string): string {
    return join(this.#parts.pipes.dir, `${kind}-${this.#files++}`)
  }

  async #body(command: string): Promise<ScriptBody & AsyncDisposable> {
    if (Buffer.byteLength(command) <= maxArgumentBytes) return { text: command, async [Symbol.asyncDispose]() {} }
    const path = this.#newFile('command')
    await writeFile(path, command, { mode: 0o600 })
    return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) }
  }
}
