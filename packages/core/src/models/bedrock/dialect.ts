import type { AwsCredentials } from './sign.ts'

/** Which of Amazon's places is spoken to, and as whom. */
export interface ConverseDialect {
  readonly region: string
  /** Of the account, for calls without a key of Bedrock; undefined where there are none. */
  readonly credentials: () => Promise<AwsCredentials | undefined>
}
