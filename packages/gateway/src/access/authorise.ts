import type { Environment } from '@hermes/core/agent/context.ts'
import type { MessageSource } from '../messages/inbound-message.ts'
import type { PairingStore } from './pairing-store.ts'

/** Platforms whose messages have proved themselves before they come here. */
const selfAuthenticating: ReadonlySet<string> = new Set(['homeassistant', 'webhook', 'pheby'])

/** What allow-lists name where that is not users: `DEVICES` of `MOBILE_ALLOWED_DEVICES`. */
const listed: Readonly<Record<string, string>> = { mobile: 'DEVICES' }

export interface AccessRules {
  readonly environment: Environment
  readonly pairing: Pick<PairingStore, 'isApproved'>
  /** Beginning of the platform's variables. */
  readonly variablePrefix: string
}

/** Whether a person may speak to the agent. Nobody may who is not named: by id, by pairing, or by "all". */
export async function isAuthorised(source: MessageSource, rules: AccessRules): Promise<boolean> {
  const { environment, pairing, variablePrefix } = rules
  if (selfAuthenticating.has(source.platform)) return true
  const { userId, platform } = source
  const who = listed[platform] ?? 'USERS'
  if (!userId) return false
  if (isOn(environment[`${variablePrefix}_ALLOW_ALL_${who}`])) return true
  // Who is listed is let in also where the pairings cannot be read.
  return isListed(source, userId, rules) || pairing.isApproved(platform, userId)
}

function isListed(
  { platform, listedAs, userIdAlt }: MessageSource,
  userId: string,
  { environment, variablePrefix }: AccessRules,
): boolean {
  const who = listed[platform] ?? 'USERS'
  const own = idList(environment[`${variablePrefix}_ALLOWED_${who}`])
  const general = idList(environment['GATEWAY_ALLOWED_USERS'])
  if (own.length + general.length === 0) return isOn(environment['GATEWAY_ALLOW_ALL_USERS'])
  const allowed = new Set([...own, ...general])
  // Devices choose their ids themselves: nothing but the whole one is theirs.
  if (platform === 'mobile') return allowed.has('*') || allowed.has(userId)
  // Whoever has that name at another mail server is somebody else.
  if (platform === 'email') return allowed.has('*') || [...allowed].some((id) => id.toLowerCase() === userId)
  const ids = [userId, userIdAlt, userId.split('@')[0]].filter((id) => id !== undefined && id !== '')
  const isMeant = listedAs !== undefined && own.includes(listedAs)
  return allowed.has('*') || isMeant || ids.some((id) => allowed.has(id ?? ''))
}

function isOn(value: string | undefined): boolean {
  return ['true', '1', 'yes', 'on'].includes((value ?? '').trim().toLowerCase())
}

function idList(value: string | undefined): readonly string[] {
  return (value ?? '').split(',').flatMap((id) => id.trim() || [])
}
