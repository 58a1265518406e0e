import { ModelError } from '../model-error.ts'
import type { HttpResponse } from './http-client.ts'
import { SseOverflowError, createSseParser } from './sse.ts'
import type { SseEvent } from './sse.ts'

/** The events of a streamed answer; `label` names the service in errors. Throws `ModelError` for a broken stream. */
export async function* sseAnswer(response: HttpResponse, label: string): AsyncGenerator<SseEvent> {
  const parser = createSseParser()
  try {
    for await (const bytes of response.body) yield* parser.feed(bytes)
    yield* parser.end()
  } catch (error) {
    if (!(error instanceof SseOverflowError)) throw error
    throw new ModelError('malformed-stream', `${label} sent a broken stream: ${error.message}.`, { cause: error })
  }
}
