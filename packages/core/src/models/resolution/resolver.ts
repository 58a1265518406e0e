import { familyContextLength, unknownContextLength } from '../model-limits.ts'
import type { ModelProvider, ResolvedModel } from '../model.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { LocalModels } from '../local/index.ts'
import { inProcessProviders, localProvider } from '../providers/in-process.ts'
import type { RateLimitBook } from '../rate-limits.ts'
import { autoProvider } from './auto.ts'
import { configuredChoice, readReference } from './choice.ts'
import type { Choice, Names } from './choice.ts'
import { configuredContextLength } from './context-length.ts'
import { createEndpoints } from './known-endpoints.ts'
import type { EndpointSources } from './endpoints.ts'
import { keptAddresses } from './kept-addresses.ts'
import { createLearnedWindows } from './learned-windows.ts'
import { createLocalSearch } from './local-servers.ts'
import type { FoundServer, LocalSearch } from './local-servers.ts'
import type { ModelsConfig } from './models-config.ts'
import { howToConnect, nothingServes, offlineNotice, serves } from './nothing-configured.ts'
import { createOpenedProviders } from './opened-providers.ts'
import { pickModel } from './pick-model.ts'

export interface ResolverOptions {
  readonly config: ModelsConfig
  readonly sources: EndpointSources
  readonly local: LocalSearch
  readonly http: HttpClient
  readonly rateLimits: RateLimitBook
}

/** Makes models of what people ask for. */
export interface Resolver {
  /** What a reference asks for; the configured choice without one. */
  read(reference: string | undefined): Promise<Choice>
  /** The model of a choice. Throws `ModelError` with code `not-configured` or `model-not-found`. */
  use(choice: Choice, signal: AbortSignal): Promise<ResolvedModel>
  /** Frees the memory of a model that runs in this process. */
  close(): Promise<void>
}

/** Longest that a turn's beginning waits for a local server to tell its windows, ms. */
const windowMs = 1000

