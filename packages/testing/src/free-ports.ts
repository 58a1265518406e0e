import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Server } from 'node:net'

/**
 * Where ports are looked for: below those that Linux gives by itself (from 32768), to programs that ask for any port and to
 * each outgoing connection. So nothing else takes one between its being found and its use, or while a server restarts.
 */
const [first, end] = [10_000, 32_000]

/** How often another one is tried. */
const maxTries = 100

/** A port of loopback that nothing listens on now. */
export async function freePort(): Promise<number> {
  return (await freePorts(['port'])).port
}

/** Ports of loopback that nothing listens on now, by name. */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const held: Server[] = []
  try {
    const ports: [Name, number][] = []
    for (const name of names) {
      const { server, port } = await hold()
      held.push(server)
      ports.push([name, port])
    }
    return Object.fromEntries(ports) as Record<Name, number>
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))))
  }
}

async function hold(): Promise<{ readonly server: Server; readonly port: number }> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(first, end)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      return { server, port }
    } catch (error) {
      if (tries === maxTries) throw error
    }
  }
}
