import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { MOBILE_DEFAULT_PORT } from '@hermes/protocol/mobile/constants.ts'
import { readOrigins } from '../../http/page-origins.ts'
import type { PlatformSetup } from '../platform.ts'

export interface MobileSettings {
  /** What every device says in its hello. */
  readonly token: string
  /** Address that is listened on. */
  readonly host: string
  readonly port: number
  /** Of pages that may connect beside our own. */
  readonly origins: readonly string[]
}

const placeholders = /^(your[-_ ]|<|changeme|placeholder|token$|xxx)/i

/** It listens where it has a token. */
export function readSettings(config: Config, environment: Environment): PlatformSetup<MobileSettings> {
  const own = config.platforms['mobile']
  if (own?.enabled === false) return { state: 'absent' }
  const token = (environment['MOBILE_TOKEN'] || own?.token || '').trim()
  if (token === '') {
    const isMeant =
      own?.enabled || Object.entries(environment).some(([name, value]) => name.startsWith('MOBILE_') && value)
    return isMeant
      ? incomplete('it has no token. Put MOBILE_TOKEN into .env, for example from `openssl rand -hex 24`.')
      : { state: 'absent' }
  }
  if (placeholders.test(token))
    return incomplete('MOBILE_TOKEN still holds the example. Put one into .env that is secret.')
  const port = Number(environment['MOBILE_PORT']?.trim() || own?.extra?.['port'] || MOBILE_DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return incomplete('MOBILE_PORT is no port.')
  const given = environment['MOBILE_HOST']?.trim() || own?.extra?.['host']
  const host = typeof given === 'string' ? given : '127.0.0.1'
  const origins = readOrigins(
    environment['MOBILE_ALLOWED_ORIGINS'] || own?.extra?.['allowed_origins'],
    environment['MOBILE_PUBLIC_URL'],
  )
  return { state: 'ready', settings: { token, host, port, origins } }
}

function incomplete(reason: string): PlatformSetup<MobileSettings> {
  return { state: 'incomplete', reason }
}
