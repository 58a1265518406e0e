import type { Home } from '@hermes/core/config/home.ts'
import { createFileMemo } from '@hermes/core/storage/file-memo.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { createInvitations } from './invitations.ts'
import type { Invitation } from './invitations.ts'
import { codeSeconds, newCode, openPairingFiles } from './pairing-files.ts'

/** Seconds: the pause between two codes of one person, and of a platform after too many wrong codes. */
const requestSeconds = 600
const lockoutSeconds = 3600
const maxPending = 3
const maxFailures = 5

const pendingFile = lazily(() =>
  z.record(
    z.string(),
    z.looseObject({ user_id: z.string(), user_name: z.string().default(''), created_at: z.number() }),
  ),
)
const approvedFile = lazily(() =>
  z.record(z.string(), z.looseObject({ user_name: z.string().default(''), approved_at: z.number().optional() })),
)
const limitsFile = lazily(() => z.record(z.string(), z.number()))

export interface PendingPairing {
  readonly platform: string
  readonly code: string
  readonly userId: string
  readonly userName: string
  /** Seconds since it was made. */
  readonly ageSeconds: number
}

export interface ApprovedUser {
  readonly platform: string
  readonly userId: string
  readonly userName: string
}

/** What a stranger gets. `silence`: they asked lately, or too many do. */
export type PairingRequest =
  | { readonly type: 'code'; readonly code: string }
  | { readonly type: 'full' }
  | { readonly type: 'silence' }

/**
 * Who may speak to the agent by having been let in: a stranger gets a code, which its owner approves. Upstream's files,
 * changed under a lock, 0600. Times in seconds since 1970, as upstream's.
 */
export interface PairingStore {
  isApproved(platform: string, userId: string): Promise<boolean>
  request(platform: string, userId: string, userName: string): Promise<PairingRequest>
  /** Lets in whom a code belongs to; undefined where it is none. After five wrong ones no new codes are made for an hour. */
  approve(platform: string, code: string): Promise<ApprovedUser | undefined>
  /** Until when a platform makes no new codes, since too many were wrong, ms since 1970. */
  lockedUntil(platform: string): Promise<number | undefined>
  revoke(platform: string, userId: string): Promise<boolean>
  pending(): Promise<readonly PendingPairing[]>
  approved(): Promise<readonly ApprovedUser[]>
  /** Resolves to how many codes were taken back, invitations among them. */
  clearPending(): Promise<number>
  /** A code that lets in who writes it to the agent within an hour, once. Undefined: too many are open. */
  invite(platform: string): Promise<string | undefined>
  /** Lets somebody in whose message is the code of an invitation. Resolves to whether it was one. */
  accept(platform: string, text: string, user: { readonly userId: string; readonly userName: string }): Promise<boolean>
  invitations(): Promise<readonly Invitation[]>
}

