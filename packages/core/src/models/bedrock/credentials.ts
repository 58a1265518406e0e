import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../agent/context.ts'
import type { AwsCredentials } from './sign.ts'

/**
 * The keys of an AWS account, from the environment, else from a profile of the shared credentials file
 * (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html). Read anew each time: other programs renew them.
 */
export async function awsCredentials(environment: Environment): Promise<AwsCredentials | undefined> {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment
  const own = credentials(id, secret, token)
  if (own) return own
  const file =
    environment['AWS_SHARED_CREDENTIALS_FILE'] || join(environment['HOME'] || homedir(), '.aws', 'credentials')
  const profile = profileOf(await textOf(file), environment['AWS_PROFILE'] || 'default')
  return credentials(
    profile.get('aws_access_key_id'),
    profile.get('aws_secret_access_key'),
    profile.get('aws_session_token'),
  )
}

function credentials(
  id: string | undefined,
  secret: string | undefined,
  token: string | undefined,
): AwsCredentials | undefined {
  if (!id?.trim() || !secret?.trim()) return undefined
  return {
    accessKeyId: id.trim(),
    secretAccessKey: secret.trim(),
    ...(token?.trim() && { sessionToken: token.trim() }),
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES')) return ''
    throw error
  }
}

function profileOf(text: string, name: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let isIt = false
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(?:profile\s+)?(.+?)\s*\]/.exec(line)?.[1]
    if (section !== undefined) isIt = section === name
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/i.exec(line) ?? []
    if (isIt && key !== undefined && value !== undefined) found.set(key.toLowerCase(), value)
  }
  return found
}
