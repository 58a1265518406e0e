import type { PhebyRequest, PhebyOf } from '@hermes/protocol/pheby/types.ts'
import type { Client } from '../client.ts'
import type { Pheby } from '../pheby.ts'
import { Refusal } from '../refusal.ts'
import type { Conversation } from '../store/conversations.ts'

/** What clients ask for after they have signed in. */
export type AskType = Exclude<PhebyRequest['type'], 'hello'>

export interface Call {
  readonly pheby: Pheby
  readonly client: Client
}

/** Does a request and tells its client. Throws `Refusal`. */
export type Handler<Type extends AskType> = (request: PhebyOf<PhebyRequest, Type>, call: Call) => Promise<void>

/** The `request_id` of an answer, where there is one. */
export function answerTo({ request_id: id }: { readonly request_id?: string | undefined }) {
  return id === undefined ? {} : { request_id: id }
}

/** Throws `Refusal` where there is no such conversation. */
export async function conversationOf(
  { conversations }: Pick<Pheby, 'conversations'>,
  id: string,
): Promise<Conversation> {
  const found = await conversations.find(id)
  if (!found) throw new Refusal('conversation_not_found', 'Conversation not found')
  return found
}
