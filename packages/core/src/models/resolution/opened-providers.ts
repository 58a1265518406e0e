import type { KeptAddresses } from '../keys/find-address.ts'
import type { Keys } from '../keys/keys.ts'
import type { ModelInfo, ModelProvider } from '../model.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { RateLimitBook } from '../rate-limits.ts'
import { openProvider } from '../speech.ts'
import type { Endpoint } from './endpoints.ts'

/** The providers in use, each opened once, and what their servers told of their models. */
export interface OpenedProviders {
  /** The provider that serves a model at an endpoint. */
  open(endpoint: Endpoint, model: string): Promise<ModelProvider>
  /** What a server said of a model, when it was asked for its models for some other reason. */
  told(baseUrl: string, model: string): ModelInfo | undefined
  /** Keeps what a server listed. */
  keep(baseUrl: string, models: readonly ModelInfo[]): void
}

/** Most models that are kept: the largest server lists several hundred. */
const mostKept = 5000

export function createOpenedProviders(
  http: HttpClient,
  rateLimits: RateLimitBook,
  addresses: KeptAddresses,
): OpenedProviders {
  const opened = new Map<string, ModelProvider>()
  const kept = new Map<string, ModelInfo>()
  const keep = (baseUrl: string, models: readonly ModelInfo[]): void => {
    for (const model of models) {
      if (kept.size < mostKept) kept.set(`${baseUrl} ${model.id}`, model)
    }
  }
  /** Where nobody says which of the provider's addresses is meant, the key does. */
  const keysOf = async ({ facts, isPlaced, keys }: Endpoint): Promise<Keys> => {
    if (!facts.addresses || isPlaced) return keys
    const { createAddressFinder } = await import('../keys/find-address.ts')
    const { locatedKeys } = await import('../keys/located-keys.ts')
    const finder = createAddressFinder({ provider: facts.name, addresses: facts.addresses, http, kept: addresses })
    return locatedKeys(keys, finder)
  }
  return {
    keep,
    told: (baseUrl, model) => kept.get(`${baseUrl} ${model}`),
    open: async (endpoint, model) => {
      const { place, keyName, speech } = endpoint
      const spoken = speech(model)
      const key = `${place.name} ${place.baseUrl} ${keyName} ${spoken.wire}`
      const known = opened.get(key)
      if (known) return known
      const provider = await openProvider(spoken, { place, keys: await keysOf(endpoint), http, rateLimits })
      const keeping: ModelProvider = {
        ...provider,
        models: async (signal) => {
          const models = (await provider.models?.(signal)) ?? []
          keep(place.baseUrl, models)
          return models
        },
      }
      opened.set(key, keeping)
      return keeping
    },
  }
}
