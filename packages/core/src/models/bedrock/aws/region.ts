import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../agent/context.ts'
import { profileSection, sections } from './sections.ts'

/** The region of calls: the environment's, else that of the profile in `~/.aws/config`, else us-east-1. */
export function awsRegion(environment: Environment): string {
  const set = environment['AWS_REGION']?.trim() || environment['AWS_DEFAULT_REGION']?.trim()
  return set || profileRegion(environment) || 'us-east-1'
}

function profileRegion(environment: Environment): string | undefined {
  const { AWS_CONFIG_FILE: named, HOME: user } = environment
  // Without either, nobody's settings are meant.
  const file = named || (user && join(user, '.aws', 'config'))
  if (!file) return undefined
  try {
    const config = sections(readFileSync(file, 'utf8'))
    return profileSection(config, environment['AWS_PROFILE']?.trim() || 'default')?.get('region')
  } catch (error) {
    // What cannot be read is told by whoever needs keys from it.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
