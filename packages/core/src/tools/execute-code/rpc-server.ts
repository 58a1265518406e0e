import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { ScriptCalls } from './script-calls.ts'

/** Longest request, bytes: what a script may write into a file. */
const maxLineBytes = 16 * 1024 * 1024

/** Where a script's tool calls arrive. */
export interface RpcServer extends AsyncDisposable {
  readonly path: string
  /** What a connection says first; of this run alone. */
  readonly token: string
}

/** Listens on a socket in a folder that only this user can enter; `calls` answers, one request a line. */
export async function startRpcServer(path: string, calls: ScriptCalls): Promise<RpcServer> {
  const token = randomBytes(24).toString('base64url')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A script that ends in the middle of a call is no failure of ours.
    socket.on('error', () => socket.destroy())
    void serve(socket, token, calls).catch(() => socket.destroy())
  })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o600)
  return {
    path,
    token,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function serve(socket: Socket, token: string, calls: ScriptCalls): Promise<void> {
  let waiting = 0
  socket.on('data', (bytes: Buffer) => {
    waiting = bytes.includes(0x0a) ? bytes.length - bytes.lastIndexOf(0x0a) : waiting + bytes.length
    if (waiting > maxLineBytes) socket.destroy()
  })
  let isKnown = false
  for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
    if (isKnown) {
      // A script that asks and does not read would have its answers pile up here.
      if (!socket.write(`${oneLine(await calls.answer(line))}\n`)) await once(socket, 'drain')
    } else if (isEqual(line, token)) isKnown = true
    else {
      socket.destroy()
      return
    }
  }
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** JSON has line ends as escapes only; a tool's text that is no JSON is made one. */
function oneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? JSON.stringify(JSON.parse(text)) : text
}
