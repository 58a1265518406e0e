import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Environment } from '../agent/context.ts'
import type { AuthDocument, AuthFile, JsonRecord } from './auth-file.ts'
import { grantFields } from './auth-entries.ts'
import type { ConfiguredEndpoint } from './endpoints.ts'
import { entryGrantStore, stateGrant } from './entry-grant.ts'
import { isUsableSecret } from './entry.ts'
import type { GhToken } from './gh-token.ts'
import {
  claudeCodeFile,
  codexCliFile,
  grantFileStore,
  hermesPkceFile,
  qwenCliFile,
  readGrantFile,
} from './grant-files.ts'
import type { GrantFile, Places } from './grant-files.ts'
import type { GrantStore, KeptGrant } from './grant.ts'
import { oauthProviders } from './oauth/providers.ts'
import { providerKeys } from './provider-keys.ts'
import { sharedGrantStore } from './shared-grant.ts'

/** Where seeds are looked for. */
export interface SeedContext extends Places {
  readonly environment: Environment
  readonly endpoints: readonly ConfiguredEndpoint[]
  /** Providers that the configuration chooses. */
  readonly chosen: readonly string[]
  readonly file: AuthFile
  readonly ghToken: GhToken
  readonly now: () => number
}

/** A credential that is found outside the pool, and is shown in it for as long as it is there. */
export interface Seed {
  readonly source: string
  /** Fields of its entry. */
  readonly fields: JsonRecord & { readonly access_token: string }
  /** The place that owns it, for one that can be renewed. */
  readonly store?: (id: string) => GrantStore
}

/** What there is for a provider outside its pool, in the order in which it is used; suppressed sources are left out. */
export async function seedsFor(
  provider: string,
  document: AuthDocument,
  context: SeedContext,
): Promise<readonly Seed[]> {
  const suppressed = new Set(document.suppressed_sources?.[provider])
  const found = [
    ...(await stateSeeds(provider, document, context)),
    ...variableSeeds(provider, document, context),
    ...(await fileSeeds(provider, document, context)),
    ...endpointSeeds(provider, context),
    ...(await commandSeeds(provider, context)),
  ]
  const usable = found.filter((seed) => !suppressed.has(seed.source) && isUsableSecret(seed.fields.access_token))
  return provider === 'anthropic'
    ? usable.toSorted((a, b) => anthropicRank(a.source) - anthropicRank(b.source))
    : usable
}

/** Tokens of subscriptions go before keys that are paid by use. */
export function anthropicRank(source: string): number {
  const at = anthropicOrder.indexOf(source)
  return at < 0 ? anthropicOrder.length : at
}

const anthropicOrder = [
  'env:ANTHROPIC_TOKEN',
  'env:CLAUDE_CODE_OAUTH_TOKEN',
  'hermes_pkce',
  'claude_code',
  'env:ANTHROPIC_API_KEY',
]

function variableSeeds(provider: string, document: AuthDocument, context: SeedContext): Seed[] {
  const keys = providerKeys[provider]
  if (!keys) return []
  return keys.keys.flatMap(({ name, prefix = '', host }): Seed[] => {
    const value = context.environment[name]?.trim() ?? ''
    if (value === '' || !value.startsWith(prefix)) return []
    const baseUrl = variableBaseUrl(provider, context) ?? defaultBaseUrl(provider, value, document, context)
    if (host !== undefined && !isOnHost(baseUrl, host)) return []
    const type = value.startsWith(subscriptionPrefix) ? 'oauth' : 'api_key'
    return [{ source: `env:${name}`, fields: { label: name, auth_type: type, access_token: value, base_url: baseUrl } }]
  })
}

/** Anthropic's setup tokens are OAuth tokens that hold for a year and cannot be renewed. */
const subscriptionPrefix = 'sk-ant-oat'

/** Where the environment sends a provider's requests. */
export function variableBaseUrl(
  provider: string,
  { environment }: Pick<SeedContext, 'environment'>,
): string | undefined {
  const name = providerKeys[provider]?.baseUrlVariable
  const value = name === undefined ? undefined : environment[name]?.trim().replace(/\/+$/, '')
  return value || undefined
}

