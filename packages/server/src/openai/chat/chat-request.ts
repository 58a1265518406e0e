import { z } from 'zod'
import { HttpError } from '../../http/http-error.ts'
import { earlierImages, readContent } from '../content.ts'
import type { Said } from '../content.ts'
import { invalidBody } from '../invalid-body.ts'
import type { HeldConversation } from '../turns/sessions.ts'
import type { TextMessage } from '../turns/conversation.ts'

const chatBody = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  model: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  session_id: z.string().nullish(),
})

/** A chat completion that is asked for. What else clients send is of no use to an agent, and ignored. */
export interface ChatRequest {
  readonly conversation: HeldConversation
  readonly message: Said
  /** Images of the messages before, oldest first. */
  readonly earlierImages: readonly string[]
  /** Echoed in the answer. */
  readonly model: string | undefined
  readonly isStream: boolean
  /** Usage comes in a chunk of its own. */
  readonly wantsUsageChunk: boolean
  readonly sessionId: string | undefined
}

const goOn = 'Go on exactly where your last answer stopped; repeat nothing.'

/** Throws `HttpError`. */
export function readChatRequest(body: unknown): ChatRequest {
  const parsed = chatBody.safeParse(body)
  if (!parsed.success) throw invalidBody(parsed.error, body)
  const { messages, model, stream, stream_options: options, session_id: sessionId } = parsed.data
  if (messages.length === 0) throw invalid('messages must have at least one message.', 'messages')
  const systems: string[] = []
  const talk: (TextMessage & Said)[] = []
  for (const [index, { role, content }] of messages.entries()) {
    const said = readContent(content, `messages[${index}].content`)
    if (role === 'system' || role === 'developer') {
      if (said.text !== '') systems.push(said.text)
    } else if (role === 'user' || (role === 'assistant' && said.text !== '')) talk.push({ role, ...said })
  }
  const last = talk.at(-1)
  // A client that wants an answer to go on sends it as the last message.
  const message = last?.role === 'assistant' ? { text: goOn, images: [] } : last
  if (!message || (message.text.trim() === '' && message.images.length === 0)) {
    throw invalid('There is no message of a user with a text.', 'messages')
  }
  const history = last?.role === 'assistant' ? talk : talk.slice(0, -1)
  return {
    conversation: {
      system: systems.join('\n'),
      history: history.map(({ role, text }) => ({ role, text })),
      text: message.text,
    },
    message,
    earlierImages: earlierImages(history, message),
    model: model ?? undefined,
    isStream: stream === true,
    wantsUsageChunk: options?.include_usage === true,
    sessionId: sessionId ?? undefined,
  }
}

function invalid(message: string, param: string): HttpError {
  return new HttpError(400, 'invalid_request', message, { param })
}
