import type { Environment } from '../agent/context.ts'
import type { WorkObserver } from '../agent/work-observer.ts'
import type { Home } from '../config/home.ts'
import type { CredentialPool } from '../credentials/pool.ts'
import type { Logger } from '../log/logger.ts'
import { auxiliaryModels } from './auxiliary.ts'
import { ModelError } from './model-error.ts'
import type { Models, ResolvedModel } from './model.ts'
import { createHttpClient } from './net/http-client.ts'
import { observedResolver } from './observed-models.ts'
import { knownProviders } from './providers/registry.ts'
import { createRateLimitBook } from './rate-limits.ts'
import { providerName } from './resolution/choice.ts'
import type { Choice } from './resolution/choice.ts'
import { choiceOf, fallbackChoices } from './resolution/configured-choices.ts'
import type { EndpointSources } from './resolution/endpoints.ts'
import type { LocalServer } from './resolution/local-servers.ts'
import type { ModelsConfig } from './resolution/models-config.ts'
import { createResolver } from './resolution/resolver.ts'
import { userEndpoints } from './resolution/user-endpoints.ts'
import { isSimple } from './routing.ts'

export interface ModelsOptions {
  readonly config: ModelsConfig
  readonly environment: Environment
  /** Where credentials are kept; without it the environment alone is asked for keys. */
  readonly home?: Home
  /** Where providers that are programs of this machine work. */
  readonly cwd?: string
  readonly log: Logger
  /** The credentials that are kept. Called when there are any, so that the pool's code is loaded only then. */
  readonly credentials?: () => Promise<CredentialPool>
  /** Where to look for a model server on this machine, instead of the usual ports. */
  readonly localServers?: readonly LocalServer[]
  /** Watches every call. */
  readonly observer?: WorkObserver
}

/**
 * The models of a profile. Nothing is connected, and no provider's code is loaded, before a turn resolves a model. What
 * was found out (a local server, context windows) is kept as long as this object.
 */
export function createModels(options: ModelsOptions): Models {
  const { config, environment, home, log, credentials, localServers, observer } = options
  const envFile = home?.path('.env') ?? 'the .env of your Hermes home'
  const providers = knownProviders({
    routing: routingOf(config),
    ollamaNumCtx: config.model.ollama_num_ctx,
    environment,
    home,
    cwd: options.cwd,
  })
  const sources: EndpointSources = { providers, own: userEndpoints(config), environment, envFile, home, credentials }
  const http = createHttpClient(environment)
  const local = { providers, environment, localServers, http, log }
  const rateLimits = createRateLimitBook()
  const found = createResolver({ config, sources, local, http, rateLimits })
  const resolver = observer ? observedResolver(found, observer) : found
  const { smart_model_routing: routing } = config
  const cheap = routing.enabled ? choiceOf(routing.cheap_model, environment) : undefined

  const fallbacks = fallbackChoices(config, environment)

  /** The first of several choices that can be used, with the rest behind it. */
  const firstOf = async (choices: readonly Choice[], signal: AbortSignal): Promise<ResolvedModel | undefined> => {
    for (const [at, choice] of choices.entries()) {
      try {
        return withRest(await resolver.use(choice, signal), choices.slice(at + 1))
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        log.warn({ provider: choice.provider, model: choice.model, error: error.message }, 'a model cannot be used')
      }
    }
    return undefined
  }
  const withRest = (model: ResolvedModel, choices: readonly Choice[]): ResolvedModel =>
    choices.length === 0 ? model : { ...model, fallback: (signal) => firstOf(choices, signal) }

  const resolve: Models['resolve'] = async (wanted, signal, message) => {
    const reference = wanted?.trim()
    const choice = await resolver.read(reference)
    if (cheap && !reference && message && isSimple(message, routing)) {
      const model = await firstOf([cheap, choice, ...fallbacks], signal)
      if (model) return model
    }
    return withRest(await resolver.use(choice, signal), fallbacks)
  }

  return {
    resolve,
    auxiliary: (task, main, signal) => auxiliaryModels({ task, main, config, sources, resolver }, signal),
    rateLimits: () => rateLimits.all(),
    close: () => resolver.close(),
    delegate: async (wanted, main, signal) => {
      if (wanted?.trim()) return resolve(wanted, signal)
      const choice = delegationChoice(config, main)
      return choice ? withRest(await resolver.use(choice, signal), fallbacks) : main
    },
  }
}

/** What `delegation` sets; undefined: the model of the turn. */
function delegationChoice({ delegation }: ModelsConfig, main: ResolvedModel): Choice | undefined {
  const { model, provider, base_url: baseUrl, api_key: apiKey } = delegation
  if (model === '' && provider === '' && baseUrl === '') return undefined
  return {
    provider: baseUrl !== '' ? 'custom' : providerName(provider || main.provider.name),
    model: model || (provider === '' ? main.model : undefined),
    baseUrl: baseUrl || undefined,
    apiKey: apiKey || undefined,
    apiMode: undefined,
  }
}

/** The routing rules that are set; OpenRouter's own names. */
function routingOf({ provider_routing: routing }: ModelsConfig): Readonly<Record<string, unknown>> {
  const set = Object.entries(routing).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== '' && value !== false,
  )
  return Object.fromEntries(set)
}
