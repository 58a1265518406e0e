import { randomBytes } from 'node:crypto'
import type { TurnEvent } from '@hermes/core/agent/events.ts'
import type { Usage } from '@hermes/core/models/model.ts'
import { responseUsage } from '../usage.ts'
import { createShownText } from '../turns/shown-text.ts'

/** An event of the responses wire, without its number. https://platform.openai.com/docs/api-reference/responses-streaming */
export interface ResponseEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** A response as clients read it. */
export interface ResponseObject {
  readonly id: string
  readonly status: string
  readonly [field: string]: unknown
}

/** What does not change while a response comes. */
export interface ResponseHead {
  readonly id: string
  /** Seconds. */
  readonly createdAt: number
  readonly model: string
  readonly instructions: string
  readonly previousId: string | undefined
  readonly store: boolean
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A response that grows with its turn. */
export interface ResponseOutput {
  /** The first two events. */
  begin(): readonly ResponseEvent[]
  push(event: TurnEvent): readonly ResponseEvent[]
  /** As it is now. */
  response(): ResponseObject
}

type Item = Readonly<Record<string, unknown>>

export function createResponseOutput(head: ResponseHead): ResponseOutput {
  const output: Item[] = []
  const shown = createShownText()
  let status = 'in_progress'
  let failure: string | undefined
  let usage: Usage | undefined
  /** The message that grows now. */
  let message: { readonly id: string; text: string } | undefined

  const response = (): ResponseObject => ({
    id: head.id,
    object: 'response',
    created_at: head.createdAt,
    status,
    error: failure === undefined ? null : { code: 'server_error', message: failure },
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: head.instructions || null,
    metadata: head.metadata,
    model: head.model,
    output: [...output],
    parallel_tool_calls: true,
    previous_response_id: head.previousId ?? null,
    store: head.store,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    usage: usage ? responseUsage(usage) : null,
  })

  const whole = (item: Item): readonly ResponseEvent[] => {
    output.push(item)
    const place = { output_index: output.length - 1, item }
    return [
      { type: 'response.output_item.added', ...place },
      { type: 'response.output_item.done', ...place },
    ]
  }

  const messageItem = (id: string, text: string, state: string): Item => ({
    id,
    type: 'message',
    status: state,
    role: 'assistant',
    content: state === 'in_progress' ? [] : [outputText(text)],
  })

  /** Text goes on in the message that grows, or begins one. */
  function say(text: string): readonly ResponseEvent[] {
    if (text === '') return []
    const events: ResponseEvent[] = []
    let delta = text
    if (!message) {
      // Between messages of their own no empty line is needed.
      delta = text.replace(/^\n+/, '')
      if (delta === '') return []
      message = { id: `msg_${randomBytes(14).toString('hex')}`, text: '' }
      events.push(
        {
          type: 'response.output_item.added',
          output_index: output.length,
          item: messageItem(message.id, '', 'in_progress'),
        },
        { type: 'response.content_part.added', ...place(message.id), part: outputText('') },
      )
    }
    message.text += delta
    events.push({ type: 'response.output_text.delta', ...place(message.id), delta, logprobs: [] })
    return events
  }

  function endMessage(): readonly ResponseEvent[] {
    if (!message) return []
    const { id, text } = message
    const item = messageItem(id, text, 'completed')
    const at = place(id)
    message = undefined
    output.push(item)
    return [
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: outputText(text) },
      { type: 'response.output_item.done', output_index: at.output_index, item },
    ]
  }

  const place = (itemId: string) => ({ item_id: itemId, output_index: output.length, content_index: 0 })

  function call({ callId, name, args }: Extract<TurnEvent, { type: 'tool-start' }>): readonly ResponseEvent[] {
    const id = `fc_${randomBytes(14).toString('hex')}`
    const json = JSON.stringify(args ?? {})
    const item = { id, type: 'function_call', call_id: callId, name, arguments: json, status: 'completed' }
    const at = { item_id: id, output_index: output.length }
    const [added, done] = whole(item)
    return [
      { ...added, type: 'response.output_item.added', item: { ...item, arguments: '', status: 'in_progress' } },
      { type: 'response.function_call_arguments.delta', ...at, delta: json },
      { type: 'response.function_call_arguments.done', ...at, name, arguments: json },
      ...(done ? [done] : []),
    ]
  }

  return {
    response,
    begin: () => [
      { type: 'response.created', response: response() },
      { type: 'response.in_progress', response: response() },
    ],
    push(event) {
      const said = say(shown.push(event))
      if (event.type === 'answer-end') return [...said, ...endMessage()]
      if (event.type === 'tool-start') return [...said, ...endMessage(), ...call(event)]
      if (event.type === 'tool-end') {
        const { callId, content } = event
        const id = `fco_${randomBytes(14).toString('hex')}`
        return whole({ id, type: 'function_call_output', call_id: callId, output: content, status: 'completed' })
      }
      if (event.type !== 'turn-end') return said
      const ended = [...said, ...endMessage()]
      const isFailed = event.status === 'failed' || event.status === 'cancelled'
      status = isFailed ? 'failed' : event.status
      failure = isFailed ? (event.failure?.message ?? 'The turn was cancelled.') : undefined
      usage = event.usage
      return [...ended, { type: `response.${status}`, response: response() }]
    },
  }
}

function outputText(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}
