import type { ModelRequest } from '../model.ts'
import { familyOutputLimit } from '../model-limits.ts'
import type { Fields } from '../wire/json-fields.ts'

/** How one server's messages differ from the others'. */
export interface MessagesDialect {
  /** How a key is sent, and what the server is asked to allow. */
  readonly headers: (apiKey: string | undefined, request?: ModelRequest) => Readonly<Record<string, string>>
  /** Our name of a model as the API spells it. */
  readonly wireModel: (model: string) => string
  /** Most tokens of an answer: the API wants to be told. */
  readonly outputLimit: (model: string) => number
  /** Body fields that only this server has. */
  readonly extraBody?: (request: ModelRequest) => Fields
}

const version = { 'anthropic-version': '2023-06-01' }

/** What every call may use: thinking between calls, arguments streamed as they are written. */
const features = ['interleaved-thinking-2025-05-14', 'fine-grained-tool-streaming-2025-05-14']

/** A model that is newer than our table writes at least this much. */
const usualOutputLimit = 64_000

/** Sign-in and setup tokens, which a subscription pays for; other keys are those of the console. */
export function isSignIn(apiKey: string | undefined): boolean {
  return apiKey !== undefined && /^(sk-ant-oat|eyJ)/.test(apiKey)
}

/** Anthropic's own API, which knows its newest features. */
export const ownDialect: MessagesDialect = {
  // Keys of the console go by `x-api-key`; sign-in and setup tokens are bearer tokens.
  headers: (apiKey, request) => {
    const isBearer = isSignIn(apiKey)
    const asked = [...features, ...(isBearer ? ['oauth-2025-04-20'] : []), ...(isFast(request) ? [fastFeature] : [])]
    return {
      ...version,
      'anthropic-beta': asked.join(','),
      ...(isBearer ? { authorization: `Bearer ${apiKey}` } : keyHeader(apiKey)),
    }
  },
  // No vendor, dashes for dots.
  wireModel: (model) => model.replace(/^anthropic\//, '').replaceAll('.', '-'),
  outputLimit: (model) => familyOutputLimit(model) ?? usualOutputLimit,
  extraBody: (request) => (isFast(request) ? { speed: 'fast' } : {}),
}

/** Other services that speak it, with the key where Anthropic has it. */
export const keyDialect: MessagesDialect = {
  headers: (apiKey) => ({ ...version, ...keyHeader(apiKey) }),
  wireModel: (model) => model.replace(/^anthropic\//, ''),
  outputLimit: (model) => familyOutputLimit(model) ?? usualOutputLimit,
}

/** The same, with a bearer token. */
export const bearerDialect: MessagesDialect = {
  ...keyDialect,
  headers: (apiKey) => ({ ...version, ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) }),
}

function keyHeader(apiKey: string | undefined): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { 'x-api-key': apiKey }
}

const fastFeature = 'fast-mode-2026-02-01'

/** One model has a faster way to be served, for more money. */
function isFast(request: ModelRequest | undefined): boolean {
  return request?.priority === true && /opus-4[.-]6/.test(request.model)
}
