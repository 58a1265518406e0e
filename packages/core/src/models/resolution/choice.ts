import type { Environment } from '../../agent/context.ts'
import { canonicalName } from '../providers/aliases.ts'
import { inProcessProviders } from '../providers/in-process.ts'
import { textSetting } from './models-config.ts'
import type { ModelsConfig } from './models-config.ts'
import { endpointName } from './user-endpoints.ts'

/** What a person, or the configuration, asks for. */
export interface Choice {
  /** `auto`, or a name: a provider's canonical one, or that of a person's own endpoint. */
  readonly provider: string
  /** Undefined: the provider's own choice. */
  readonly model: string | undefined
  /** Where, when it is not the provider's usual address. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly apiMode: string | undefined
}

/** What is known of names when a reference is read. */
export interface Names {
  /** Whether a name is a provider's, also one that cannot be called yet, or a person's own endpoint's. */
  isProvider(name: string): boolean
  /** Whether a name is a person's own endpoint. */
  isOwn(name: string): boolean
  /** The provider that the configured choice comes to, and whether its models have a provider's name in theirs. */
  readonly configured: { readonly name: string | undefined; readonly hasSlashes: boolean }
}

/** What the configuration says. */
export function configuredChoice(config: ModelsConfig, environment: Environment): Choice {
  const provider = config.model.provider.trim() || environment['HERMES_INFERENCE_PROVIDER']?.trim() || 'auto'
  return {
    provider: providerName(provider),
    model: textSetting(config.model, 'default', 'model'),
    baseUrl: textSetting(config.model, 'base_url'),
    apiKey: textSetting(config.model, 'api_key'),
    apiMode: textSetting(config.model, 'api_mode'),
  }
}

/**
 * What a reference asks for: an alias of the configuration, `provider:model`, `provider/model`, `provider/` (its usual
 * model) or a bare model name. A slash may be part of the model's name: `anthropic/claude-…` on OpenRouter and
 * `openai/gpt-oss-20b` on one's own server are models there, not providers.
 */
export function readReference(reference: string, configured: Choice, config: ModelsConfig, names: Names): Choice {
  const wanted = withoutCustom(reference, names)
  const [, certain, certainModel = ''] = /^((?:custom:)?[^/:]+)::(.+)$/is.exec(wanted) ?? []
  if (certain !== undefined) {
    const name = providerName(certain)
    if (!names.isProvider(name)) return { ...nothing, provider: name, model: certainModel }
    return readReference(`${certain}:${certainModel}`, configured, config, names)
  }
  const aliased = aliasOf(wanted, configured, config)
  if (aliased) return aliased
  const parts = /^([^/:]+)([/:])(.*)$/s.exec(wanted)
  const [, prefix = '', separator, rest = ''] = parts ?? []
  const name = providerName(prefix)
  // No model's name ends so: a provider is meant, if there is one of the name or not.
  if (parts && rest === '' && !names.isProvider(name)) return { ...nothing, provider: name }
  if (!parts || !isProviderPart(name, separator, names)) {
    return names.isProvider(providerName(wanted)) && isProviderAlone(providerName(wanted), names)
      ? { ...nothing, provider: providerName(wanted) }
      : { ...configured, model: wanted }
  }
  const model = rest === '' ? undefined : rest
  // Its address and key hold for the configured provider only.
  return name === configured.provider || name === names.configured.name
    ? { ...configured, model }
    : { ...nothing, provider: name, model }
}

/** Upstream refers to a person's own endpoint as `custom:name`. */
function withoutCustom(reference: string, names: Names): string {
  const rest = /^custom:(.+)$/is.exec(reference)?.[1] ?? ''
  return names.isOwn(providerName(rest.split(/[/:]/)[0] ?? '')) ? rest : reference
}

const nothing = { model: undefined, baseUrl: undefined, apiKey: undefined, apiMode: undefined }

/** Names that no maker of models has, so that no model's name begins with them. */
const unmistakable: ReadonlySet<string> = new Set([
  ...inProcessProviders,
  'openrouter',
  'custom',
  'ollama',
  'lmstudio',
  'llamacpp',
  'vllm',
  'ai-gateway',
  'bedrock',
  'copilot-acp',
  'kilocode',
  'huggingface',
])

function isProviderPart(name: string, separator: string | undefined, names: Names): boolean {
  if (!names.isProvider(name)) return false
  if (separator === ':' || names.isOwn(name) || unmistakable.has(name)) return true
  return name === names.configured.name || !names.configured.hasSlashes
}

/** A provider's name by itself asks for its usual model, where it cannot be a model's name. */
function isProviderAlone(name: string, names: Names): boolean {
  return unmistakable.has(name) || names.isOwn(name)
}

function aliasOf(wanted: string, configured: Choice, config: ModelsConfig): Choice | undefined {
  const key = Object.keys(config.model_aliases).find((alias) => alias.toLowerCase() === wanted.toLowerCase())
  const alias = key === undefined ? undefined : config.model_aliases[key]
  const model = typeof alias === 'string' ? alias : textSetting(alias, 'model')
  if (model === undefined) return undefined
  const provider = textSetting(alias, 'provider')
  const baseUrl = textSetting(alias, 'base_url')
  if (provider === undefined && baseUrl === undefined) return { ...configured, model }
  return { ...nothing, provider: provider === undefined ? 'custom' : providerName(provider), model, baseUrl }
}

/** A provider's name as people write it, in ours: a canonical one, or that of a person's own endpoint. */
export function providerName(name: string): string {
  return canonicalName(endpointName(name))
}
