import { ModelError } from '../model-error.ts'
import type { ModelInfo, ModelProvider } from '../model.ts'
import { fromTransport } from '../wire/errors.ts'
import type { KeyedPlace } from '../wire/place.ts'
import { wireProvider } from '../wire/wire-provider.ts'
import type { SignedHeaders, WireProviderOptions } from '../wire/wire-provider.ts'
import type { ConverseDialect } from './dialect.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody } from './request-body.ts'
import type { Leniency } from './request-body.ts'
import { signatureHeaders } from './sign.ts'
import type { SigningRequest } from './sign.ts'

export interface BedrockOptions extends WireProviderOptions {
  readonly dialect: ConverseDialect
}

/**
 * Amazon Bedrock's Converse API (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).
 * Calls carry a key of Bedrock, or are signed with the keys of an AWS account.
 */
export function createBedrock({ dialect, ...options }: BedrockOptions): ModelProvider {
  const { place, keys, http, now = Date.now } = options

  const sign = async (
    request: SigningRequest,
    { apiKey, label, keyHint }: KeyedPlace,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<SignedHeaders> => {
    if (apiKey !== undefined) return {}
    const credentials = await dialect.credentials(signal)
    if (!credentials) throw new ModelError('not-configured', `${label} needs a key. ${keyHint}`)
    return signatureHeaders(request, { credentials, region: dialect.region, service: 'bedrock', nowMs })
  }
  const listed = async (at: KeyedPlace, signal: AbortSignal): Promise<readonly ModelInfo[]> => {
    const { listBedrockModels } = await import('./list-models.ts')
    const headers = async (url: string): Promise<SignedHeaders> => ({
      'user-agent': 'hermes-agent',
      accept: 'application/json',
      ...bearer(at),
      ...(await sign({ method: 'GET', url, headers: {} }, at, now(), signal)),
    })
    const { region, listUrl = `https://bedrock.${region}.amazonaws.com` } = dialect
    return listBedrockModels({ listUrl, place: at, http, now, headers }, signal)
  }

  const provider = wireProvider<Leniency>(
    {
      callUrl: ({ baseUrl }, { model }) => `${baseUrl}/model/${encodeURIComponent(model)}/converse-stream`,
      modelsUrl: () => undefined,
      headers: (at) => ({ accept: 'application/vnd.amazon.eventstream', ...bearer(at) }),
      body: requestBody,
      read: readAnswer,
      soften: (learned, { status, message }) =>
        !learned.dropThinking && status === 400 && /thinking|reasoning/i.test(message)
          ? { dropThinking: true }
          : undefined,
      nothingLearned: {},
      sign: ({ method, url, headers, body }, at, nowMs, signal) => {
        const signed = { 'content-type': headers['content-type'] ?? '' }
        return sign({ method, url, headers: signed, ...(body !== undefined && { body }) }, at, nowMs, signal)
      },
    },
    options,
  )
  return {
    ...provider,
    models: async (signal) => {
      const key = await keys.forCall().next(signal)
      if ('afterMs' in key) throw new ModelError('rate-limited', key.notice, { retryAfterMs: key.afterMs })
      const at = { ...place, apiKey: key.secret }
      try {
        return await listed(at, signal)
      } catch (error) {
        throw fromTransport(error, at)
      }
    },
  }
}

function bearer({ apiKey }: KeyedPlace): SignedHeaders {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
}
