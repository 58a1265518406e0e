import { randomBytes } from 'node:crypto'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { TranscriptMessage } from '@hermes/core/models/transcript.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Api } from '../api.ts'
import { lastImages } from '../content.ts'
import { failureError } from '../error-body.ts'
import { transcriptMessage } from '../turns/sessions.ts'
import type { KnownSession } from '../turns/sessions.ts'
import { createResponseOutput } from './response-output.ts'
import type { ResponseEvent, ResponseObject } from './response-output.ts'
import type { ResponseRequest } from './response-request.ts'
import type { ResponseStore, StoredResponse } from './response-store.ts'
import { fromWireHistory, toWireHistory } from './wire-history.ts'

/** Messages of a history that `truncation: auto` leaves. */
const truncatedLength = 100

export interface ResponseWork {
  readonly api: Api
  readonly store: ResponseStore
  readonly request: ResponseRequest
  /** Called before the turn begins, and for each event. */
  readonly onEvents?: (events: readonly ResponseEvent[]) => Promise<void>
}

/** Makes one response and stores it. Throws `HttpError` where it cannot begin; a turn that failed is in the response. */
export async function runResponse(
  { api, store, request, onEvents }: ResponseWork,
  signal: AbortSignal,
): Promise<{ readonly response: ResponseObject; readonly error?: HttpError }> {
  // One request at a time goes on from a conversation's end.
  using _turn =
    request.conversation === undefined
      ? undefined
      : await api.sessions.claim(`conversation ${request.conversation}`, signal)
  const previous = await findPrevious(store, request)
  const instructions = request.instructions ?? previous?.instructions ?? ''
  using session = await sessionOf(api, request, previous)
  const output = createResponseOutput({
    id: `resp_${randomBytes(14).toString('hex')}`,
    createdAt: Math.floor(api.agent.clock.now() / 1000),
    model: request.model ?? api.settings.modelName,
    instructions,
    previousId: request.previousId,
    store: request.store,
    metadata: request.metadata,
  })
  let sessionId = session.id
  let end: Extract<NumberedEvent, { type: 'turn-end' }> | undefined
  const { message } = request
  const earlierImages = await imagesBefore(store, request, previous)
  const turn = { sessionId, message, earlierImages, system: instructions }
  for await (const event of api.turns.run(turn, signal)) {
    if (event.type === 'turn-start') await onEvents?.(output.begin())
    if (event.type === 'compaction') sessionId = event.sessionId
    const events = output.push(event)
    if (event.type === 'turn-end') {
      signal.throwIfAborted()
      end = event
      // Stored before the client hears of the end: its next request may name it at once.
      if (request.store && event.status !== 'failed') {
        const images = [...earlierImages, ...message.images]
        await keep({ api, store, request }, { response: output.response(), instructions, sessionId, images })
      }
    }
    if (events.length > 0) await onEvents?.(events)
  }
  const failure = end?.failure ?? { code: 'internal', message: 'The turn failed.' }
  return { response: output.response(), ...(end?.status === 'failed' && { error: failureError(failure) }) }
}

async function findPrevious(
  store: ResponseStore,
  { previousId, conversation, history }: ResponseRequest,
): Promise<StoredResponse | undefined> {
  if (history) return undefined
  const id = previousId ?? (conversation === undefined ? undefined : await store.latest(conversation))
  const previous = id === undefined ? undefined : await store.get(id)
  if (previousId !== undefined && !previous) {
    throw new HttpError(404, 'previous_response_not_found', `There is no response ${previousId}.`, {
      param: 'previous_response_id',
    })
  }
  return previous
}

/** The session goes on that the previous response ended in; one with the same history begins where that has moved on. */
function sessionOf({ sessions }: Api, request: ResponseRequest, previous: StoredResponse | undefined) {
  const before = historyOf(request, previous)
  const history = request.isTruncated ? lastOf(before) : before
  const isWhole = request.earlier.length === 0 && history.length === before.length
  return sessions.continuing(isWhole ? knownSession(previous) : undefined, history)
}

/** What was said before the message that is to be answered. */
export function historyOf(
  { history, earlier }: ResponseRequest,
  previous: StoredResponse | undefined,
): readonly TranscriptMessage[] {
  const before = history?.map(transcriptMessage) ?? fromWireHistory(previous?.conversation_history ?? [])
  return [...before, ...earlier.map(transcriptMessage)]
}

/** The images of a conversation before the message that is to be answered; see `lastImages`. */
export async function imagesBefore(
  store: ResponseStore,
  { earlierImages, message }: ResponseRequest,
  previous: StoredResponse | undefined,
): Promise<readonly string[]> {
  const kept = previous?.has_images === true ? await store.images(previous.response.id) : []
  return lastImages([...kept, ...earlierImages], message)
}

/** The session that a response ended in, where it was one of ours. */
export function knownSession(previous: StoredResponse | undefined): KnownSession | undefined {
  const { session_id: id, message_count: messageCount } = previous ?? {}
  return id === undefined || messageCount === undefined ? undefined : { id, messageCount }
}

/** The last messages, from one of the user's on. */
function lastOf(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  if (messages.length <= truncatedLength) return messages
  const last = messages.slice(-truncatedLength)
  return last.slice(
    Math.max(
      0,
      last.findIndex(({ role }) => role === 'user'),
    ),
  )
}

async function keep(
  { api, store, request }: ResponseWork,
  made: {
    readonly response: ResponseObject
    readonly instructions: string
    readonly sessionId: string
    readonly images: readonly string[]
  },
): Promise<void> {
  const messages = await api.agent.sessions.messages(made.sessionId)
  const stored = {
    response: made.response,
    conversation_history: toWireHistory(messages.map(({ message }) => message)),
    instructions: made.instructions,
    session_id: made.sessionId,
    message_count: messages.length,
  }
  await store.put(stored, { conversation: request.conversation, images: made.images })
}
