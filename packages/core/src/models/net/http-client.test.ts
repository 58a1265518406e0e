import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { test } from 'node:test'
import { createGzip } from 'node:zlib'
import { createHttpClient } from './http-client.ts'
import type { HttpRequest, HttpResponse } from './http-client.ts'
import { readText } from './read-text.ts'
import type { TransportFailure } from './transport-error.ts'

const patient = { connectMs: 10_000, silenceMs: 10_000, progressMs: 10_000, totalMs: 10_000 }
const never = new AbortController().signal

interface Running extends AsyncDisposable {
  readonly port: number
}

async function listening(server: Server): Promise<Running> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function httpServer(listener: RequestListener): Promise<Running> {
  return listening(createHttpServer(listener))
}

function get(port: number, limits: Partial<HttpRequest['limits']> = {}, scheme = 'http'): HttpRequest {
  return { method: 'GET', url: `${scheme}://127.0.0.1:${port}/`, headers: {}, limits: { ...patient, ...limits } }
}

async function textOf(response: HttpResponse): Promise<string> {
  try {
    return await readText(response.body, 1_000_000)
  } finally {
    response.release()
  }
}

function failsAs(failure: TransportFailure, message: RegExp) {
  return { name: 'TransportError', failure, message }
}

test('one connection serves request after request, also when an answer is not read to its end', async () => {
  let connections = 0
  const server = createHttpServer((_, response) => {
    response.write('one ')
    setImmediate(() => response.end('two'))
  })
  server.on('connection', () => connections++)
  await using running = await listening(server)
  const http = createHttpClient({})
  for (let i = 0; i < 3; i++) {
    const response = await http.send(get(running.port), never)
    for await (const bytes of response.body) {
      assert.match(Buffer.from(bytes).toString(), /^one /)
      break
    }
    response.release()
    assert.equal(await textOf(await http.send(get(running.port), never)), 'one two')
  }
  // A second one while the rest of an answer was still on its way; without reuse there would be six.
  assert.ok(connections <= 2, `${connections} connections`)
})

test('a kept connection that the server has closed meanwhile is replaced without an error', async () => {
  const server = createHttpServer((_, response) => response.end('fine'))
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  await using running = await listening(server)
  const http = createHttpClient({})
  assert.equal(await textOf(await http.send(get(running.port), never)), 'fine')
  // Reset as the next request arrives: the client cannot know before it writes.
  sockets[0]?.prependOnceListener('data', () => sockets[0]?.resetAndDestroy())
  assert.equal(await textOf(await http.send(get(running.port), never)), 'fine')
  assert.equal(sockets.length, 2)
})

test('nothing that listens is told as such', async () => {
  const running = await httpServer(() => {})
  await running[Symbol.asyncDispose]()
  await assert.rejects(
    createHttpClient({}).send(get(running.port), never),
    failsAs('unreachable', /127\.0\.0\.1:\d+ refuses connections/),
  )
})

test('a connection that is never made ends at its limit', async () => {
  // A server that accepts and never speaks: the secure connection is not made.
  await using running = await listening(createServer())
  await assert.rejects(
    createHttpClient({}).send(get(running.port, { connectMs: 30 }, 'https'), never),
    failsAs('timeout', /No connection .* within 0\.03 s/),
  )
})

test('a server that never answers ends at the silence limit', async () => {
  await using running = await httpServer(() => {})
  await assert.rejects(
    createHttpClient({}).send(get(running.port, { silenceMs: 30 }), never),
    failsAs('timeout', /sent nothing for/),
  )
})

test('a server that falls silent in the middle ends at the silence limit', async () => {
  await using running = await httpServer((_, response) => response.write('one '))
  const response = await createHttpClient({}).send(get(running.port, { silenceMs: 1_000 }), never)
  await assert.rejects(textOf(response), failsAs('timeout', /sent nothing for/))
})

