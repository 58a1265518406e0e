import type { Environment } from '../agent/context.ts'
import type { Home } from '../config/home.ts'
import type { Logger } from '../log/logger.ts'
import { familyContextLength, unknownContextLength } from './model-limits.ts'
import type { ModelProvider, Models, ResolvedModel } from './model.ts'
import { createHttpClient } from './net/http-client.ts'
import { missingProviders } from './providers/not-yet.ts'
import { knownProviders } from './providers/registry.ts'
import { autoProvider } from './resolution/auto.ts'
import { configuredChoice, readReference } from './resolution/choice.ts'
import type { Choice, Names } from './resolution/choice.ts'
import { configuredContextLength } from './resolution/context-length.ts'
import { endpointOf } from './resolution/endpoints.ts'
import type { EndpointSources } from './resolution/endpoints.ts'
import { createLocalSearch } from './resolution/local-servers.ts'
import type { FoundServer, LocalServer } from './resolution/local-servers.ts'
import type { ModelsConfig } from './resolution/models-config.ts'
import { howToConnect, nothingServes, offlineNotice, serves } from './resolution/nothing-configured.ts'
import { createOpenedProviders } from './resolution/opened-providers.ts'
import { pickModel } from './resolution/pick-model.ts'
import { userEndpoints } from './resolution/user-endpoints.ts'

export interface ModelsOptions {
  readonly config: ModelsConfig
  readonly environment: Environment
  /** For messages: where the `.env` is that keys go into. */
  readonly home?: Home
  readonly log: Logger
  /** Where to look for a model server on this machine, instead of the usual ports. */
  readonly localServers?: readonly LocalServer[]
}

/**
 * The models of a profile. Nothing is connected, and no provider's code is loaded, before a turn resolves a model. What
 * was found out (a local server, context windows) is kept as long as this object.
 */
export function createModels(options: ModelsOptions): Models {
  const { config, environment, home, log, localServers } = options
  const envFile = home?.path('.env') ?? 'the .env of your Hermes home'
  const routing = routingOf(config)
  const providers = knownProviders({ routing, ollamaNumCtx: config.model.ollama_num_ctx })
  const sources: EndpointSources = { providers, own: userEndpoints(config), environment, envFile }
  const configured = configuredChoice(config, environment)
  const http = createHttpClient(environment)
  const opened = createOpenedProviders(http)
  const once = createOnce()
  const localServer = createLocalSearch({ providers, environment, localServers, http, log })
  let offlineModel: ModelProvider | undefined

  /** The model of a choice that names its provider. */
  const use = async (choice: Choice, signal: AbortSignal): Promise<ResolvedModel> => {
    const endpoint = endpointOf(choice, sources)
    const own = sources.own.get(choice.provider)
    const provider = await opened.open(endpoint)
    const picked =
      choice.model === undefined
        ? await pickModel({ endpoint, own, known: providers.get(endpoint.name) }, provider, signal)
        : { model: choice.model, notice: undefined }
    const { model } = picked
    return {
      provider,
      model,
      baseUrl: endpoint.baseUrl,
      contextLength:
        configuredContextLength({ choice, configured, model, own, config }) ??
        opened.told(endpoint.baseUrl, model)?.contextLength ??
        familyContextLength(model),
      maxOutputTokens: endpoint.dialect.maxOutputTokens?.(model),
      notice: once(picked.notice),
    }
  }
  const useLocal = (choice: Choice, found: FoundServer, signal: AbortSignal): Promise<ResolvedModel> => {
    const baseUrl = `http://127.0.0.1:${found.port}/v1`
    opened.keep(baseUrl, found.models)
    const provider = providers.has(found.provider) ? found.provider : 'custom'
    return use({ ...choice, provider, baseUrl }, signal)
  }
  const useOffline = async (notice: string | undefined): Promise<ResolvedModel> => {
    const { createOfflineModel, offlineModelName } = await import('./offline/index.ts')
    offlineModel ??= createOfflineModel({ howToConnect: howToConnect(envFile) })
    const contextLength = unknownContextLength
    return { provider: offlineModel, model: offlineModelName, contextLength, notice: once(notice) }
  }

  return {
    resolve: async (wanted, signal) => {
      signal.throwIfAborted()
      const reference = wanted?.trim()
      const names = namesOf(sources, configured)
      const choice = reference ? readReference(reference, configured, config, names) : configured
      if (choice.provider === 'offline') return useOffline(undefined)
      const provider = choice.provider === 'auto' ? autoProvider(choice, sources) : choice.provider
      if (provider !== undefined) return use({ ...choice, provider }, signal)
      const found = await localServer(signal)
      if (found && serves(found, choice.model)) return useLocal(choice, found, signal)
      if (choice.model === undefined) return useOffline(offlineNotice(environment, envFile))
      throw nothingServes(choice.model, found, envFile)
    },
  }
}

/** What a reference is read by. */
function namesOf(sources: EndpointSources, configured: Choice): Names {
  const { providers, own } = sources
  const name = configured.provider === 'auto' ? autoProvider(configured, sources) : configured.provider
  const facts = name === undefined ? undefined : providers.get(name)
  // Servers of one's own name models as they like, often as `maker/model`.
  const hasSlashes = facts ? Boolean(facts.isAggregator) || !facts.needsKey : name !== undefined && own.has(name)
  return {
    isProvider: (candidate) =>
      candidate === 'offline' ||
      providers.has(candidate) ||
      own.has(candidate) ||
      missingProviders.some((missing) => missing.name === candidate),
    isOwn: (candidate) => own.has(candidate),
    configured: { name, hasSlashes },
  }
}

/** Lets each notice pass one time. */
function createOnce(): (notice: string | undefined) => string | undefined {
  const seen = new Set<string>()
  return (notice) => {
    if (notice === undefined || seen.has(notice)) return undefined
    seen.add(notice)
    return notice
  }
}

/** The routing rules that are set; OpenRouter's own names. */
function routingOf({ provider_routing: routing }: ModelsConfig): Readonly<Record<string, unknown>> {
  const set = Object.entries(routing).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== '' && value !== false,
  )
  return Object.fromEntries(set)
}
