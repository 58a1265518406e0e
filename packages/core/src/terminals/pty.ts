import { createTextCleaner } from './text-cleaner.ts'

export interface PtyOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Called with cleaned output. */
  readonly onOutput: (text: string) => void
}

/** A program under a pseudo-terminal of 30 × 120, in a process group of its own. */
export interface PtyProcess {
  readonly pid: number
  /** Exit code, 128+n after signal n. */
  readonly exited: Promise<number>
  write(data: string): void
}

/** Starts it, or resolves to undefined where this machine has no module for it. */
export async function startPty(options: PtyOptions): Promise<PtyProcess | undefined> {
  const pty = await loadModule()
  if (!pty) return undefined
  const { cwd, env } = options
  const size = { name: 'xterm-256color', cols: 120, rows: 30 }
  const child = pty.spawn(options.file, [...options.args], { ...size, cwd, env })
  const cleaner = createTextCleaner()
  const emit = (text: string) => {
    if (text !== '') options.onOutput(text)
  }
  child.onData((text) => emit(cleaner.push(Buffer.from(text))))
  const exited = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      emit(cleaner.end())
      resolve(signal ? 128 + signal : exitCode)
    })
  })
  return { pid: child.pid, exited, write: (data) => child.write(data) }
}

async function loadModule() {
  try {
    return await import('@lydell/node-pty')
  } catch (error) {
    // It has no build for every machine, and need not be installed.
    if (error instanceof Error && /cannot find|could not|not supported|no such/i.test(error.message)) return undefined
    throw error
  }
}
