import { userInfo } from 'node:os'

/** Who the mail belongs to: servers refuse to keep mail as root. */
export function mailUser(): { readonly name: string; readonly group: string } {
  const { uid, gid } = userInfo()
  return uid === 0 ? { name: 'nobody', group: 'nogroup' } : { name: String(uid), group: String(gid) }
}
