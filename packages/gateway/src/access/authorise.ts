import type { Environment } from '@hermes/core/agent/context.ts'
import type { MessageSource } from '../messages/inbound-message.ts'
import type { PairingStore } from './pairing-store.ts'

/** Platforms whose messages have proved themselves before they come here. */
const selfAuthenticating: ReadonlySet<string> = new Set(['homeassistant', 'webhook'])

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
  const { userId, listedAs } = source
  if (!userId) return false
  if (isOn(environment[`${variablePrefix}_ALLOW_ALL_USERS`])) return true
  if (await pairing.isApproved(source.platform, userId)) return true
  const own = idList(environment[`${variablePrefix}_ALLOWED_USERS`])
  const general = idList(environment['GATEWAY_ALLOWED_USERS'])
  if (own.length + general.length === 0) return isOn(environment['GATEWAY_ALLOW_ALL_USERS'])
  const allowed = new Set([...own, ...general])
  const ids = [userId, source.userIdAlt, userId.split('@')[0]].filter((id) => id !== undefined && id !== '')
  const isListed = listedAs !== undefined && own.includes(listedAs)
  return allowed.has('*') || isListed || ids.some((id) => allowed.has(id ?? ''))
}

function isOn(value: string | undefined): boolean {
  return ['true', '1', 'yes', 'on'].includes((value ?? '').trim().toLowerCase())
}

function idList(value: string | undefined): readonly string[] {
  return (value ?? '').split(',').flatMap((id) => id.trim() || [])
}
