import { createInterface } from 'node:readline/promises'
import type { Cli } from '../../command.ts'

/** Asks on stderr for one line; undefined when the input ends. When `signal` aborts, throws its reason. */
export async function askLine(cli: Cli, question: string, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted()
  const line = createInterface({ input: cli.stdin, output: cli.stderr, terminal: false })
  const closed = Promise.withResolvers<undefined>()
  line.once('close', () => closed.resolve(undefined))
  try {
    return await Promise.race([line.question(question, { signal }), closed.promise])
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    line.close()
  }
}
