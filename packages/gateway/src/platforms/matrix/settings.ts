import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { z } from 'zod'
import { extraProblem } from '../extra-problem.ts'
import type { TextWaits } from '../batches.ts'
import type { PlatformSetup } from '../platform.ts'
import { decodeRecoveryKey } from './crypto/recovery-key.ts'

/** `platforms.matrix.extra`. */
const extra = z.looseObject({
  homeserver: z.string().optional(),
  user_id: z.string().optional(),
  password: z.string().optional(),
  device_id: z.string().optional(),
  encryption: z.union([z.boolean(), z.string()]).optional(),
})

export interface MatrixSettings {
  /** Address of the server, without a slash at the end. */
  readonly homeserver: string
  readonly credentials: Credentials
  readonly deviceId?: string
  readonly encryption: boolean
  /** Secret of the account's recovery key, with which the device is signed. */
  readonly recoveryKey?: Uint8Array
  readonly rules: RoomRules
  /** Whether the first message of an answer is a reply. */
  readonly replies: boolean
  /** Show by reactions how far the work is. */
  readonly reactions: boolean
  readonly waits: TextWaits
  /** Wait before the server is asked again after a failure, ms. */
  readonly retryMs: number
}

export type Credentials =
  | { readonly type: 'token'; readonly accessToken: string }
  | { readonly type: 'password'; readonly user: string; readonly password: string }

/** Which messages of rooms are for the agent, and where they are answered. */
export interface RoomRules {
  readonly requireMention: boolean
  readonly freeRooms: ReadonlySet<string>
  /** A message in a room begins a thread. */
  readonly autoThread: boolean
  /** In direct chats, one that names the agent does. */
  readonly directMentionThreads: boolean
}

/** Values that examples hold instead of a secret. */
const placeholders = /^(your[-_ ]|<|changeme|placeholder|token$|password$|syt_your|xxx)/i

export function readSettings(config: Config, environment: Environment): PlatformSetup<MatrixSettings> {
  const own = config.platforms['matrix']
  if (own?.enabled === false) return { state: 'absent' }
  const parsed = extra.safeParse(own?.extra ?? {})
  if (!parsed.success) return incomplete(extraProblem('matrix', parsed.error))
  const of = (name: string, other: string | undefined) => (environment[`MATRIX_${name}`] || other || '').trim()
  const accessToken = of('ACCESS_TOKEN', own?.token)
  const password = of('PASSWORD', parsed.data.password)
  const user = of('USER_ID', parsed.data.user_id)
  if (accessToken === '' && password === '') {
    return own?.enabled || environment['MATRIX_HOMESERVER']
      ? incomplete(
          'it has no MATRIX_ACCESS_TOKEN, and no MATRIX_USER_ID with MATRIX_PASSWORD. Put one of them into .env.',
        )
      : { state: 'absent' }
  }
  if (placeholders.test(accessToken || password)) {
    return incomplete('its token or password is still the one of the example. Put the real one into .env.')
  }
  if (accessToken === '' && user === '')
    return incomplete('MATRIX_PASSWORD needs MATRIX_USER_ID, such as @hermes:example.org.')
  const homeserver = homeserverOf(of('HOMESERVER', parsed.data.homeserver))
  if (homeserver === undefined) {
    return incomplete('MATRIX_HOMESERVER must be the address of the server, such as https://matrix.example.org.')
  }
  const recoveryKey = of('RECOVERY_KEY', undefined)
  const secret = recoveryKey === '' ? undefined : decodeRecoveryKey(recoveryKey)
  if (recoveryKey !== '' && !secret) {
    return incomplete('MATRIX_RECOVERY_KEY is no recovery key: those are some 58 letters and digits and begin with Es.')
  }
  const deviceId = of('DEVICE_ID', parsed.data.device_id)
  const { matrix } = config
  return {
    state: 'ready',
    settings: {
      homeserver,
      credentials: accessToken === '' ? { type: 'password', user, password } : { type: 'token', accessToken },
      ...(deviceId !== '' && { deviceId }),
      encryption: isOn(environment['MATRIX_ENCRYPTION'] ?? parsed.data.encryption, false),
      ...(secret && { recoveryKey: secret }),
      rules: {
        requireMention: matrix.require_mention,
        freeRooms: new Set(matrix.free_response_rooms),
        autoThread: matrix.auto_thread,
        directMentionThreads: matrix.dm_mention_threads,
      },
      replies: (environment['MATRIX_REPLY_TO_MODE'] || own?.reply_to_mode || '').trim().toLowerCase() !== 'off',
      reactions: isOn(environment['MATRIX_REACTIONS'], true),
      // Apps of Matrix cut no texts.
      waits: {
        textBatchMs: seconds(environment['HERMES_MATRIX_TEXT_BATCH_SPLIT_DELAY_SECONDS']),
        quietMs: seconds(environment['HERMES_MATRIX_TEXT_BATCH_DELAY_SECONDS']),
      },
      retryMs: 1_000,
    },
  }
}

function incomplete(reason: string): PlatformSetup<MatrixSettings> {
  return { state: 'incomplete', reason }
}

function homeserverOf(value: string): string | undefined {
  const url = URL.parse(/^https?:\/\//i.test(value) ? value : `https://${value}`)
  if (value === '' || !url || url.username !== '' || url.search !== '') return undefined
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** As ms; 0 where nothing of use is said. */
function seconds(value: string | undefined): number {
  const number = Number(value)
  return number > 0 ? Math.min(number, 30) * 1000 : 0
}

function isOn(value: unknown, fallback: boolean): boolean {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  return ['false', '0', 'no', 'off'].includes(word) ? false : fallback
}
