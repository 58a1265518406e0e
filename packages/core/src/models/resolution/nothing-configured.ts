import { ModelError } from '../model-error.ts'
import { aliasNames } from '../providers/aliases.ts'
import { similarNames } from '../similar-names.ts'
import type { EndpointSources } from './endpoints.ts'
import type { FoundServer } from './local-servers.ts'

/** Whether a local server has a model, which is any when none is wanted. */
export function serves({ models }: FoundServer, wanted: string | undefined): boolean {
  return wanted === undefined || models.some(({ id }) => id === wanted)
}

/** What people are told when the offline model answers because there is no other. */
export function offlineNotice(envFile: string): string {
  return `No model is configured, so the offline model answers; it only follows plain instructions such as "run: ls". ${howToConnect(envFile)}`
}

/** How one gets a real model. */
export function howToConnect(envFile: string): string {
  return `To connect a real model, set OPENROUTER_API_KEY in ${envFile}, sign in with "hermes auth add PROVIDER", run a model file with "hermes model local", start Ollama or LM Studio on this machine, or set model.base_url to any OpenAI-compatible server.`
}

/** A model is wanted, and there is no provider to ask for it. */
export async function nothingServes(
  model: string,
  found: FoundServer | undefined,
  sources: EndpointSources,
): Promise<ModelError> {
  const { envFile, providers } = sources
  if (!found) {
    const hint = misspeltProvider(model, providers) || (await misspeltModel(model))
    const message = `No provider is configured that could serve ${model}.${hint} ${howToConnect(envFile)}`
    return new ModelError('not-configured', message)
  }
  const ids = found.models.map(({ id }) => id)
  const similar = similarNames(model, ids)
  const names = similar.length > 0 ? similar : ids.slice(0, 8)
  const message = `The ${found.provider} server on this machine does not have ${model}; it has ${names.join(', ')}. ${howToConnect(envFile)}`
  return new ModelError('model-not-found', message)
}

/** A provider's name that the reference may begin with, as a question. */
function misspeltProvider(reference: string, providers: ReadonlyMap<string, unknown>): string {
  const [, prefix, separator = '', rest = ''] = /^([^/:]+)([/:])(.+)$/s.exec(reference) ?? []
  if (prefix === undefined) return ''
  const [similar] = similarNames(prefix, [...providers.keys(), ...aliasNames])
  return similar === undefined || similar === prefix ? '' : ` Did you mean ${similar}${separator}${rest}?`
}

/** Models that the catalogue has and whose names, or their beginnings, are most like a misspelt one. */
async function misspeltModel(model: string): Promise<string> {
  const { catalogueProviders, catalogueTable } = await import('../catalogue/catalogue.ts')
  const parts = model.split('-').length
  const known = new Map<string, string>()
  for (const provider of catalogueProviders) {
    for (const [id] of (await catalogueTable(provider))?.rows ?? []) {
      const head = id.split('-').slice(0, parts).join('-')
      for (const name of [id, head]) if (!known.has(name)) known.set(name, `${id} of ${provider}`)
    }
  }
  const meant = similarNames(model, known.keys()).flatMap((name) => known.get(name) ?? [])
  return meant.length === 0 ? '' : ` Did you mean ${[...new Set(meant)].join(' or ')}?`
}
