import { REASONING_CHOICES } from '@hermes/protocol/pheby/constants.ts'
import { Refusal } from '../refusal.ts'
import { timestamp } from '../timestamp.ts'
import { placeOf } from './models.ts'
import { answerTo } from './request.ts'
import type { Handler } from './request.ts'

export const current: Handler<'reasoning.current'> = async (request, { pheby, client }) => {
  const place = await placeOf(pheby, request.conversation_id)
  const { live, settings } = pheby.host.chats
  const own = place.key === undefined ? undefined : await settings.reasoning(place.key)
  const effort = own ?? (live.current.config.agent.reasoning_effort || null)
  client.send({
    type: 'reasoning.snapshot',
    ...answerTo(request),
    effort,
    enabled: effort !== 'none',
    ...place.shown,
    supported_efforts: [...REASONING_CHOICES],
    ts: timestamp(pheby.host.clock.now()),
  })
}

export const set: Handler<'reasoning.set'> = async (request, { pheby, client }) => {
  const place = await placeOf(pheby, request.conversation_id)
  const { live, settings } = pheby.host.chats
  const { effort } = request
  if (place.key === undefined) {
    const problem = await live.change([{ path: ['agent', 'reasoning_effort'], value: effort }])
    if (problem !== undefined) throw new Refusal('internal_error', problem)
  } else await settings.setReasoning(place.key, effort)
  const changed = { type: 'reasoning.changed', effort, ...place.shown } as const
  client.send({ ...changed, ...answerTo(request) })
  pheby.clients.broadcast(changed)
}
