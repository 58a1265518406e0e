import { textSetting, countSetting } from './models-config.ts'
import type { ModelsConfig } from './models-config.ts'

/** An endpoint that a person has named in `providers` or `custom_providers`. */
export interface UserEndpoint {
  /** How it is referred to: lower case, dashes for spaces. */
  readonly name: string
  readonly label: string
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** Environment variable that holds its key. */
  readonly keyEnv: string | undefined
  readonly apiMode: string | undefined
  readonly model: string | undefined
  readonly contextLength: number | undefined
  /** What the configuration says of single models. */
  readonly models: unknown
}

/** The usable ones by name: the list first, then the mapping; of two with one name the first counts. */
export function userEndpoints(config: ModelsConfig): ReadonlyMap<string, UserEndpoint> {
  const listed = config.custom_providers.map((entry) => endpoint(textSetting(entry, 'name'), entry))
  const named = Object.entries(config.providers).map(([key, entry]) => endpoint(key, entry))
  const found = new Map<string, UserEndpoint>()
  for (const candidate of [...listed, ...named]) {
    if (candidate && !found.has(candidate.name)) found.set(candidate.name, candidate)
  }
  return found
}

/** A name as it is referred to; `custom:` before it is upstream's way to say that it is the person's own. */
export function endpointName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^custom:/, '')
    .replaceAll(/\s+/g, '-')
}

function endpoint(key: string | undefined, entry: unknown): UserEndpoint | undefined {
  const baseUrl = textSetting(entry, 'api', 'url', 'base_url')
  if (key === undefined || baseUrl === undefined) return undefined
  return {
    name: endpointName(key),
    label: textSetting(entry, 'name') ?? key,
    baseUrl,
    apiKey: textSetting(entry, 'api_key'),
    keyEnv: textSetting(entry, 'key_env'),
    apiMode: textSetting(entry, 'api_mode', 'transport'),
    model: textSetting(entry, 'default_model', 'model'),
    contextLength: countSetting(entry, 'context_length'),
    models: (entry as Readonly<Record<string, unknown>>)['models'],
  }
}
