import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { ResolveHost } from './resolve-host.ts'

/** A small name server on this machine; each question is answered by `answer`, with a time to live of nothing. */
export interface DnsServer extends AsyncDisposable {
  /** Asks this server, for both kinds of address. */
  readonly resolve: ResolveHost
  /** The names that were asked for IPv4 addresses. */
  readonly asked: readonly string[]
}

/** `answer` gives the addresses of a name, of both kinds; `count` is how often its IPv4 address was asked for before. */
export async function startDnsServer(
  answer: (name: string, count: number) => readonly string[] | undefined,
): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (question, peer) => {
    const { name, type, end } = readQuestion(question)
    const count = asked.filter((one) => one === name).length
    if (type === 1) asked.push(name)
    const addresses = answer(name, type === 1 ? count : Math.max(0, count - 1))?.filter((one) => isOfType(one, type))
    socket.send(writeAnswer(question.subarray(0, end), type, addresses), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    asked,
    async resolve(hostname) {
      const kinds = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      return kinds.flatMap((kind) => (kind.status === 'fulfilled' ? kind.value : []))
    },
    async [Symbol.asyncDispose]() {
      resolver.cancel()
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

function isOfType(address: string, type: number): boolean {
  return address.includes(':') ? type === 28 : type === 1
}

function readQuestion(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function writeAnswer(question: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const header = Buffer.from(question)
  // An answer with authority; without addresses, either an empty one or "no such name".
  header.writeUInt16BE(addresses === undefined ? 0x8583 : 0x8580, 2)
  header.writeUInt16BE(addresses?.length ?? 0, 6)
  header.writeUInt32BE(0, 8)
  const records = (addresses ?? []).map((address) => {
    const data = addressBytes(address)
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([header, ...records])
}

/** IPv6 addresses are written with all eight groups, or with one `::`. */
function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
