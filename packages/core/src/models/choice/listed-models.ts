import type { AgentContext } from '../../agent/context.ts'
import { catalogueProviders, catalogueTable, modelList } from '../catalogue/catalogue.ts'
import type { CatalogueModel } from '../catalogue/entry.ts'
import { refreshToldModels } from '../catalogue/refresh-told-models.ts'
import { ModelError } from '../model-error.ts'
import { modelReference } from '../model-reference.ts'
import type { ResolvedModel } from '../model.ts'
import { createHttpClient } from '../net/http-client.ts'
import { TransportError } from '../net/transport-error.ts'
import { toldModelsFolder } from '../pricing.ts'
import { localProvider } from '../providers/in-process.ts'
import { canonicalName } from '../providers/aliases.ts'
import { knownProviders } from '../providers/registry.ts'
import { userEndpoints } from '../resolution/user-endpoints.ts'
import { similarNames } from '../similar-names.ts'
import { accountModels } from './account-models.ts'

/** What is known of a model; a server of one's own tells its name and little more. */
export type ListedModel = Pick<CatalogueModel, 'provider' | 'id'> & Partial<CatalogueModel>

/** The models of one provider. */
export interface ListedProvider {
  readonly provider: string
  readonly models: readonly ListedModel[]
  /** Whose list it is: the provider's own, or the table that is bundled, of which day. */
  readonly source: 'provider' | 'table'
  readonly asOf: string | undefined
}

type Agent = Pick<AgentContext, 'models' | 'home' | 'environment' | 'clock' | 'config'>

/** How long a list may wait for a provider to tell its prices anew. */
const refreshMs = 4000

/** The lists of every provider that can be used with the keys that there are. */
export async function usableProviders(agent: Agent, signal: AbortSignal): Promise<readonly ListedProvider[]> {
  const configured = await resolveIfUsable(agent, undefined, signal)
  const current = configured?.provider.name
  const facts = knownProviders({ environment: agent.environment })
  // Those that need no key can always be called, whether one has an account there or not.
  const isOwn = (provider: string) =>
    provider === current ||
    facts.get(provider)?.needsKey !== false ||
    facts.get(provider)?.keys.some(({ name }) => agent.environment[name]?.trim())
  const lists = await Promise.all(
    catalogueProviders.filter(isOwn).map(async (provider) => {
      const first = (await modelList(provider))?.models[0]
      const usable = first && (await resolveIfUsable(agent, modelReference(provider, first.id), signal))
      return usable && listOf(agent, provider, usable, signal)
    }),
  )
  const listed = lists.filter((list) => list !== undefined)
  if (configured && !configured.provider.isInterpreter && !listed.some(({ provider }) => provider === current)) {
    listed.unshift(await listOfConfigured(configured, signal))
  }
  const files = await listOfFiles(agent)
  return current === localProvider || files.models.length === 0 ? listed : [...listed, files]
}

/** The models beside the configured one, where no table knows them: a server of one's own, model files. */
async function listOfConfigured(configured: ResolvedModel, signal: AbortSignal): Promise<ListedProvider> {
  const { provider, model: id, contextLength } = configured
  const told = await toldBy(configured, signal)
  const models = told.some((model) => model.id === id)
    ? told
    : [{ provider: provider.name, id, contextLength }, ...told]
  return { provider: provider.name, models, source: 'provider', asOf: undefined }
}

/** What a server says that it has; nothing where it cannot be asked, or takes long. */
export async function toldBy({ provider }: ResolvedModel, signal: AbortSignal): Promise<readonly ListedModel[]> {
  const limit = AbortSignal.timeout(refreshMs)
  try {
    const told = (await provider.models?.(AbortSignal.any([signal, limit]))) ?? []
    return told.map((model) => ({ provider: provider.name, ...model }))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ModelError) && !limit.aborted) throw error
    return []
  }
}

/** The model files of this machine. */
async function listOfFiles({ home }: Agent): Promise<ListedProvider> {
  const { listModelFiles } = await import('../local/list-model-files.ts')
  const models = (await listModelFiles(home)).map((model) => ({ provider: localProvider, ...model }))
  return { provider: localProvider, models, source: 'provider', asOf: undefined }
}

/** The list of one provider, whether it can be used or not. Throws `ModelError` where nothing is known of it. */
export async function listedProvider(agent: Agent, name: string, signal: AbortSignal): Promise<ListedProvider> {
  const provider = canonicalName(name)
  if (provider === localProvider && !userEndpoints(agent.config).has(provider)) return listOfFiles(agent)
  const first = (await modelList(provider))?.models[0]
  const usable = first && (await resolveIfUsable(agent, modelReference(provider, first.id), signal))
  const known = first && (await listOf(agent, provider, usable, signal))
  if (known) return known
  refuseUnknown(provider, agent)
  const { provider: server } = await agent.models.resolve(modelReference(provider), signal)
  const told = (await server.models?.(signal)) ?? []
  const models = told.map((model) => ({ provider, ...model }))
  return { provider, models, source: 'provider', asOf: undefined }
}

function refuseUnknown(provider: string, { config, environment }: Agent): void {
  const names = [...knownProviders({ environment }).keys(), ...userEndpoints(config).keys()]
  if (names.includes(provider)) return
  const similar = similarNames(provider, [...names, ...catalogueProviders])
  const advice = similar.length > 0 ? ` Did you mean ${similar.join(' or ')}?` : ` Known: ${names.join(', ')}.`
  throw new ModelError('not-configured', `There is no provider ${provider}.${advice}`)
}

async function listOf(
  agent: Agent,
  provider: string,
  usable: ResolvedModel | undefined,
  signal: AbortSignal,
): Promise<ListedProvider | undefined> {
  const table = await catalogueTable(provider)
  if (usable?.baseUrl !== undefined && table?.tellsPrices) {
    await refresh(agent, provider, usable.baseUrl, signal)
  }
  const list = await modelList(provider, toldModelsFolder(agent.home))
  if (list && usable && table?.differsByAccount) {
    const models = await accountModels(usable, list.models, signal)
    if (models) return { provider, models, source: 'provider', asOf: undefined }
  }
  return list && { provider, ...list }
}

/** Asks for the prices of today; where there is no answer, those that are known will do. */
async function refresh(agent: Agent, provider: string, baseUrl: string, signal: AbortSignal): Promise<void> {
  const { home, environment, clock } = agent
  const options = {
    folder: toldModelsFolder(home),
    provider,
    baseUrl,
    http: createHttpClient(environment),
    now: () => clock.now(),
  }
  const limit = AbortSignal.timeout(refreshMs)
  try {
    await refreshToldModels(options, AbortSignal.any([signal, limit]))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ModelError) && !(error instanceof TransportError) && !limit.aborted) throw error
  }
}

/** A model, or undefined where it lacks a key or its provider is not there. */
async function resolveIfUsable(
  { models }: Agent,
  reference: string | undefined,
  signal: AbortSignal,
): Promise<ResolvedModel | undefined> {
  try {
    return await models.resolve(reference, signal)
  } catch (error) {
    if (error instanceof ModelError) return undefined
    throw error
  }
}
