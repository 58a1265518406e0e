import { ModelError } from '../model-error.ts'
import type { ModelProvider } from '../model.ts'
import type { Place } from '../wire/place.ts'
import type { Endpoint } from './endpoints.ts'
import { canChat } from './local-servers.ts'
import type { UserEndpoint } from './user-endpoints.ts'

export interface PickedModel {
  readonly model: string
  /** For people, when the choice was ours. */
  readonly notice: string | undefined
}

/** Most names of models in a message. */
const mostNames = 8

/**
 * A model for a provider when nobody named one: that of the person's endpoint, the provider's usual one, or what its
 * server lists: the first on one's own machine, elsewhere the only one.
 */
export async function pickModel(
  endpoint: Endpoint,
  own: UserEndpoint | undefined,
  provider: ModelProvider,
  signal: AbortSignal,
): Promise<PickedModel> {
  const { place, facts } = endpoint
  if (own?.model !== undefined) return { model: own.model, notice: undefined }
  if (!own && facts.defaultModel !== undefined) return ours(facts.defaultModel, place)
  const models = ((await provider.models?.(signal)) ?? []).filter(canChat).map((model) => model.id)
  const [first] = models
  if (first !== undefined && (place.isLocal || models.length === 1)) return ours(first, place)
  const list = models.slice(0, mostNames).join(', ')
  const more = models.length > mostNames ? ' …' : ''
  const serves = first === undefined ? 'It lists none.' : `It serves: ${list}${more}`
  throw new ModelError('not-configured', `Name a model of ${place.label}: set model.default. ${serves}`)
}

function ours(model: string, { label, isLocal, baseUrl }: Place): PickedModel {
  const where = isLocal ? ` at ${baseUrl}` : ''
  const notice = `No model is configured; using ${model} of ${label}${where}. Choose one with: hermes config set model.default NAME`
  return { model, notice }
}
