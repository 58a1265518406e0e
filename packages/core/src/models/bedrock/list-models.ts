import { z } from 'zod'
import { ModelError } from '../model-error.ts'
import type { ModelInfo } from '../model.ts'
import type { HttpClient } from '../net/http-client.ts'
import { readText } from '../net/read-text.ts'
import { fromErrorAnswer } from '../wire/errors.ts'
import { parseFields } from '../wire/json-fields.ts'
import type { KeyedPlace } from '../wire/place.ts'
import type { SignedHeaders } from '../wire/wire-provider.ts'

const words = z.array(z.string()).nullish().catch(undefined)

const modelsSchema = z.object({
  modelSummaries: z.array(
    z.object({
      modelId: z.string().min(1),
      outputModalities: words,
      inferenceTypesSupported: words,
      responseStreamingSupported: z.boolean().nullish().catch(undefined),
      modelLifecycle: z.object({ status: z.string() }).nullish().catch(undefined),
    }),
  ),
})

const profilesSchema = z.object({
  inferenceProfileSummaries: z.array(
    z.object({ inferenceProfileId: z.string().min(1), status: z.string().nullish(), models: z.unknown() }),
  ),
  nextToken: z.string().min(1).nullish().catch(undefined),
})

const limits = { connectMs: 5000, silenceMs: 10_000, progressMs: 30_000, totalMs: 30_000 }
const maxBytes = 8 * 1024 * 1024
/** Most pages of inference profiles that are read, of up to 1,000 each. */
const mostPages = 10

export interface ModelListing {
  /** The control plane, without a slash at its end. */
  readonly listUrl: string
  readonly place: KeyedPlace
  readonly http: HttpClient
  readonly now: () => number
  /** The headers of a request, its authorization with them. */
  readonly headers: (url: string) => Promise<SignedHeaders>
}

/**
 * What an account can call in a region: inference profiles, by which the newer models are reached alone, and the models
 * that take calls themselves (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html,
 * …/API_ListFoundationModels.html). Windows are not told.
 */
export async function listBedrockModels(listing: ModelListing, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  const [profiles, models] = await Promise.all([listProfiles(listing, signal), listModels(listing, signal)])
  const speaking = new Set(models.filter(speaks).map(({ modelId }) => modelId))
  const known = new Set(models.map(({ modelId }) => modelId))
  // A profile's name ends with the name of its model; those of models that make no text are left out.
  const usable = profiles.filter((id) => {
    const model = id.slice(id.indexOf('.') + 1)
    return !known.has(model) || speaking.has(model)
  })
  const direct = models.filter((model) => speaks(model) && (model.inferenceTypesSupported ?? []).includes('ON_DEMAND'))
  return [...new Set([...usable, ...direct.map(({ modelId }) => modelId)])].map((id) => ({ id }))
}

type Summary = z.infer<typeof modelsSchema>['modelSummaries'][number]

function speaks({ outputModalities, responseStreamingSupported, modelLifecycle }: Summary): boolean {
  const makesText = outputModalities?.includes('TEXT') ?? true
  return makesText && responseStreamingSupported !== false && modelLifecycle?.status !== 'LEGACY'
}

async function listModels(listing: ModelListing, signal: AbortSignal): Promise<readonly Summary[]> {
  const parsed = modelsSchema.safeParse(await ask('/foundation-models', listing, signal))
  if (parsed.success) return parsed.data.modelSummaries
  throw unlisted(listing)
}

async function listProfiles(listing: ModelListing, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = []
  let next = ''
  for (let page = 0; page < mostPages; page++) {
    const path = `/inference-profiles?maxResults=1000${next && `&nextToken=${encodeURIComponent(next)}`}`
    const parsed = profilesSchema.safeParse(await ask(path, listing, signal))
    if (!parsed.success) throw unlisted(listing)
    const active = parsed.data.inferenceProfileSummaries.filter(({ status }) => (status ?? 'ACTIVE') === 'ACTIVE')
    found.push(...active.map(({ inferenceProfileId }) => inferenceProfileId))
    if (!parsed.data.nextToken) break
    next = parsed.data.nextToken
  }
  return found
}

async function ask(path: string, listing: ModelListing, signal: AbortSignal): Promise<unknown> {
  const { listUrl, place, http, now, headers } = listing
  const url = `${listUrl}${path}`
  const response = await http.send({ method: 'GET', url, headers: await headers(url), limits }, signal)
  try {
    const body = await readText(response.body, maxBytes)
    if (response.status === 200) return parseFields(body)
    throw fromErrorAnswer({ status: response.status, headers: response.headers, body }, place, '', now())
  } finally {
    response.release()
  }
}

function unlisted({ place, listUrl }: ModelListing): ModelError {
  return new ModelError('invalid-request', `${place.label} at ${listUrl} does not list its models.`)
}
