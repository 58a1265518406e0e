/** What an account can call. */
export interface AwsModels {
  readonly models: readonly AwsModel[]
  /** Ids of inference profiles. */
  readonly profiles: readonly string[]
  /** Profiles on one page. Default: all. */
  readonly pageSize?: number
}

export interface AwsModel {
  readonly id: string
  /** Default `TEXT`. */
  readonly output?: 'TEXT' | 'IMAGE' | 'EMBEDDING'
  /** Default `ON_DEMAND`. */
  readonly inference?: 'ON_DEMAND' | 'PROVISIONED' | 'INFERENCE_PROFILE'
  readonly isLegacy?: boolean
}

/** The answer to one of the control plane's lists; undefined for a path that is none. */
export function describeModels(url: string, { models, profiles, pageSize }: AwsModels): unknown {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  if (pathname === '/foundation-models') {
    return {
      modelSummaries: models.map(({ id, output = 'TEXT', inference = 'ON_DEMAND', isLegacy }) => ({
        modelArn: `arn:aws:bedrock:eu-central-1::foundation-model/${id}`,
        modelId: id,
        modelName: id,
        providerName: 'Made Up',
        inputModalities: ['TEXT'],
        outputModalities: [output],
        responseStreamingSupported: output === 'TEXT',
        customizationsSupported: [],
        inferenceTypesSupported: [inference],
        modelLifecycle: { status: isLegacy ? 'LEGACY' : 'ACTIVE' },
      })),
    }
  }
  if (pathname !== '/inference-profiles') return undefined
  const from = Number(searchParams.get('nextToken') ?? 0)
  const size = pageSize ?? Math.max(1, profiles.length)
  const more = from + size < profiles.length
  return {
    inferenceProfileSummaries: profiles.slice(from, from + size).map((id) => ({
      inferenceProfileArn: `arn:aws:bedrock:eu-central-1:111122223333:inference-profile/${id}`,
      inferenceProfileId: id,
      inferenceProfileName: id,
      models: [{ modelArn: `arn:aws:bedrock:eu-central-1::foundation-model/${id.slice(id.indexOf('.') + 1)}` }],
      status: 'ACTIVE',
      type: 'SYSTEM_DEFINED',
    })),
    ...(more && { nextToken: String(from + size) }),
  }
}
