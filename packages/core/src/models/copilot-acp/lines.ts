import { ModelError } from '../model-error.ts'

/** Longest message, code units: it may hold a file. */
const longestLine = 32 * 1024 * 1024

/** The lines of a stream of UTF-8, however it is cut into pieces; what is behind the last line break is no line. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let begun: string[] = []
  let length = 0
  for await (const piece of stream) {
    const [head = '', ...rest] = decoder.decode(piece, { stream: true }).split('\n')
    begun.push(head)
    length += head.length
    if (length > longestLine) throw new ModelError('malformed-stream', 'GitHub Copilot sent a message without end.')
    for (const part of rest) {
      yield begun.join('')
      begun = [part]
      length = part.length
    }
  }
}
