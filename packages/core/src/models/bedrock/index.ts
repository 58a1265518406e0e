import { ModelError } from '../model-error.ts'
import type { ModelProvider } from '../model.ts'
import { wireProvider } from '../wire/wire-provider.ts'
import type { WireProviderOptions } from '../wire/wire-provider.ts'
import type { ConverseDialect } from './dialect.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody } from './request-body.ts'
import type { Leniency } from './request-body.ts'
import { signatureHeaders } from './sign.ts'

export interface BedrockOptions extends WireProviderOptions {
  readonly dialect: ConverseDialect
}

/**
 * Amazon Bedrock's Converse API (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).
 * Calls carry a key of Bedrock, or are signed with the keys of an AWS account.
 */
export function createBedrock({ dialect, ...options }: BedrockOptions): ModelProvider {
  return wireProvider<Leniency>(
    {
      callUrl: ({ baseUrl }, { model }) => `${baseUrl}/model/${encodeURIComponent(model)}/converse-stream`,
      modelsUrl: () => undefined,
      headers: ({ apiKey }) => ({
        accept: 'application/vnd.amazon.eventstream',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      }),
      body: requestBody,
      read: readAnswer,
      soften: (learned, { status, message }) =>
        !learned.dropThinking && status === 400 && /thinking|reasoning/i.test(message)
          ? { dropThinking: true }
          : undefined,
      nothingLearned: {},
      sign: async ({ method, url, headers, body }, { apiKey, label, keyHint }, nowMs) => {
        if (apiKey !== undefined) return {}
        const credentials = await dialect.credentials()
        if (!credentials) throw new ModelError('not-configured', `${label} needs a key. ${keyHint}`)
        const signed = { 'content-type': headers['content-type'] ?? '' }
        const { region } = dialect
        return signatureHeaders(
          { method, url, headers: signed, body },
          { credentials, region, service: 'bedrock', nowMs },
        )
      },
    },
    options,
  )
}
