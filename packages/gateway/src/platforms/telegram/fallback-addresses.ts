import { lookup as systemLookup } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import { isIPv4 } from 'node:net'
import type { LookupFunction } from 'node:net'
import { addressKind } from '@hermes/core/security/network/address-kind.ts'
import { z } from 'zod'
import type { Outbound } from '../../http/outbound.ts'

/** Where Telegram has been reachable for years when names led elsewhere; upstream's choice. */
const seed = '149.154.167.220'

/** Services that resolve names over HTTPS, as JSON: https://developers.google.com/speed/public-dns/docs/doh/json */
const resolvers = ['https://dns.google/resolve', 'https://cloudflare-dns.com/dns-query']

/** Longest that one of them may take, ms, and its longest answer, bytes. */
const [resolveMs, maxAnswer] = [4_000, 64 * 1024]

/** Addresses that are tried at most. */
const maxAddresses = 8

const dnsAnswer = z.looseObject({
  Answer: z.array(z.looseObject({ type: z.number(), data: z.string() })).default([]),
})

export interface FallbackOptions {
  /** The name whose addresses have stand-ins. */
  readonly host: string
  /** Stand-ins that people have named; where there are none they are looked for. */
  readonly addresses: readonly string[]
  /** What the system knows of a name. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>
  /** Looks for stand-ins. */
  readonly discover: (host: string, known: readonly string[], signal: AbortSignal) => Promise<readonly string[]>
}

/** Other addresses of a service, for networks whose names or routes to it are broken. */
export interface FallbackAddresses {
  /** Looks names up. The stand-ins come behind the system's answers until one of them was the way. */
  readonly lookup: LookupFunction
  /** A connection to the service was made: what led to it comes first from now on. */
  connected(address: string): void
  /** No connection came to be. Resolves to whether there is another way to try now. */
  failed(signal: AbortSignal): Promise<boolean>
}

export function createFallbackAddresses(options: FallbackOptions): FallbackAddresses {
  const { host, addresses, resolve = ofSystem, discover } = options
  let others: readonly string[] = []
  let first: string | undefined
  const known = async (name: string) => {
    try {
      return await resolve(name)
    } catch (error) {
      if (others.length === 0) throw error
      return []
    }
  }
  const all = async (): Promise<readonly LookupAddress[]> => {
    const own = await known(host)
    const standIns = others.map((address) => ({ address, family: 4 }))
    const list = [...own, ...standIns.filter(({ address }) => own.every((one) => one.address !== address))]
    const sticky = list.filter(({ address }) => address === first)
    return [...sticky, ...list.filter(({ address }) => address !== first)]
  }
  return {
    lookup(name, how, answer) {
      if (name !== host) return systemLookup(name, how, answer)
      all().then(
        (found) => {
          const [one] = found
          if (how.all) answer(null, [...found])
          else if (one) answer(null, one.address, one.family)
        },
        (error: NodeJS.ErrnoException) => answer(error, []),
      )
    },
    connected(address) {
      if (others.includes(address)) first = address
    },
    async failed(signal) {
      // They were tried already.
      if (others.length > 0) return false
      const system = await known(host).catch(() => [])
      const own = system.map(({ address }) => address)
      others = (addresses.length > 0 ? addresses : await discover(host, own, signal)).slice(0, maxAddresses)
      return others.length > 0
    },
  }
}

/** What resolvers over HTTPS know of a name beside `known`; where that is nothing, the address of old. */
export async function discoverAddresses(
  host: string,
  known: readonly string[],
  { outbound, urls = resolvers }: { readonly outbound: Outbound; readonly urls?: readonly string[] },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const told = await Promise.all(urls.map((url) => ask(`${url}?name=${host}&type=A`, outbound, signal)))
  const found = [...new Set(told.flat())].filter((address) => isPublicAddress(address) && !known.includes(address))
  return found.length > 0 ? found : [seed]
}

async function ask(url: string, outbound: Outbound, signal: AbortSignal): Promise<readonly string[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(resolveMs)])
  try {
    const answer = await outbound.send(url, { headers: { accept: 'application/dns-json' }, signal: limit })
    const parsed = dnsAnswer.safeParse(JSON.parse(String(await answer.read(maxAnswer))))
    return (parsed.data?.Answer ?? []).flatMap(({ type, data }) => (type === 1 ? [data] : []))
  } catch {
    // One that cannot be reached, or says something else, knows nothing.
    signal.throwIfAborted()
    return []
  }
}

/** An IPv4 address that is no private one. */
export function isPublicAddress(address: string): boolean {
  return isIPv4(address) && addressKind(address) === 'public'
}

function ofSystem(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found)))
  })
}
