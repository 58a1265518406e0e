import type { FetchLike } from '@modelcontextprotocol/client'
import { maxMessageChars } from './message-lines.ts'

/** Answers of which no line, and outside of event streams no body, is larger than a message may be. */
export function boundedBodies(fetch: FetchLike, maxBytes = maxMessageChars): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(bounded(maxBytes, isStream)), { status, statusText, headers })
  }
}

function bounded(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  return new TransformStream({
    transform(bytes, controller) {
      const newline = isStream ? bytes.lastIndexOf(0x0a) : -1
      length = newline < 0 ? length + bytes.length : bytes.length - newline - 1
      if (length > maxBytes) throw new Error(`the answer is larger than ${maxBytes / 1024 / 1024} MB`)
      controller.enqueue(bytes)
    },
  })
}
