import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { startRpcServer } from './rpc-server.ts'

/** A server whose answers are 100,000 characters long, and a connection to it. */
async function connected(t: { after(fn: () => Promise<void>): void }, token?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-rpc-'))
  let count = 0
  const answered = Promise.withResolvers<void>()
  const calls = {
    get count() {
      return count
    },
    async answer(line: string) {
      count++
      answered.resolve()
      return JSON.stringify({ line, filler: 'x'.repeat(100_000) })
    },
  }
  const server = await startRpcServer(join(folder, 'rpc.sock'), calls)
  const socket = connect(server.path)
  t.after(async () => {
    socket.destroy()
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })
  socket.write(`${token ?? server.token}\n`)
  return { socket, calls, answered: answered.promise }
}

test('a script that asks and does not read is answered no further than it reads', async (t) => {
  const { socket, calls, answered } = await connected(t)
  const asked = 2_000
  for (let i = 0; i < asked; i++) socket.write(`${i}\n`)
  await answered
  // Whatever else it would do has been done when nothing is left to do.
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(calls.count < 100, `${calls.count} answers wait`)
  let read = 0
  for await (const line of createInterface({ input: socket })) {
    assert.equal(JSON.parse(line).line, String(read))
    if (++read === asked) break
  }
  assert.equal(calls.count, asked)
})

test('whoever does not know the token is not answered', async (t) => {
  const { socket, calls } = await connected(t, 'guess')
  socket.write('{"tool":"terminal"}\n')
  socket.resume()
  await once(socket, 'close')
  assert.equal(calls.count, 0)
})
