import { StringDecoder } from 'node:string_decoder'
import type { Cli } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { readPipedInput } from '../../piped-input.ts'

/** Longest secret that is taken, characters. */
const maxChars = 16_384

/**
 * Reads a secret: typed at a terminal without being shown, or piped in. Throws `UsageError` when there is none, and
 * `CommandError` with exit code 130 at Ctrl-C.
 */
export async function readSecret(cli: Cli, prompt: string): Promise<string> {
  const secret = cli.stdin.isTTY ? await readHidden(cli, prompt) : await readPipedInput(cli, true)
  if (secret.trim() === '') throw new UsageError('No key was given: type it, pipe it in, or use --api-key.')
  return secret.trim()
}

async function readHidden(cli: Cli, prompt: string): Promise<string> {
  const { stdin } = cli
  // Ctrl-C between two questions reaches the program as a signal.
  cli.signal.throwIfAborted()
  const decoder = new StringDecoder('utf8')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let typed = ''
  const onData = (bytes: Buffer): void => {
    for (const key of decoder.write(bytes)) {
      if (key === '\r' || key === '\n' || key === '\u0004') return resolve(typed)
      if (key === '\u0003') return reject(new CommandError('Stopped.', 130))
      if (key === '\u007F' || key === '\b') typed = typed.slice(0, -1)
      else if (key === '\u0015') typed = ''
      else if (typed.length < maxChars) typed += key
    }
  }
  const onEnd = (): void => resolve(typed)
  const onAbort = (): void => reject(cli.signal.reason as Error)
  setRaw(stdin, true)
  cli.stderr.write(prompt)
  // Whoever read before may have paused it.
  stdin.on('data', onData).once('end', onEnd).resume()
  cli.signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await promise
  } finally {
    stdin.off('data', onData).off('end', onEnd).pause()
    cli.signal.removeEventListener('abort', onAbort)
    setRaw(stdin, false)
    cli.stderr.write('\n')
  }
}

/** In raw mode the terminal shows nothing of what is typed. */
function setRaw(stdin: Cli['stdin'], on: boolean): void {
  if ('setRawMode' in stdin && typeof stdin.setRawMode === 'function') stdin.setRawMode(on)
}
