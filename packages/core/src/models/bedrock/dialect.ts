import type { AwsIdentities } from './credentials.ts'

/** Which of Amazon's places is spoken to, and as whom. */
export interface ConverseDialect {
  readonly region: string
  /** Of the account, for calls without a key of Bedrock; undefined where there are none. */
  readonly credentials: AwsIdentities
  /** Where the models are listed, without a slash at its end. Default: Amazon's address in the region. */
  readonly listUrl?: string | undefined
}
