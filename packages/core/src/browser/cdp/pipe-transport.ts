import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { maxMessageChars } from './transport.ts'
import type { CdpTransport } from './transport.ts'

/** Over the two pipes of `--remote-debugging-pipe`: messages end with a zero byte. */
export function pipeTransport(input: Writable, output: Readable): CdpTransport {
  const decoder = new StringDecoder('utf8')
  let pieces: string[] = []
  let length = 0
  const close = () => {
    input.destroy()
    output.destroy()
  }
  return {
    send(text) {
      if (input.writable) input.write(`${text}\0`)
    },
    listen(listener) {
      output.on('data', (bytes: Buffer) => {
        const parts = decoder.write(bytes).split('\0')
        const last = parts.pop() ?? ''
        for (const part of parts) {
          listener.message(pieces.join('') + part)
          pieces = []
          length = 0
        }
        if (last !== '') pieces.push(last)
        length += last.length
        if (length > maxMessageChars) close()
      })
      output.once('close', () => listener.closed())
      // A browser that ends breaks both pipes, which `close` tells.
      output.on('error', close)
      input.on('error', close)
    },
    close,
  }
}
