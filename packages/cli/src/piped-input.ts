import { fstatSync } from 'node:fs'
import type { Cli } from './command.ts'
import { CommandError } from './command.ts'

/** Most input that is taken from a pipe, bytes. */
const maxInputBytes = 4 * 1024 * 1024

/** How long a pipe that nobody asked to read may stay silent before it is left alone, ms. */
const silenceMs = 3_000

/**
 * What was piped or redirected into the program. `wanted`: the command line asked for it, so it is waited for to its end, and
 * a person at a terminal is told how to end it.
 * Otherwise only a pipe or a file is read, and a pipe that stays silent (parents often leave one open) is given up with a
 * warning. Throws `CommandError` for more than 4 MiB.
 */
export async function readPipedInput(cli: Cli, wanted: boolean): Promise<string> {
  if (!wanted && (cli.stdin.isTTY || !isPipeOrFile())) return ''
  if (cli.stdin.isTTY) cli.stderr.write('Type or paste it; Enter and then Ctrl-D end it.\n')
  const chunks: Buffer[] = []
  let bytes = 0
  const giveUp = setTimeout(() => {
    cli.stderr.write('Nothing came from the input for 3 s; going on without it ("-t -" waits for it).\n')
    cli.stdin.destroy()
  }, silenceMs)
  if (wanted) clearTimeout(giveUp)
  const stop = () => cli.stdin.destroy()
  cli.signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of cli.stdin) {
      clearTimeout(giveUp)
      bytes += chunk.length
      if (bytes > maxInputBytes)
        throw new CommandError('The input is larger than 4 MiB; name a file in the task instead.')
      chunks.push(Buffer.from(chunk))
    }
  } catch (error) {
    // Ending the wait above closes the stream before its end; whatever was read stands.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error
  } finally {
    clearTimeout(giveUp)
    cli.signal.removeEventListener('abort', stop)
  }
  cli.signal.throwIfAborted()
  return Buffer.concat(chunks).toString('utf8')
}

function isPipeOrFile(): boolean {
  try {
    const stats = fstatSync(0)
    return stats.isFIFO() || stats.isFile() || stats.isSocket()
  } catch {
    // A closed standard input has nothing to read.
    return false
  }
}
