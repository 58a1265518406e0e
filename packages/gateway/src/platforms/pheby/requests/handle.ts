import { ModelError } from '@hermes/core/models/model-error.ts'
import type { PhebyOf, PhebyRequest } from '@hermes/protocol/pheby/types.ts'
import { Refusal } from '../refusal.ts'
import { timestamp } from '../timestamp.ts'
import * as chat from './chat.ts'
import * as conversations from './conversations.ts'
import * as decisions from './decisions.ts'
import * as models from './models.ts'
import * as reasoning from './reasoning.ts'
import { answerTo } from './request.ts'
import type { AskType, Call, Handler } from './request.ts'

const handlers: { readonly [Type in AskType]: Handler<Type> } = {
  ping: async (request, { client, pheby }) =>
    client.send({ type: 'pong', ...answerTo(request), ts: timestamp(pheby.host.clock.now()) }),
  'conversation.list': conversations.list,
  'conversation.create': conversations.create,
  'conversation.open': conversations.open,
  'conversation.rename': conversations.rename,
  'conversation.delete': conversations.remove,
  'chat.send': chat.send,
  'run.cancel': chat.cancel,
  'approval.respond': decisions.approve,
  'clarify.respond': decisions.clarify,
  'models.list': models.list,
  'models.current': models.current,
  'model.set': models.set,
  'reasoning.current': reasoning.current,
  'reasoning.set': reasoning.set,
}

/** Does one request of a client and tells it what came of it. Never throws. */
export async function handle(request: PhebyRequest, call: Call): Promise<void> {
  const { client, pheby } = call
  const { request_id: requestId } = request
  if (request.type === 'hello') return client.refuse('bad_request', 'This connection has signed in', requestId)
  try {
    await handlerOf(request.type)(request, call)
  } catch (error) {
    if (pheby.ending.aborted) return
    if (error instanceof Refusal) return client.refuse(error.code, error.message, requestId)
    if (error instanceof ModelError) return client.refuse('internal_error', error.message, requestId)
    pheby.host.log.error({ request: request.type, error: String(error) }, 'a request of the app failed')
    client.refuse('internal_error', 'The server failed; try again', requestId)
  }
}

function handlerOf(type: AskType): (request: PhebyOf<PhebyRequest, AskType>, call: Call) => Promise<void> {
  // The table pairs each type with its handler; TypeScript cannot follow that through a union.
  return handlers[type] as (request: PhebyOf<PhebyRequest, AskType>, call: Call) => Promise<void>
}
