import type { Environment } from '../../../agent/context.ts'
import { runInGroup } from '../../../terminals/run-in-group.ts'
import { ModelError } from '../../model-error.ts'
import { parseFields, text } from '../../wire/json-fields.ts'
import { requiredIdentity } from './identity.ts'
import type { AwsIdentity } from './identity.ts'

/** How long the program may take: it may ask a person for a second factor. */
const timeoutMs = 60_000

/**
 * What a program of the person's own gives
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html).
 */
export async function processIdentity(
  command: string,
  profile: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<AwsIdentity> {
  const what = `credential_process of the AWS profile ${profile}`
  const output = await outputOf(command, what, environment, signal)
  const given = parseFields(output)
  if (given?.['Version'] !== 1) {
    throw new ModelError('not-configured', `${what} must print JSON with "Version": 1.`)
  }
  const [id, secret, token] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((name) => text(given[name]))
  return requiredIdentity({ id, secret, token, expiration: text(given['Expiration']) }, what)
}

async function outputOf(command: string, what: string, environment: Environment, signal: AbortSignal): Promise<string> {
  const { end, code, stdout } = await runInGroup(
    { program: '/bin/sh', args: ['-c', command], env: environment, timeoutMs, maxChars: 65_536 },
    signal,
  )
  if (end === 'exited' && code === 0) return stdout
  // Its own words may hold secrets.
  const how = end === 'late' ? 'took too long' : `failed (${end === 'exited' ? code : end})`
  throw new ModelError('auth', `${what} ${how}; run it by hand to see why.`)
}
