import { ownDialect as messagesDialect } from '@hermes/core/models/anthropic/dialect.ts'
import { fixedKey } from '@hermes/core/models/keys/keys.ts'
import type { Keys } from '@hermes/core/models/keys/keys.ts'
import type { ModelProvider, ModelRequest } from '@hermes/core/models/model.ts'
import { createHttpClient } from '@hermes/core/models/net/http-client.ts'
import type { TimeLimits } from '@hermes/core/models/net/watch.ts'
import { plainDialect } from '@hermes/core/models/openai-compatible/dialect.ts'
import { ownDialect as responsesDialect } from '@hermes/core/models/responses/dialect.ts'
import { openProvider } from '@hermes/core/models/speech.ts'
import type { Speech } from '@hermes/core/models/speech.ts'
import type { Place } from '@hermes/core/models/wire/place.ts'
import { collectAnswer } from './collect-answer.ts'
import type { CollectedAnswer } from './collect-answer.ts'
import type { Script } from './scripted-model/answer.ts'
import { startScriptedModel } from './scripted-model/server.ts'
import type { ScriptedModel, ScriptedModelOptions } from './scripted-model/server.ts'

/** Each wire in its usual dialect. */
export const usualSpeech = {
  chat: { wire: 'chat', dialect: plainDialect },
  messages: { wire: 'messages', dialect: messagesDialect },
  responses: { wire: 'responses', dialect: responsesDialect },
  converse: { wire: 'converse', dialect: { region: 'x', credentials: async () => undefined } },
} as const satisfies Record<string, Speech>

export interface TestWireOptions extends ScriptedModelOptions {
  /** Whatever differs from a place called `Test server`. */
  readonly place?: Partial<Place>
  readonly limits?: Partial<TimeLimits>
  readonly keys?: Keys
  readonly now?: () => number
  readonly maxAnswerBytes?: number
  /** What a request is made of where a test does not say. Default: `hi` to a model `m`. */
  readonly request?: Partial<ModelRequest>
}

/** A scripted server and a provider that speaks to it. */
export interface TestWire extends AsyncDisposable {
  readonly server: ScriptedModel
  readonly provider: ModelProvider
  /** Asks, and reads the whole answer. */
  ask(request?: Partial<ModelRequest>): Promise<CollectedAnswer>
}

const patience = { connectMs: 5000, silenceMs: 5000, progressMs: 5000, totalMs: 5000 }

/** Starts a server that says what `script` says, and opens a provider that speaks to it as `speech` says. */
export async function startTestWire(
  speech: Speech,
  script: Script,
  { place, limits, keys = fixedKey('made-up-key'), now, maxAnswerBytes, request, ...options }: TestWireOptions = {},
): Promise<TestWire> {
  const server = await startScriptedModel(script, options)
  const usual: Place = {
    name: 'test',
    label: 'Test server',
    baseUrl: speech.wire === 'converse' ? server.url.replace(/\/v1$/, '') : server.url,
    keyHint: 'Set TEST_API_KEY.',
    isLocal: false,
    limits: () => ({ ...patience, ...limits }),
  }
  const http = createHttpClient({})
  const provider = await openProvider(speech, { place: { ...usual, ...place }, keys, http, now, maxAnswerBytes })
  const asked: ModelRequest = { model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [], ...request }
  return {
    server,
    provider,
    ask: (own) => collectAnswer(provider.stream({ ...asked, ...own }, new AbortController().signal)),
    [Symbol.asyncDispose]: () => server.close(),
  }
}
