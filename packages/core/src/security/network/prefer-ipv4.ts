import { setDefaultResultOrder } from 'node:dns'
import { setDefaultAutoSelectFamily } from 'node:net'

/** Has the whole process take a host's IPv4 address wherever it has one: `network.force_ipv4`. */
export function preferIPv4(): void {
  setDefaultResultOrder('ipv4first')
  // Else the others would be tried when the first is slow.
  setDefaultAutoSelectFamily(false)
}
