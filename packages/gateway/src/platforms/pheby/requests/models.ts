import { ConfigError } from '@hermes/core/config/config-error.ts'
import { ModelError } from '@hermes/core/models/model-error.ts'
import type { ResolvedModel } from '@hermes/core/models/model.ts'
import { REASONING_EFFORTS } from '@hermes/protocol/pheby/constants.ts'
import { sourceOf } from '../pheby.ts'
import type { Pheby } from '../pheby.ts'
import { Refusal } from '../refusal.ts'
import { timestamp } from '../timestamp.ts'
import { answerTo, conversationOf } from './request.ts'
import type { Handler } from './request.ts'

/** Models of one provider that are listed. */
const maxListed = 500

/** Longest that providers may take to tell what they have, ms. */
const listMs = 20_000

export const list: Handler<'models.list'> = async (request, { pheby, client }) => {
  const place = await placeOf(pheby, request.conversation_id)
  const { usableProviders } = await import('@hermes/core/models/choice/listed-models.ts')
  const { knownProviders } = await import('@hermes/core/models/providers/registry.ts')
  const signal = AbortSignal.any([pheby.ending, AbortSignal.timeout(listMs)])
  const agent = pheby.host.chats.live.current
  const current = await currentModel(pheby, place.key, signal)
  const facts = knownProviders({ environment: agent.environment })
  const lists = await usableProviders(agent, signal)
  client.send({
    type: 'models.snapshot',
    ...answerTo(request),
    providers: lists.map(({ provider, models }) => ({
      slug: provider,
      name: facts.get(provider)?.label ?? provider,
      is_current: provider === current.provider,
      models: models.slice(0, maxListed).map(({ id }) => id),
      total_models: models.length,
    })),
    current_model: current.model,
    current_provider: current.provider,
    ...place.shown,
    supported_reasoning_efforts: [...REASONING_EFFORTS],
    ts: timestamp(pheby.host.clock.now()),
  })
}

export const current: Handler<'models.current'> = async (request, { pheby, client }) => {
  const place = await placeOf(pheby, request.conversation_id)
  const signal = AbortSignal.any([pheby.ending, AbortSignal.timeout(listMs)])
  client.send({
    type: 'model.current',
    ...answerTo(request),
    ...(await currentModel(pheby, place.key, signal)),
    ...place.shown,
    ts: timestamp(pheby.host.clock.now()),
  })
}

export const set: Handler<'model.set'> = async (request, { pheby, client }) => {
  const place = await placeOf(pheby, request.conversation_id)
  const { host, clients, ending } = pheby
  const { certainReference } = await import('@hermes/core/models/model-reference.ts')
  const { live, settings } = host.chats
  const wanted = request.provider === undefined ? request.model : certainReference(request.provider, request.model)
  const signal = AbortSignal.any([ending, AbortSignal.timeout(listMs)])
  const resolved = await resolve(pheby, wanted, signal)
  if (place.key === undefined) {
    const { configureModel } = await import('@hermes/core/models/choice/configure-model.ts')
    try {
      await configureModel(resolved, live.current, signal)
    } catch (error) {
      if (error instanceof ConfigError) throw new Refusal('bad_request', error.message)
      throw error
    }
    const problem = await live.change([])
    if (problem !== undefined) throw new Refusal('internal_error', problem)
  } else await settings.setModel(place.key, certainReference(resolved.provider.name, resolved.model))
  const changed = { type: 'model.changed', ...namesOf(resolved), ...place.shown } as const
  client.send({ ...changed, ...answerTo(request) })
  clients.broadcast(changed)
}

/** What a value holds for: a conversation that there is, or all of them. */
export async function placeOf(pheby: Pheby, conversationId: string | undefined) {
  if (conversationId === undefined) return { key: undefined, shown: { scope: 'global' } } as const
  const { id } = await conversationOf(pheby, conversationId)
  const shown = { scope: 'conversation', conversation_id: id } as const
  return { key: pheby.host.sessionKey(sourceOf(id)), shown }
}

/** What the next run would use. */
async function currentModel({ host }: Pheby, key: string | undefined, signal: AbortSignal) {
  const { live, settings } = host.chats
  const chosen = key === undefined ? undefined : await settings.model(key)
  try {
    return namesOf(await live.current.models.resolve(chosen, signal))
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    // It cannot be used as it is; what is set is what people want to see and change.
    const { default: model, provider } = live.current.config.model
    return { model: chosen ?? model ?? '', provider: provider ?? '' }
  }
}

async function resolve({ host }: Pheby, reference: string, signal: AbortSignal): Promise<ResolvedModel> {
  try {
    return await host.chats.live.current.models.resolve(reference, signal)
  } catch (error) {
    if (error instanceof ModelError) throw new Refusal('bad_request', `model: ${error.message}`)
    throw error
  }
}

function namesOf({ provider, model }: ResolvedModel) {
  return { model, provider: provider.name }
}
