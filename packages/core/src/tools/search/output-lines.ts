import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

export interface LineCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly path: string | undefined
  readonly signal: AbortSignal
}

/** How the program ended. */
export interface CommandEnd {
  readonly exitCode: number | undefined
  /** Beginning of what it said on standard error. */
  readonly errors: string
}

/** Bytes kept of one line; the rest of a longer one is passed over. */
const maxLineBytes = 8_192
const maxErrorChars = 4_000

/**
 * Runs a program and gives the lines of its output as they come. It is killed when its reader stops early or `signal`
 * aborts, whose reason is then thrown.
 */
export async function* outputLines({
  command,
  args,
  cwd,
  path,
  signal,
}: LineCommand): AsyncGenerator<string, CommandEnd> {
  signal.throwIfAborted()
  const env = { PATH: path, LC_ALL: 'C.UTF-8' }
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? undefined))
  })
  // Read below; until then a failure to start must not count as unhandled.
  ended.catch(() => undefined)
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (errors.length < maxErrorChars) errors = (errors + text).slice(0, maxErrorChars)
  })
  try {
    yield* linesOf(child.stdout)
    signal.throwIfAborted()
    return { exitCode: await ended, errors: errors.trim() }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', kill)
    kill()
  }
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let begun = Buffer.alloc(0)
  let hasBegun = false
  for await (const chunk of stream) {
    const data = chunk as Buffer
    let start = 0
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      const rest = data.subarray(start, end)
      const line = hasBegun
        ? Buffer.concat([begun, rest.subarray(0, Math.max(0, maxLineBytes - begun.length))])
        : rest.subarray(0, maxLineBytes)
      yield line.toString('utf8')
      begun = Buffer.alloc(0)
      hasBegun = false
      start = end + 1
    }
    if (start < data.length) {
      begun = Buffer.concat([begun, data.subarray(start, start + Math.max(0, maxLineBytes - begun.length))])
      hasBegun = true
    }
  }
  if (hasBegun) yield begun.toString('utf8')
}
