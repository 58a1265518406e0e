import type { Environment } from '../../agent/context.ts'
import { awsRegion } from '../bedrock/aws/region.ts'
import type { AwsIdentities } from '../bedrock/credentials.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

/**
 * Amazon's models and those of many makers, by a key of Bedrock or by those of an AWS account. The latter have other uses,
 * so that they are not enough to choose it.
 */
export function bedrock(environment: Environment): ProviderFacts {
  const region = awsRegion(environment)
  const listUrl = environment['AWS_ENDPOINT_URL_BEDROCK']?.trim().replace(/\/+$/, '') || undefined
  let identities: AwsIdentities | undefined
  const credentials: AwsIdentities = async (signal) => {
    const { createAwsIdentities } = await import('../bedrock/credentials.ts')
    identities ??= createAwsIdentities(environment)
    return identities(signal)
  }
  return {
    name: 'bedrock',
    label: 'Amazon Bedrock',
    keys: variables('AWS_BEARER_TOKEN_BEDROCK'),
    needsKey: false,
    keyHint:
      'Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, in .env, or AWS_PROFILE for a profile of ~/.aws/config or ~/.aws/credentials.',
    baseUrlVariable: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
    baseUrl: `https://bedrock-runtime.${region}.amazonaws.com`,
    isFoundByKey: true,
    speaks: { converse: { region, credentials, listUrl } },
  }
}
