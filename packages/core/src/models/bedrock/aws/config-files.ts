import { readFile } from 'node:fs/promises'
import type { Environment } from '../../../agent/context.ts'
import { profileSection, sections } from './sections.ts'
import type { AwsSection } from './sections.ts'
import { awsPath } from './sources.ts'

/** What `~/.aws/config` and `~/.aws/credentials` say (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html). */
export interface AwsConfig {
  /** A profile's settings, those of the credentials file first; undefined where neither file has it. */
  profile(name: string): AwsSection | undefined
  ssoSession(name: string): AwsSection | undefined
}

/** Reads both files anew: other programs change them. */
export async function readAwsConfig(environment: Environment): Promise<AwsConfig> {
  const [config, credentials] = await Promise.all([
    readIfThere(environment['AWS_CONFIG_FILE'] || awsPath(environment, 'config')),
    readIfThere(environment['AWS_SHARED_CREDENTIALS_FILE'] || awsPath(environment, 'credentials')),
  ])
  const ofConfig = sections(config)
  const ofCredentials = sections(credentials)
  return {
    profile: (name) => {
      const settings = profileSection(ofConfig, name)
      const keys = ofCredentials.get(name) ?? ofCredentials.get(`profile ${name}`)
      return settings || keys ? new Map([...(settings ?? []), ...(keys ?? [])]) : undefined
    },
    ssoSession: (name) => ofConfig.get(`sso-session ${name}`),
  }
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return ''
    throw error
  }
}
