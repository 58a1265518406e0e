import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isLoopbackAddress } from './access.ts'

/** Whether others than this machine may reach what listens on this address or name. */
export async function isExposed(host: string): Promise<boolean> {
  if (isIP(host) !== 0) return !isLoopbackAddress(host)
  try {
    const found = await lookup(host, { all: true })
    return found.length === 0 || found.some(({ address }) => !isLoopbackAddress(address))
  } catch {
    // A name that nobody knows now may be anything later.
    return true
  }
}
