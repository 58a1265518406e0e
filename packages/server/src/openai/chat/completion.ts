import { randomUUID } from 'node:crypto'
import type { NumberedEvent, TurnStatus } from '@hermes/core/agent/events.ts'
import type { Exchange } from '../../http/exchange.ts'
import { HttpError } from '../../http/http-error.ts'
import { sessionHeaders } from '../api.ts'
import type { Api } from '../api.ts'
import { failureError } from '../error-body.ts'
import { chatUsage } from '../usage.ts'
import type { ApiTurn } from '../turns/api-turn.ts'
import type { ClaimedSession } from '../turns/sessions.ts'
import type { ChatRequest } from './chat-request.ts'

/** What all chunks of an answer have in common. */
export interface AnswerHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

export function answerHead({ agent, settings }: Api, { model }: ChatRequest): AnswerHead {
  return {
    id: `chatcmpl-${randomUUID().replaceAll('-', '').slice(0, 29)}`,
    created: Math.floor(agent.clock.now() / 1000),
    model: model ?? settings.modelName,
  }
}

/** The session of a request: the one that it names, else that of its conversation. */
export function claimSession(
  { sessions }: Api,
  request: ChatRequest,
  named: string | undefined,
  signal: AbortSignal,
): Promise<ClaimedSession> {
  return named === undefined ? sessions.forConversation(request.conversation) : sessions.claim(named, signal)
}

/** The turn that answers a request in its session. One that is named holds by itself what came before. */
export function turnOf(
  session: ClaimedSession,
  { conversation, message, earlierImages }: ChatRequest,
  named: string | undefined,
): ApiTurn {
  const images = named === undefined ? earlierImages : []
  const { id: sessionId, isNew } = session
  return { sessionId, isNew, message, earlierImages: images, system: conversation.system }
}

export function finishReason(status: TurnStatus): 'stop' | 'length' {
  return status === 'incomplete' ? 'length' : 'stop'
}

/** The end of a turn that is to be answered. Throws `HttpError` for one that failed. */
export function checkedEnd(
  end: Extract<NumberedEvent, { type: 'turn-end' }> | undefined,
): Extract<NumberedEvent, { type: 'turn-end' }> {
  if (!end || end.status === 'cancelled') throw new HttpError(500, 'cancelled', 'The turn was cancelled.')
  if (end.status === 'failed') throw failureError(end.failure ?? { code: 'internal', message: 'The turn failed.' })
  return end
}

interface Completion {
  readonly sessionId: string
  readonly body: unknown
}

/** Answers in one piece. */
export async function complete(
  exchange: Exchange,
  api: Api,
  request: ChatRequest,
  { named, key }: { readonly named: string | undefined; readonly key: string | undefined },
): Promise<void> {
  const work = (signal: AbortSignal) => runOnce(api, request, named, signal)
  const { sessionId, body } = await (key === undefined
    ? work(exchange.signal)
    : api.idempotent.run(`chat ${key}`, { request, named }, work, exchange.signal))
  exchange.send(200, body, sessionHeaders(sessionId))
}

async function runOnce(
  api: Api,
  request: ChatRequest,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Completion> {
  const head = answerHead(api, request)
  using session = await claimSession(api, request, named, signal)
  let sessionId = session.id
  let last: Extract<NumberedEvent, { type: 'turn-end' }> | undefined
  for await (const event of api.turns.run(turnOf(session, request, named), signal)) {
    if (event.type === 'compaction') sessionId = event.sessionId
    if (event.type === 'turn-end') last = event
  }
  signal.throwIfAborted()
  const end = checkedEnd(last)
  const content = end.text.trim() === '' ? '(The agent has answered nothing.)' : end.text
  if (named === undefined) api.sessions.remember(request.conversation, content, sessionId)
  return {
    sessionId: session.id,
    body: {
      id: head.id,
      object: 'chat.completion',
      created: head.created,
      model: head.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, refusal: null },
          logprobs: null,
          finish_reason: finishReason(end.status),
        },
      ],
      usage: chatUsage(end.usage),
    },
  }
}
