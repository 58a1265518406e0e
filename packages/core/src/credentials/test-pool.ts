import type { Environment } from '../agent/context.ts'
import { openHome } from '../config/home.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { type CredentialPool, type CredentialPoolOptions, openCredentialPool } from './pool.ts'

// What the tests of this folder share.

/** Never aborts. */
export const { signal } = new AbortController()

export interface TestPool {
  readonly pool: CredentialPool
  readonly clock: ManualClock
  /** What people were told. */
  readonly notices: string[]
}

/** A pool on a home of the test's own, with a clock that stands. */
export function openTestPool(
  environment: Environment,
  options: Partial<CredentialPoolOptions> & { readonly clock?: ManualClock } = {},
): TestPool {
  const clock = options.clock ?? manualClock()
  const notices: string[] = []
  const onNotice = (message: string): void => void notices.push(message)
  const pool = openCredentialPool({ home: openHome(environment), environment, onNotice, ...options, clock })
  return { pool, clock, notices }
}

/** The text of an `auth.json` with manual API keys, by provider: `id` is `key-1`, `key-2` … */
export function authJson(pools: Readonly<Record<string, readonly string[]>>): string {
  const entry = (secret: string, at: number) => ({
    id: `key-${at + 1}`,
    label: `key ${at + 1}`,
    auth_type: 'api_key',
    priority: at,
    source: 'manual',
    access_token: secret,
    last_status: null,
    last_status_at: null,
    last_error_code: null,
    last_error_reason: null,
    last_error_message: null,
    last_error_reset_at: null,
    request_count: 0,
  })
  const lists = Object.entries(pools).map(([provider, secrets]) => [provider, secrets.map(entry)])
  return JSON.stringify({ version: 1, providers: {}, credential_pool: Object.fromEntries(lists) })
}