export function createResolver({ config, sources, local, http, rateLimits }: ResolverOptions): Resolver {
  const { providers, environment, envFile } = sources
  const configured = configuredChoice(config, environment)
  const opened = createOpenedProviders(http, rateLimits, keptAddresses(sources, local.log))
  const windows = createLearnedWindows(sources.home)
  const endpoints = createEndpoints(sources)
  const once = createOnce()
  /** Addresses of local servers that were asked for their models by this process. */
  const asked = new Set<string>()
  const localServer = createLocalSearch(local)
  let providerAtConfigured: string | undefined
  /** Where an address is configured it decides, and goes through every provider to do so. */
  const autoProviderOf = async (choice: Choice): Promise<string | undefined> => {
    if (choice.baseUrl === undefined || choice.baseUrl !== configured.baseUrl) return autoProvider(choice, sources)
    return (providerAtConfigured ??= await autoProvider(choice, sources))
  }
  let offlineModel: ModelProvider | undefined
  let modelFiles: LocalModels | undefined

  /** The model of a choice that names its provider. */
  const useNamed = async (choice: Choice, signal: AbortSignal): Promise<ResolvedModel> => {
    const endpoint = await endpoints(choice)
    const own = sources.own.get(choice.provider)
    const { baseUrl } = endpoint.place
    const picked =
      choice.model === undefined
        ? await pickModel(endpoint, own, await opened.open(endpoint, ''), signal)
        : { model: choice.model, notice: undefined }
    const { model } = picked
    const given = configuredContextLength({ choice, configured, model, own, config })
    const learned = given === undefined ? await windows.of(model, baseUrl) : undefined
    const provider = await opened.open(endpoint, model)
    // A hosted service reached through this machine is known by its catalogue, and the question would take its key.
    const isOwnServer = endpoint.place.isLocal && !endpoint.facts.needsKey
    if (given === undefined && learned === undefined && isOwnServer) {
      await askOnce(baseUrl, provider, signal)
    }
    const told = opened.told(baseUrl, model)?.contextLength
    const keepWindow = (tokens: number): Promise<void> => keepLearned(model, baseUrl, tokens)
    // What a server of one's own says depends on how it was started, and it may not say it again.
    if (told !== undefined && endpoint.place.isLocal) await keepWindow(told)
    return {
      provider,
      model,
      baseUrl,
      contextLength: given ?? told ?? learned ?? familyContextLength(model),
      keepWindow,
      maxOutputTokens: endpoint.facts.maxOutputTokens?.(model),
      notice: once(picked.notice),
      sibling: (other, siblingSignal) => useNamed({ ...choice, model: other }, siblingSignal),
    }
  }
  /** Asks a server of one's own for its models, so that their windows are known; one that does not answer is left alone. */
  const askOnce = async (baseUrl: string, provider: ModelProvider, signal: AbortSignal): Promise<void> => {
    if (asked.has(baseUrl)) return
    asked.add(baseUrl)
    try {
      await provider.models?.(AbortSignal.any([signal, AbortSignal.timeout(windowMs)]))
    } catch (error) {
      signal.throwIfAborted()
      local.log.debug({ baseUrl, error: String(error) }, 'a local server did not tell its models')
    }
  }
  /** A cache that cannot be written is no reason to fail. */
  const keepLearned = async (model: string, baseUrl: string, tokens: number): Promise<void> => {
    try {
      await windows.keep(model, baseUrl, tokens)
    } catch (error) {
      local.log.warn({ model, error: String(error) }, 'a context window could not be kept')
    }
  }
  const useLocal = (choice: Choice, found: FoundServer, signal: AbortSignal): Promise<ResolvedModel> => {
    const baseUrl = `http://127.0.0.1:${found.port}/v1`
    opened.keep(baseUrl, found.models)
    const provider = providers.has(found.provider) ? found.provider : 'custom'
    return useNamed({ ...choice, provider, baseUrl }, signal)
  }
  const useOffline = async (notice: string | undefined): Promise<ResolvedModel> => {
    const { createOfflineModel, offlineModelName } = await import('../offline/index.ts')
    offlineModel ??= createOfflineModel({ howToConnect: howToConnect(envFile) })
    const contextLength = unknownContextLength
    return { provider: offlineModel, model: offlineModelName, contextLength, notice: once(notice) }
  }

  const useModelFile = async (choice: Choice): Promise<ResolvedModel> => {
    const { createLocalModels } = await import('../local/index.ts')
    modelFiles ??= createLocalModels({ home: sources.home, environment })
    const { model } = choice
    const window = configuredContextLength({ choice, configured, model: model ?? '', own: undefined, config })
    return modelFiles.resolve(model, window)
  }

  return {
    read: async (reference) => {
      if (!reference) return configured
      return readReference(reference, configured, config, await namesOf(sources, configured))
    },
    use: async (choice, signal) => {
      signal.throwIfAborted()
      if (choice.provider === 'offline') return useOffline(undefined)
      const provider = choice.provider === 'auto' ? await autoProviderOf(choice) : choice.provider
      if (provider === localProvider && !sources.own.has(provider)) return useModelFile(choice)
      if (provider !== undefined) return useNamed({ ...choice, provider }, signal)
      const found = await localServer(signal)
      if (found && serves(found, choice.model)) return useLocal(choice, found, signal)
      if (choice.model === undefined) return useOffline(offlineNotice(envFile))
      throw await nothingServes(choice.model, found, sources)
    },
    close: async () => modelFiles?.[Symbol.asyncDispose](),
  }
}

/** What a reference is read by. */
async function namesOf(sources: EndpointSources, configured: Choice): Promise<Names> {
  const { providers, own } = sources
  const name = configured.provider === 'auto' ? await autoProvider(configured, sources) : configured.provider
  const facts = name === undefined ? undefined : providers.get(name)
  // Servers of one's own name models as they like, often as `maker/model`.
  const hasSlashes = facts ? Boolean(facts.isAggregator) || !facts.needsKey : name !== undefined && own.has(name)
  return {
    isProvider: (candidate) => inProcessProviders.has(candidate) || providers.has(candidate) || own.has(candidate),
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
