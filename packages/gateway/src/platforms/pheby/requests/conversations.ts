import { DEFAULT_HISTORY_MESSAGES, MAX_HISTORY_MESSAGES } from '@hermes/protocol/pheby/constants.ts'
import { listed, nameOf } from '../conversation-view.ts'
import { deleteConversation } from '../delete-conversation.ts'
import { sendSnapshot } from '../snapshot.ts'
import { answerTo, conversationOf } from './request.ts'
import type { Handler } from './request.ts'

export const list: Handler<'conversation.list'> = async (request, { pheby, client }) => {
  const all = await pheby.conversations.list()
  const conversations = await Promise.all(all.map((one) => listed(pheby, one)))
  client.send({ type: 'conversation.snapshot', ...answerTo(request), conversations })
}

export const create: Handler<'conversation.create'> = async (request, { pheby, client }) => {
  const conversation = await pheby.conversations.create(request.name ?? '')
  const told = { conversation_id: conversation.id, name: nameOf(conversation) }
  client.send({ type: 'conversation.created', ...told, ...answerTo(request) })
  pheby.clients.broadcast({ type: 'conversation.updated', ...told })
}

export const open: Handler<'conversation.open'> = async (request, { pheby, client }) => {
  const { id: conversationId } = await conversationOf(pheby, request.conversation_id)
  const limit = Math.min(request.limit ?? DEFAULT_HISTORY_MESSAGES, MAX_HISTORY_MESSAGES)
  await sendSnapshot(pheby, { conversationId, limit }, (snapshot) => client.send({ ...snapshot, ...answerTo(request) }))
}

export const rename: Handler<'conversation.rename'> = async (request, { pheby, client }) => {
  const { id } = await conversationOf(pheby, request.conversation_id)
  await pheby.conversations.rename(id, request.name)
  const renamed = { type: 'conversation.renamed', conversation_id: id, name: request.name } as const
  client.send({ ...renamed, ...answerTo(request) })
  pheby.clients.broadcast(renamed)
}

export const remove: Handler<'conversation.delete'> = async (request, { pheby, client }) => {
  const { id } = await conversationOf(pheby, request.conversation_id)
  await deleteConversation(pheby, id)
  const deleted = { type: 'conversation.deleted', conversation_id: id } as const
  client.send({ ...deleted, ...answerTo(request) })
  pheby.clients.broadcast(deleted, client)
}
