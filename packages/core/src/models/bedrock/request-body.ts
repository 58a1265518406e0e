import { possibleEffort, thinkingFields } from '../anthropic/thinking.ts'
import type { ModelRequest } from '../model.ts'
import { familyOutputLimit } from '../model-limits.ts'
import type { Fields } from '../wire/json-fields.ts'
import { toConverseMessages } from './messages.ts'

/** What the server turned out not to take, and is left out of a second try. */
export interface Leniency {
  readonly dropThinking?: boolean
}

const cachePoint = { cachePoint: { type: 'default' } }

/** User messages at the end that are kept in the cache; with tools and system these are the four points allowed. */
const cachedMessages = 2

/**
 * The body of a streaming call, https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 * What grows from call to call comes last.
 */
export function requestBody(request: ModelRequest, { dropThinking = false }: Leniency = {}): Fields {
  const { tools } = request
  const model = makersName(request.model)
  const isCached = cachesPrompts(model)
  const system = request.messages[0]?.role === 'system' ? request.messages[0].content : ''
  const point = isCached ? [cachePoint] : []
  return {
    ...limits(request, model, dropThinking),
    ...(tools.length > 0 && {
      toolConfig: {
        tools: [
          ...tools.map(({ name, description, parameters }) => ({
            toolSpec: { name, description, inputSchema: { json: parameters } },
          })),
          ...point,
        ],
      },
    }),
    ...(system.trim() !== '' && { system: [{ text: system }, ...point] }),
    messages: toConverseMessages(request.messages, !dropThinking).map((message, at, all) =>
      isCached && message.role === 'user' && at >= all.length - 2 * cachedMessages
        ? { ...message, content: [...message.content, cachePoint] }
        : message,
    ),
  }
}

/** A model as its maker names it: without region and vendor, e.g. `claude-sonnet-4-5-20250929-v1:0`. */
function makersName(model: string): string {
  return model.replace(/^.*[./](?=claude|nova)/, '')
}

function cachesPrompts(model: string): boolean {
  return /^claude-(3-7|(opus|sonnet|haiku)-[4-9])|^nova/.test(model)
}

/** How much is thought and said. Only Claude is asked for an effort. */
function limits(request: ModelRequest, model: string, dropThinking: boolean): Fields {
  const limit = familyOutputLimit(model)
  const wanted = request.maxOutputTokens ?? limit
  if (wanted === undefined) return {}
  const effort = dropThinking || !model.startsWith('claude') ? undefined : possibleEffort(request)
  const { max_tokens: maxTokens, ...thinking } = thinkingFields(model, effort, wanted, limit ?? wanted)
  return {
    inferenceConfig: { maxTokens },
    ...(Object.keys(thinking).length > 0 && { additionalModelRequestFields: thinking }),
  }
}
