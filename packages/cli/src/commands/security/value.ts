import { type Cli, type CommandInput, UsageError } from '../../command.ts'

/** Longest text taken from stdin, bytes. */
const maxBytes = 16 * 1024 * 1024

/** The one value that a command is given; `-` is stdin, `trim` without its last line end. Throws `UsageError`. */
export async function givenValue(
  { positionals }: CommandInput,
  cli: Cli,
  { usage, trim }: { readonly usage: string; readonly trim: boolean },
): Promise<string> {
  const [value] = positionals
  if (value === undefined || positionals.length !== 1) throw new UsageError(`Write: hermes security ${usage}`)
  if (value !== '-') return value
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of cli.stdin) {
    cli.signal.throwIfAborted()
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw new UsageError(`There is more on stdin than ${maxBytes} bytes.`)
    chunks.push(bytes)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  return trim ? text.replace(/\r?\n$/, '') : text
}
