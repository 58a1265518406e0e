import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { ownRecord } from './pid-file.ts'
import type { PlatformStatus } from '../platforms/platform-runner.ts'

export type GatewayState = 'starting' | 'running' | 'draining' | 'stopped' | 'startup_failed'

const platformState = lazily(() =>
  z.looseObject({
    state: z.string(),
    error_message: z.string().nullish(),
    updated_at: z.string().optional(),
  }),
)

/** Upstream's `gateway_state.json`, for whoever asks how the gateway does. */
const stateFile = lazily(() =>
  z.looseObject({
    pid: z.int().optional(),
    gateway_state: z.string(),
    exit_reason: z.string().nullish(),
    active_agents: z.int().optional(),
    platforms: z.record(z.string(), platformState()).default({}),
    updated_at: z.string().optional(),
  }),
)

export type GatewayReport = z.infer<ReturnType<typeof stateFile>>

export interface StateToWrite {
  readonly state: GatewayState
  readonly reason?: string
  readonly busy: number
  readonly platforms: readonly PlatformStatus[]
  /** It ends in order to be started anew. */
  readonly isRestart?: boolean
  /** Ms since 1970. */
  readonly now: number
}

export async function writeGatewayState(
  home: Home,
  { state, reason, busy, platforms, isRestart = false, now }: StateToWrite,
): Promise<void> {
  const report = {
    ...ownRecord(),
    gateway_state: state,
    exit_reason: reason ?? null,
    restart_requested: isRestart,
    active_agents: busy,
    platforms: Object.fromEntries(
      platforms.map(({ platform, state: current, error, code, since }) => [
        platform,
        {
          state: current,
          error_code: code ?? null,
          error_message: error ?? null,
          updated_at: new Date(since).toISOString(),
        },
      ]),
    ),
    updated_at: new Date(now).toISOString(),
  }
  await writeFileAtomic(home.path('gateway_state.json'), JSON.stringify(report, null, 2), {
    mode: 0o600,
    isSynced: false,
  })
}

/** What the gateway last wrote of itself; undefined where it never did, or nobody can read it. */
export async function readGatewayState(home: Home): Promise<GatewayReport | undefined> {
  try {
    return stateFile().safeParse(JSON.parse(await readFile(home.path('gateway_state.json'), 'utf8'))).data
  } catch (error) {
    // What cannot be read tells nothing, and keeps no gateway from running.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return undefined
    throw error
  }
}
