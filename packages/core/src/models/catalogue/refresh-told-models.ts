import { writeFileAtomic } from '../../storage/atomic-write.ts'
import { ModelError } from '../model-error.ts'
import type { HttpClient } from '../net/http-client.ts'
import { readText } from '../net/read-text.ts'
import { fields, list, objects, parseFields } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'
import { type ToldModels, parseToldModels, readToldModels, toldModelsFile } from './told-models.ts'

/** How long what a provider told counts as new. */
const freshMs = 3_600_000

/** OpenRouter's list is about 1 MB. */
const maxBytes = 32 * 1024 * 1024

const limits = { connectMs: 5_000, silenceMs: 10_000, progressMs: 15_000, totalMs: 15_000 }

export interface RefreshOptions {
  /** Where it is kept, a file for each provider. */
  readonly folder: string
  readonly provider: string
  /** Of the provider, without a slash at its end. */
  readonly baseUrl: string
  readonly http: HttpClient
  readonly now: () => number
}

/**
 * Asks a provider for its models and keeps them, unless they were told within the hour. Throws `ModelError` when it does
 * not answer with a list, `TransportError` when it cannot be reached; what was told before then stays.
 */
export async function refreshToldModels(options: RefreshOptions, signal: AbortSignal): Promise<ToldModels> {
  const { folder, provider, baseUrl, http, now } = options
  const kept = await readToldModels(folder, provider)
  const age = kept === undefined ? Infinity : now() - kept.fetchedAt
  if (kept && age >= 0 && age < freshMs) return kept
  const headers = { 'user-agent': 'hermes-agent', accept: 'application/json' }
  const response = await http.send({ method: 'GET', url: `${baseUrl}/models`, headers, limits }, signal)
  try {
    const body = parseFields(await readText(response.body, maxBytes))
    const file = JSON.stringify({ fetchedAt: now(), data: objects(body?.['data']).map(factsOf) })
    const told = response.status === 200 ? parseToldModels(file, provider) : undefined
    if (told === undefined || told.models.length === 0) {
      throw new ModelError('invalid-request', `${provider} at ${baseUrl} did not list its models (${response.status}).`)
    }
    await writeFileAtomic(toldModelsFile(folder, provider), file)
    return told
  } finally {
    response.release()
  }
}

/** The fields that are read again, which are a tenth of what is told. */
function factsOf(model: Fields): Fields {
  const { id, context_length, context_window, max_tokens, top_provider, pricing, tags } = model
  const input_modalities = fields(model['architecture'])?.['input_modalities']
  const supported_parameters = list(model['supported_parameters']).filter(
    (name) => name === 'tools' || name === 'reasoning',
  )
  return {
    id,
    context_length,
    context_window,
    max_tokens,
    top_provider,
    pricing,
    tags,
    architecture: { input_modalities },
    supported_parameters,
  }
}
