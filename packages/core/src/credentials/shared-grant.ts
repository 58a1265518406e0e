import { jwtClaims } from './jwt-claims.ts'
import type { GrantStore, KeptGrant } from './grant.ts'
import { tokenIsDue } from './oauth/renew-token.ts'

/**
 * A grant of our own that another program's file may hold a copy of, as homes have it that took their sign-in over from
 * there. A copy is renewed along with ours, so that the other program does not spend its token again; and what the other
 * program has renewed is taken over, so that we do not spend ours.
 */
export function sharedGrantStore(own: GrantStore, file: GrantStore, now: () => number): GrantStore {
  return {
    ...own,
    read: async () => {
      const [mine, theirs] = [await own.read(), await file.read()]
      if (!mine || !theirs || mine.refreshToken === theirs.refreshToken) return mine
      const isDue = (grant: KeptGrant): boolean => tokenIsDue(grant, undefined, now())
      if (!isDue(mine) || isDue(theirs) || !isSameAccount(mine, theirs)) return mine
      await own.write(theirs)
      return theirs
    },
    write: async (grant) => {
      const [mine, theirs] = [await own.read(), await file.read()]
      await own.write(grant)
      if (theirs && theirs.refreshToken === mine?.refreshToken) await file.write(grant)
    },
  }
}

function isSameAccount(a: KeptGrant, b: KeptGrant): boolean {
  const account = accountOf(a)
  return account !== undefined && account === accountOf(b)
}

function accountOf({ accessToken }: KeptGrant): unknown {
  const claims = jwtClaims(accessToken)
  return claims?.['sub'] ?? claims?.['email']
}