/** Where a key is sent when nothing else says: by what was found out about it, by its form, else the provider's address. */
export function defaultBaseUrl(
  provider: string,
  key: string,
  document: AuthDocument,
  { endpoints }: Pick<SeedContext, 'endpoints'>,
): string | undefined {
  const detected = detectedSchema.safeParse(document.providers[provider]?.['detected_endpoint'])
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16)
  if (detected.success && detected.data.key_hash === hash) return detected.data.base_url
  const keys = providerKeys[provider]
  const byPrefix = Object.entries(keys?.baseUrlByPrefix ?? {}).find(([prefix]) => key.startsWith(prefix))?.[1]
  return byPrefix ?? keys?.baseUrl ?? endpoints.find(({ pool }) => pool === provider)?.baseUrl
}

/** Which of a provider's endpoints took a key; kept in its state. */
const detectedSchema = z.looseObject({ base_url: z.string().min(1), key_hash: z.string() })

function isOnHost(url: string | undefined, host: string): boolean {
  const name = URL.parse(url ?? '')?.hostname.toLowerCase()
  return name !== undefined && (name === host || name.endsWith(`.${host}`))
}

/** GitHub's own command line is asked where Copilot was chosen and no variable holds a token. */
async function commandSeeds(provider: string, { chosen, environment, ghToken }: SeedContext): Promise<Seed[]> {
  const isSet = providerKeys[provider]?.keys.some(({ name }) => environment[name]?.trim())
  if (provider !== 'copilot' || !chosen.includes(provider) || isSet) return []
  const token = await ghToken()
  return token
    ? [{ source: 'gh_cli', fields: { label: 'gh auth token', auth_type: 'api_key', access_token: token } }]
    : []
}

function endpointSeeds(provider: string, { endpoints }: SeedContext): Seed[] {
  return endpoints
    .filter(({ pool }) => pool === provider)
    .map(({ source, baseUrl, key }) => ({
      source,
      fields: {
        label: source === 'model_config' ? 'config.yaml' : source.slice('config:'.length),
        auth_type: 'api_key',
        access_token: key,
        ...(baseUrl !== '' && { base_url: baseUrl }),
      },
    }))
}

async function stateSeeds(provider: string, document: AuthDocument, context: SeedContext): Promise<Seed[]> {
  if (oauthProviders[provider]?.loginKeptIn !== 'provider-state') return []
  const own = stateGrant(document.providers[provider])
  if (!own) return []
  const title = `${oauthProviders[provider].title} (${context.file.path})`
  const { file, now } = context
  const store = (id: string): GrantStore => {
    const state = entryGrantStore({ file, provider, id, inState: true, title, now })
    if (provider !== codexCliFile.provider) return state
    return sharedGrantStore(state, grantFileStore(codexCliFile, context, now), now)
  }
  return [grantSeed('device_code', own, store)]
}

async function fileSeeds(provider: string, document: AuthDocument, context: SeedContext): Promise<Seed[]> {
  const seeds: Seed[] = []
  for (const file of filesOf(provider, document, context)) {
    const grant = await readGrantFile(file, context)
    if (grant) seeds.push(grantSeed(file.source, grant, () => grantFileStore(file, context, context.now)))
  }
  return seeds
}

/**
 * The files whose grants count. Those of other programs do only where the person chose the provider: signing in to
 * Claude Code is no wish that Hermes spend from it.
 */
function filesOf(provider: string, document: AuthDocument, { chosen }: SeedContext): readonly GrantFile[] {
  const isStored = (document.credential_pool[provider] ?? []).some(({ source }) => source === qwenCliFile.source)
  const isChosen = chosen.includes(provider) || document.active_provider === provider || isStored
  if (provider === 'anthropic') return isChosen ? [hermesPkceFile, claudeCodeFile] : [hermesPkceFile]
  if (provider === 'openai-codex') return isChosen && !stateGrant(document.providers[provider]) ? [codexCliFile] : []
  if (provider === 'qwen-oauth') return isChosen ? [qwenCliFile] : []
  return []
}

function grantSeed(source: string, grant: KeptGrant, store: (id: string) => GrantStore): Seed {
  const { obtained_at: _obtained, last_refresh: _refreshed, expires_in: _left, ...fields } = grantFields(grant, 0)
  const label = source.replaceAll('_', ' ').replace('manual:', '')
  return { source, store, fields: { ...fields, label, auth_type: 'oauth', access_token: grant.accessToken } }
}
