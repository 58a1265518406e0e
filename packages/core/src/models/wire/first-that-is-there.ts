import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelProvider, ModelRequest } from '../model.ts'

/** A provider over two wires of one server: the first, unless the server turns out not to have it. */
export function firstThatIsThere(first: ModelProvider, second: ModelProvider): ModelProvider {
  let found: ModelProvider | undefined

  async function* finding(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    try {
      for await (const event of first.stream(request, signal)) {
        found = first
        yield event
      }
    } catch (error) {
      if (found || !(error instanceof ModelError) || (error.status !== 404 && error.status !== 405)) throw error
      found = second
      yield* second.stream(request, signal)
    }
  }
  return { ...second, stream: (request, signal) => found?.stream(request, signal) ?? finding(request, signal) }
}
