// Tool progress goes out as chunks without choices and with a field of ours. A named event with another shape, which
// upstream sends, reaches users of the official clients as a chunk that has no `choices` at all, and breaks them.
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { EventStream } from '../../http/event-stream.ts'
import type { Exchange } from '../../http/exchange.ts'
import { sessionHeaders } from '../api.ts'
import type { Api } from '../api.ts'
import { errorBody, failureError } from '../error-body.ts'
import { createShownText } from '../turns/shown-text.ts'
import { chatUsage } from '../usage.ts'
import type { ChatRequest } from './chat-request.ts'
import { answerHead, claimSession, finishReason, turnOf } from './completion.ts'

/** Answers piece by piece. */
export async function streamCompletion(
  exchange: Exchange,
  api: Api,
  request: ChatRequest,
  named: string | undefined,
): Promise<void> {
  const { signal } = exchange
  const { id, created, model } = answerHead(api, request)
  const head = { id, object: 'chat.completion.chunk', created, model }
  const delta = (fields: unknown) => ({
    ...head,
    choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: null }],
  })
  using session = await claimSession(api, request, named, signal)
  const shown = createShownText()
  let sessionId = session.id
  let stream: EventStream | undefined
  for await (const event of api.turns.run(turnOf(session, request, named), signal)) {
    if (!stream) {
      stream = exchange.stream({ headers: sessionHeaders(session.id), keepAliveMs: api.keepAliveMs })
      await stream.send(delta({ role: 'assistant', content: '' }))
    }
    const text = shown.push(event)
    if (text !== '') await stream.send(delta({ content: text }))
    if (event.type === 'reasoning-delta') await stream.send(delta({ reasoning_content: event.text }))
    const progress = toolProgress(event)
    if (progress) await stream.send({ ...head, choices: [], hermes: progress })
    if (event.type === 'compaction') sessionId = event.sessionId
    if (event.type === 'turn-end') {
      signal.throwIfAborted()
      const failure = event.status === 'failed' ? event.failure : undefined
      if (failure) await stream.send(errorBody(failureError(failure)))
      else {
        if (named === undefined) api.sessions.remember(request.conversation, shown.text, sessionId)
        const usage = chatUsage(event.usage)
        await stream.send({
          ...head,
          choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: finishReason(event.status) }],
          ...(!request.wantsUsageChunk && { usage }),
        })
        if (request.wantsUsageChunk) await stream.send({ ...head, choices: [], usage })
      }
    }
  }
  stream?.end('data: [DONE]\n\n')
}

function toolProgress(event: NumberedEvent): Readonly<Record<string, unknown>> | undefined {
  if (event.type === 'tool-start' && !event.name.startsWith('_')) {
    return { type: 'tool.started', call_id: event.callId, tool: event.name, label: event.preview || event.name }
  }
  if (event.type === 'tool-end' && !event.name.startsWith('_')) {
    const duration = Math.round(event.durationMs) / 1000
    return { type: 'tool.completed', call_id: event.callId, tool: event.name, duration, error: event.status !== 'ok' }
  }
  return undefined
}
