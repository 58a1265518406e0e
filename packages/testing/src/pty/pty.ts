import nodePty from '@lydell/node-pty'
import { Screen } from './screen.ts'
import { within } from './within.ts'

export interface PtyOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly columns?: number
  readonly rows?: number
  /** `$TERM`; default `xterm-256color`. */
  readonly term?: string
}

/** A program running in a real pseudo-terminal, its output drawn on a `screen` that answers as a terminal does. */
export interface Pty {
  readonly pid: number
  readonly screen: Screen
  /** All bytes that it wrote so far, as text. */
  output(): string
  /** Types. */
  write(data: string): void
  resize(columns: number, rows: number): void
  kill(signal: NodeJS.Signals): void
  /** Closes the terminal under it, as closing a window does. */
  hangUp(): void
  /** Waits for its end. */
  exited(timeoutMs?: number): Promise<{ readonly code: number; readonly signal: number | undefined }>
  /** Kills it if it still runs. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a program in a pseudo-terminal. */
export function openPty(command: string, args: readonly string[], options: PtyOptions): Pty {
  const { columns = 80, rows = 24, cwd, env, term = 'xterm-256color' } = options
  const child = nodePty.spawn(command, [...args], { cols: columns, rows, cwd, name: term, env: { ...env, TERM: term } })
  let output = ''
  let end: { code: number; signal: number | undefined } | undefined
  const atEnd = new Set<() => void>()
  const screen = new Screen({ columns, rows, onReply: (data) => !end && child.write(data) })
  child.onData((data) => {
    output += data
    void screen.write(data)
  })
  child.onExit(({ exitCode, signal }) => {
    end = { code: exitCode, signal: signal || undefined }
    for (const call of atEnd) call()
  })
  const exited = async (timeoutMs = 30_000) => {
    await within(
      (seen) => {
        if (end) seen()
        atEnd.add(seen)
        return () => atEnd.delete(seen)
      },
      timeoutMs,
      () => `still running, with this screen:\n${screen.text()}`,
    )
    await screen.write('')
    return end ?? { code: -1, signal: undefined }
  }
  return {
    pid: child.pid,
    screen,
    output: () => output,
    write: (data) => child.write(data),
    resize(newColumns, newRows) {
      screen.resize(newColumns, newRows)
      child.resize(newColumns, newRows)
    },
    kill: (signal) => child.kill(signal),
    // The types of node-pty leave it out.
    hangUp: () => (child as unknown as { destroy(): void }).destroy(),
    exited,
    async [Symbol.asyncDispose]() {
      if (end) return
      child.kill('SIGKILL')
      await exited()
    },
  }
}
