import { networkInterfaces } from 'node:os'

export const localHost = '127.0.0.1'

/** An address of this machine that others in a network may reach. */
export interface LanAddress {
  readonly address: string
  /** Name of the network interface. */
  readonly network: string
}

/** IPv4 addresses of this machine, without its own loop. */
export function lanAddresses(): readonly LanAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([network, all]) =>
    (all ?? []).flatMap(({ address, family, internal }) =>
      family === 'IPv4' && !internal ? [{ address, network }] : [],
    ),
  )
}

/** The likeliest address by which a phone reaches a server that listens there. */
export function phoneAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const reached = isAny ? (lanAddresses()[0]?.address ?? localHost) : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** What is wrong with an address for phones, if anything. */
export function phoneAddressProblem(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === ''
  return isPlain ? undefined : 'an address looks like https://phone.example.org or http://192.168.1.5:8787'
}

/**
 * The page for phones with what lets it in. That stands behind the `#`, which browsers send to no server and no log of
 * one.
 */
export function phoneLink(address: string, secret: string): string {
  const page = address.replace(/\/+$/, '').replace(/\/app$/, '')
  return `${page}/app/#token=${encodeURIComponent(secret)}`
}

/** Whether browsers let a page from there use the microphone and be installed. */
export function isSecureAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
