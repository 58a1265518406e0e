import { setImmediate as nextTick } from 'node:timers/promises'
import type { ModelProvider } from '../model.ts'
import { reply } from './reply.ts'

export const offlineModelName = 'offline'

/**
 * The model that a person has who has none: a deterministic interpreter of plain instructions, which goes through the
 * same loop, tools and streaming as any other. `howToConnect` tells how to get a real one.
 */
export function createOfflineModel({ howToConnect }: { readonly howToConnect: string }): ModelProvider {
  return {
    name: 'offline',
    isInterpreter: true,
    async *stream(request, signal) {
      signal.throwIfAborted()
      const answer = reply(request, howToConnect)
      if (answer.type === 'call') {
        yield { type: 'tool-call-start', id: answer.call.id, name: answer.call.name }
        yield { type: 'tool-call', call: answer.call }
        yield { type: 'finish', reason: 'tool_calls' }
        return
      }
      for (const text of spoken(answer.text)) {
        yield { type: 'text-delta', text }
        await nextTick()
        signal.throwIfAborted()
      }
      yield { type: 'finish', reason: 'stop' }
    },
    models: async () => [{ id: offlineModelName }],
  }
}

/** Longest answer that comes word by word; longer ones come line by line. */
const longestByWord = 4000

function spoken(text: string): readonly string[] {
  return text.match(text.length > longestByWord ? /[^\n]*\n+|[^\n]+$/gu : /\s*\S+\s*$|\s*\S+|\s+$/gu) ?? []
}
