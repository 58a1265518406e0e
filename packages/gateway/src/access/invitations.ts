import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { createLockOut } from '../http/lock-out.ts'
import { codeIn, codeSeconds, newCode } from './pairing-files.ts'
import type { PairingFiles } from './pairing-files.ts'

/** Open ones of a platform; more are refused. */
const maxOpen = 10

const file = lazily(() => z.record(z.string(), z.looseObject({ created_at: z.number() })))
const suffix = '-invitations.json'

export interface Invitation {
  readonly platform: string
  readonly code: string
  /** Seconds since it was made. */
  readonly ageSeconds: number
}

/** Codes that the owner gives to somebody beforehand: who writes one to the agent is let in, once. */
export interface Invitations {
  /** Undefined: too many are open. */
  invite(platform: string): Promise<string | undefined>
  /** Whether somebody's message is the code of an invitation: `letIn` is done under the lock, and the code used up. */
  accept(platform: string, text: string, userId: string, letIn: () => Promise<void>): Promise<boolean>
  invitations(): Promise<readonly Invitation[]>
  /** Resolves to how many were taken back. */
  clear(): Promise<number>
}

/** `now`: ms since 1970. */
export function createInvitations(files: PairingFiles, now: () => number): Invitations {
  const seconds = () => now() / 1000
  const hourMs = 3_600_000
  // Somebody who guesses is not listened to for a while; each has a limit of their own, so that nobody stands in another's way.
  const guesses = createLockOut({ failures: 5, windowMs: hourMs, lockedMs: hourMs, now })
  const open = async (platform: string) => {
    const all = await files.read(`${platform}${suffix}`, file(), {})
    return Object.fromEntries(Object.entries(all).filter(([, one]) => seconds() - one.created_at < codeSeconds))
  }
  return {
    invite: (platform) =>
      files.locked(async () => {
        const there = await open(platform)
        if (Object.keys(there).length >= maxOpen) return undefined
        const code = newCode(there)
        await files.write(`${platform}${suffix}`, { ...there, [code]: { created_at: seconds() } })
        return code
      }),
    async accept(platform, text, userId, letIn) {
      const code = codeIn(text)
      const who = JSON.stringify([platform, userId])
      if (code === undefined || guesses.isLocked(who)) return false
      return files.locked(async () => {
        const there = await open(platform)
        if (!Object.hasOwn(there, code)) {
          guesses.failed(who)
          return false
        }
        const { [code]: _used, ...left } = there
        await letIn()
        await files.write(`${platform}${suffix}`, left)
        return true
      })
    },
    async invitations() {
      const lists = (await files.platformsWith(suffix)).map(async (platform) =>
        Object.entries(await open(platform)).map(([code, one]) => ({
          platform,
          code,
          ageSeconds: seconds() - one.created_at,
        })),
      )
      return (await Promise.all(lists)).flat()
    },
    async clear() {
      let count = 0
      for (const platform of await files.platformsWith(suffix)) {
        count += Object.keys(await open(platform)).length
        await files.write(`${platform}${suffix}`, {})
      }
      return count
    },
  }
}
