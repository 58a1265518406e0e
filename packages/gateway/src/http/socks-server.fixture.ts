import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/**
 * A SOCKS5 proxy (RFC 1928, RFC 1929) for tests, which connects everybody to one port of this machine and notes where they
 * wanted to go. `password`: whether it asks for one.
 */
export async function startSocksServer(target: () => number, { password }: { readonly password?: string } = {}) {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => sockets.delete(client))
    serve(client).catch(() => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function serve(client: Socket): Promise<void> {
    const [, count = 0] = await take(client, 2)
    await take(client, count)
    client.write(Buffer.from([5, password === undefined ? 0 : 2]))
    if (password !== undefined && !(await knows(client, password))) return void client.destroy()
    const [, , , kind = 0] = await take(client, 4)
    const host = kind === 3 ? (await take(client, (await take(client, 1))[0] ?? 0)).toString() : `kind ${kind}`
    const port = (await take(client, 2)).readUInt16BE()
    asked.push(`${host}:${port}`)
    const onward = connect(target(), '127.0.0.1')
    onward.on('error', () => client.destroy())
    await once(onward, 'connect')
    client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]))
    onward.pipe(client).pipe(onward)
    client.on('close', () => onward.destroy())
  }
  return {
    asked,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function knows(client: Socket, password: string): Promise<boolean> {
  const [, nameLength = 0] = await take(client, 2)
  const name = (await take(client, nameLength)).toString()
  const given = (await take(client, (await take(client, 1))[0] ?? 0)).toString()
  const isRight = name === 'ann' && given === password
  client.write(Buffer.from([1, isRight ? 0 : 1]))
  return isRight
}

/** So many bytes; they are sent one piece after the other. */
async function take(client: Socket, size: number): Promise<Buffer> {
  for (;;) {
    const piece = client.read(size) as Buffer | null
    if (piece !== null) return piece
    if (size === 0) return Buffer.alloc(0)
    await once(client, 'readable', { signal: AbortSignal.timeout(10_000) })
  }
}
