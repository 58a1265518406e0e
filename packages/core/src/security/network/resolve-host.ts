import { lookup } from 'node:dns/promises'
import { NetworkError } from './network-error.ts'

/** The addresses of a host name. Throws anything where there are none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>

/** As the machine itself resolves: its hosts file, then its name servers. */
export async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address)
}

/** Asks, at most as long as `signal` lets. Throws `NetworkError` `dns`; when `signal` aborts, its reason. */
export async function addressesOf(
  hostname: string,
  resolve: ResolveHost,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const addresses = await Promise.race([resolve(hostname), stopped])
    if (addresses.length === 0) throw new NetworkError('dns', `${hostname} has no address`)
    return addresses
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NetworkError) throw error
    throw new NetworkError('dns', `${hostname} has no address that can be found`, { cause: error })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