/** `now`: ms since 1970. */
export function createPairingStore(home: Home, now: () => number): PairingStore {
  const files = openPairingFiles(home)
  const { read, write, locked, pathOf, platformsWith } = files
  const seconds = () => now() / 1000
  const memo = createFileMemo()
  const letIn = async (platform: string, userId: string, userName: string) => {
    const approved = await read(approvedName(platform), approvedFile(), {})
    const entry = { user_name: userName, approved_at: seconds() }
    await write(approvedName(platform), { ...approved, [userId]: entry })
  }
  const livePending = async (platform: string) => {
    const all = await read(pendingName(platform), pendingFile(), {})
    return Object.fromEntries(Object.entries(all).filter(([, one]) => seconds() - one.created_at < codeSeconds))
  }
  const invited = createInvitations(files, now)

  return {
    async isApproved(platform, userId) {
      const name = approvedName(platform)
      const approved = await memo.of(name, (watch) => {
        watch(pathOf(name))
        return read(name, approvedFile(), {})
      })
      return Object.hasOwn(approved, userId)
    },
    request: (platform, userId, userName) =>
      locked(async () => {
        const limits = await read(limitsName, limitsFile(), {})
        const asked = limits[`${platform}:${userId}`] ?? 0
        if (isWithin(seconds() - asked, requestSeconds)) return { type: 'silence' }
        const pending = await livePending(platform)
        const isLocked = isLockedOut(limits, platform, seconds())
        await write(limitsName, { ...stillCounting(limits, seconds()), [`${platform}:${userId}`]: seconds() })
        if (isLocked || Object.keys(pending).length >= maxPending) return { type: 'full' }
        const code = newCode(pending)
        const entry = { user_id: userId, user_name: userName, created_at: seconds() }
        await write(pendingName(platform), { ...pending, [code]: entry })
        return { type: 'code', code }
      }),
    approve: (platform, text) =>
      locked(async () => {
        const code = text.trim().toUpperCase()
        const limits = await read(limitsName, limitsFile(), {})
        const pending = await livePending(platform)
        const found = Object.hasOwn(pending, code) ? pending[code] : undefined
        if (!found) {
          await write(limitsName, afterFailure(limits, platform, seconds()))
          return undefined
        }
        const { [code]: _used, ...left } = pending
        await letIn(platform, found.user_id, found.user_name)
        await write(pendingName(platform), left)
        return { platform, userId: found.user_id, userName: found.user_name }
      }),
    async lockedUntil(platform) {
      const limits = await read(limitsName, limitsFile(), {})
      return isLockedOut(limits, platform, seconds()) ? (limits[`_lockout:${platform}`] ?? 0) * 1000 : undefined
    },
    revoke: (platform, userId) =>
      locked(async () => {
        const approved = await read(approvedName(platform), approvedFile(), {})
        if (!Object.hasOwn(approved, userId)) return false
        const { [userId]: _gone, ...left } = approved
        await write(approvedName(platform), left)
        return true
      }),
    async pending() {
      const lists = (await platformsWith('-pending.json')).map(async (platform) =>
        Object.entries(await livePending(platform)).map(([code, one]) => ({
          platform,
          code,
          userId: one.user_id,
          userName: one.user_name,
          ageSeconds: seconds() - one.created_at,
        })),
      )
      return (await Promise.all(lists)).flat()
    },
    async approved() {
      const lists = (await platformsWith('-approved.json')).map(async (platform) =>
        Object.entries(await read(approvedName(platform), approvedFile(), {})).map(([userId, one]) => ({
          platform,
          userId,
          userName: one.user_name,
        })),
      )
      return (await Promise.all(lists)).flat()
    },
    clearPending: () =>
      locked(async () => {
        let count = await invited.clear()
        for (const platform of await platformsWith('-pending.json')) {
          count += Object.keys(await livePending(platform)).length
          await write(pendingName(platform), {})
        }
        return count
      }),
    invite: (platform) => invited.invite(platform),
    accept: (platform, text, { userId, userName }) =>
      invited.accept(platform, text, userId, () => letIn(platform, userId, userName)),
    invitations: () => invited.invitations(),
  }
}

const limitsName = '_rate_limits.json'
const pendingName = (platform: string) => `${platform}-pending.json`
const approvedName = (platform: string) => `${platform}-approved.json`

/** Without those who may ask again, so that it does not grow with every stranger. */
function stillCounting(limits: Readonly<Record<string, number>>, at: number): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(limits).filter(([name, asked]) => name.startsWith('_') || isWithin(at - asked, requestSeconds)),
  )
}

/** Whether something is younger than that. What lies ahead was noted before a clock was set back, and keeps nobody waiting. */
function isWithin(ageSeconds: number, mostSeconds: number): boolean {
  return ageSeconds >= 0 && ageSeconds < mostSeconds
}

function isLockedOut(limits: Readonly<Record<string, number>>, platform: string, at: number): boolean {
  return isWithin(at - ((limits[`_lockout:${platform}`] ?? 0) - lockoutSeconds), lockoutSeconds)
}

function afterFailure(
  limits: Readonly<Record<string, number>>,
  platform: string,
  at: number,
): Readonly<Record<string, number>> {
  const failures = (limits[`_failures:${platform}`] ?? 0) + 1
  return failures >= maxFailures
    ? { ...limits, [`_failures:${platform}`]: 0, [`_lockout:${platform}`]: at + lockoutSeconds }
    : { ...limits, [`_failures:${platform}`]: failures }
}
