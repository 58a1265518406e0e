import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { HttpError } from '../../http/http-error.ts'
import { earlierImages, readContent } from '../content.ts'
import type { Said } from '../content.ts'
import { invalidBody } from '../invalid-body.ts'
import type { TextMessage } from '../turns/conversation.ts'

const message = lazily(() => z.looseObject({ role: z.string(), content: z.unknown() }))

const historyField = lazily(() => z.array(message()).nullish())

const responseBody = lazily(() =>
  z.looseObject({
    input: z.union([z.string(), z.array(z.unknown())]),
    instructions: z.string().nullish(),
    previous_response_id: z.string().nullish(),
    conversation: z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)]).nullish(),
    conversation_history: historyField(),
    store: z.boolean().nullish(),
    stream: z.boolean().nullish(),
    truncation: z.string().nullish(),
    model: z.string().nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    session_id: z.string().nullish(),
  }),
)

/** What is asked for by `/v1/responses` and `/v1/runs`. */
export interface ResponseRequest {
  readonly message: Said
  /** Images of messages that the request holds before the last one, oldest first. */
  readonly earlierImages: readonly string[]
  /** Messages of the input before the last one. */
  readonly earlier: readonly TextMessage[]
  /** The client's own history, which goes before that of the previous response. */
  readonly history: readonly TextMessage[] | undefined
  readonly instructions: string | undefined
  readonly previousId: string | undefined
  readonly conversation: string | undefined
  readonly sessionId: string | undefined
  readonly store: boolean
  readonly isStream: boolean
  /** Of a long history only the last messages are used. */
  readonly isTruncated: boolean
  readonly model: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Throws `HttpError`. */
export function readResponseRequest(body: unknown): ResponseRequest {
  const parsed = responseBody().safeParse(body)
  if (!parsed.success) throw invalidBody(parsed.error, body)
  const { data } = parsed
  if (data.conversation && data.previous_response_id) {
    throw invalid('Give conversation or previous_response_id, not both.', 'conversation')
  }
  const { systems, talk } = readInput(data.input)
  const last = talk.at(-1)
  if (last?.role !== 'user' || (last.text.trim() === '' && last.images.length === 0)) {
    throw invalid('input must end with a message of a user that has a text.', 'input')
  }
  const history = data.conversation_history?.flatMap((one, index) =>
    readMessages(one, `conversation_history[${index}]`),
  )
  const instructions = [data.instructions ?? '', ...systems].filter((text) => text !== '').join('\n')
  const earlier = talk.slice(0, -1)
  return {
    message: { text: last.text, images: last.images },
    earlierImages: earlierImages([...(history ?? []), ...earlier], last),
    earlier: earlier.map(textOf),
    history: history?.map(textOf),
    instructions: instructions === '' ? undefined : instructions,
    previousId: data.previous_response_id ?? undefined,
    conversation: data.conversation ?? undefined,
    sessionId: data.session_id ?? undefined,
    store: data.store !== false,
    isStream: data.stream === true,
    isTruncated: data.truncation === 'auto',
    model: data.model ?? undefined,
    metadata: data.metadata ?? {},
  }
}

interface Input {
  readonly systems: readonly string[]
  readonly talk: readonly (TextMessage & Said)[]
}

function readInput(input: string | readonly unknown[]): Input {
  if (typeof input === 'string') return { systems: [], talk: [{ role: 'user', text: input, images: [] }] }
  const systems: string[] = []
  const talk: (TextMessage & Said)[] = []
  for (const [index, item] of input.entries()) {
    const param = `input[${index}]`
    const found = message().safeParse(item)
    if (!found.success) {
      // A bare text or part is the user's; items of other kinds (calls and their results) are no messages.
      const said = readContent(item, param)
      if (said.text !== '' || said.images.length > 0) talk.push({ role: 'user', ...said })
      continue
    }
    const { role } = found.data
    const said = readContent(found.data.content, param)
    if (role === 'system' || role === 'developer') systems.push(said.text)
    else if (role === 'user' || role === 'assistant') talk.push({ role, ...said })
  }
  return { systems, talk }
}

function readMessages({ role, content }: z.infer<ReturnType<typeof message>>, param: string): (TextMessage & Said)[] {
  return role === 'user' || role === 'assistant' ? [{ role, ...readContent(content, param) }] : []
}

function textOf({ role, text }: TextMessage): TextMessage {
  return { role, text }
}

function invalid(text: string, param: string): HttpError {
  return new HttpError(400, 'invalid_request', text, { param })
}