test('a server that only sends signs of life ends at the progress limit', async () => {
  await using running = await httpServer((_, response) => {
    const timer = setInterval(() => response.write(': ping\n'), 5)
    response.once('close', () => clearInterval(timer))
  })
  const response = await createHttpClient({}).send(get(running.port, { progressMs: 1_000 }), never)
  await assert.rejects(textOf(response), failsAs('timeout', /only signs of life/))
})

test('a server that makes progress without end ends at the limit for all of it', async () => {
  await using running = await httpServer((_, response) => {
    const timer = setInterval(() => response.write('more'), 5)
    response.once('close', () => clearInterval(timer))
  })
  const response = await createHttpClient({}).send(get(running.port, { totalMs: 1_000 }), never)
  const reading = (async () => {
    for await (const bytes of response.body) if (bytes.length > 0) response.progress()
  })()
  await assert.rejects(reading, failsAs('timeout', /did not finish/))
})

test('an abort ends the request at once, with its own reason, and the server sees it', async () => {
  const reason = new Error('enough')
  for (const when of ['before the answer', 'in the answer']) {
    const gone = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    await using running = await httpServer((_, response) => {
      response.once('close', () => gone.resolve())
      if (when === 'in the answer') response.write('one ')
      arrived.resolve()
    })
    const abort = new AbortController()
    const call = async () => textOf(await createHttpClient({}).send(get(running.port), abort.signal))
    const calling = call()
    await arrived.promise
    abort.abort(reason)
    await assert.rejects(calling, (error) => error === reason)
    await gone.promise
  }
})

test('an answer that is cut off is an error', async () => {
  await using running = await httpServer((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('one ', () => response.destroy())
  })
  const response = await createHttpClient({}).send(get(running.port), never)
  await assert.rejects(textOf(response), failsAs('unreachable', /closed the connection/))
})

test('an answer that is packed is read as it comes, and its connection is used again', async () => {
  let connections = 0
  const server = createHttpServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const packer = createGzip()
    packer.pipe(response)
    packer.write('one ')
    packer.flush(() => packer.end('two'))
  })
  server.on('connection', () => connections++)
  await using running = await listening(server)
  const http = createHttpClient({})
  for (let i = 0; i < 3; i++) assert.equal(await textOf(await http.send(get(running.port), never)), 'one two')
  assert.equal(connections, 1)
})

test('an answer in too many codings is refused, and the server is hung up on', async () => {
  const gone = Promise.withResolvers<void>()
  await using running = await httpServer((_, response) => {
    response.once('close', () => gone.resolve())
    response.writeHead(200, { 'content-encoding': 'br, br, br, br' })
    response.write('x')
  })
  await assert.rejects(createHttpClient({}).send(get(running.port), never), failsAs('refused', /4 codings/))
  await gone.promise
})

test('what is no web address is refused', async () => {
  const request = { ...get(1), url: 'localhost:1234/v1' }
  await assert.rejects(createHttpClient({}).send(request, never), failsAs('refused', /no http:\/\/ or https:\/\//))
})

test('a header that cannot be sent is refused without telling it', async () => {
  const request = { ...get(1), headers: { authorization: 'Bearer line\nbreak' } }
  await assert.rejects(createHttpClient({}).send(request, never), (error: Error) => {
    assert.equal((error as { failure?: string }).failure, 'refused')
    assert.doesNotMatch(error.message, /break/)
    return true
  })
})

test('the proxy of the environment is used, except for this machine', async () => {
  const asked: (string | undefined)[] = []
  await using proxy = await httpServer((request, response) => {
    asked.push(request.url)
    response.end('by proxy')
  })
  await using direct = await httpServer((_, response) => response.end('direct'))
  const http = createHttpClient({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` })
  const far = { ...get(direct.port), url: 'http://models.example/v1' }
  assert.equal(await textOf(await http.send(far, never)), 'by proxy')
  assert.deepEqual(asked, ['http://models.example/v1'])
  assert.equal(await textOf(await http.send(get(direct.port), never)), 'direct')
})
