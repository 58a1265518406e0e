import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script } from '@hermes/testing'
import type { ApiServerSettings } from './settings.ts'
import { startApiServer } from './start-api-server.ts'
import { testHeaders, testKey, testSettings } from './test-settings.ts'

async function open(script: Script, change: Partial<ApiServerSettings> = {}, keepAliveMs?: number) {
  const agent = await startScriptedAgent({ script, config: 'tools: {search: never}\n' })
  const server = await startApiServer({ agent: agent.context, settings: testSettings(change), keepAliveMs })
  return {
    agent,
    server,
    post: (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { ...testHeaders, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        signal,
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}

const hello = { messages: [{ role: 'user', content: 'Hello' }] }

/** The code of an error in OpenAI's shape. */
async function codeOf(response: Response): Promise<unknown> {
  const { error } = (await response.json()) as { error: { code: unknown; message: unknown; type: unknown } }
  assert.equal(typeof error.message, 'string')
  assert.equal(error.type, response.status >= 500 ? 'server_error' : 'invalid_request_error')
  return error.code
}

test('a client that goes away in the middle of a stream or of a wait cancels its turn', async () => {
  await using bed = await open(() => ({ text: ['one'], fault: { type: 'stall', afterChunks: 1 } }))
  for (const stream of [true, false]) {
    const asked = bed.agent.model.requests.length
    const client = new AbortController()
    const answer = bed.post('/v1/chat/completions', { ...hello, stream }, {}, client.signal)
    if (stream) await (await answer).body?.getReader().read()
    await bed.agent.model.arrived(asked + 1)
    client.abort()
    if (!stream) await assert.rejects(answer)
    await bed.agent.model.ended(asked)
    assert.ok(bed.agent.model.requests[asked]?.hungUp, 'the model stream was ended')
  }
  while (bed.server.busy > 0) await new Promise(setImmediate)
})

test('a client that is killed without a word cancels its turn', async () => {
  await using bed = await open(() => ({ text: ['one'], fault: { type: 'stall', afterChunks: 1 } }))
  const socket = connect(bed.server.port, '127.0.0.1')
  const body = JSON.stringify({ ...hello, stream: true })
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${testKey}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await bed.agent.model.arrived(1)
  socket.resetAndDestroy()
  await bed.agent.model.ended(0)
  assert.ok(bed.agent.model.requests[0]?.hungUp)
})

test('64 streams at once each have their own answer, whole', async () => {
  await using bed = await open(({ body }) => ({ text: `You said ${String(body.messages?.at(-1)?.content)}.` }))
  const answers = await Promise.all(
    Array.from({ length: 64 }, async (_, n) => {
      const messages = [{ role: 'user', content: n % 2 === 0 ? `number ${n}` : 'the same' }]
      const response = await bed.post('/v1/chat/completions', { messages, stream: true })
      const text = await response.text()
      assert.match(text, /data: \[DONE\]\n\n$/)
      const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')
      assert.equal(said, `You said ${messages[0]?.content}.`)
      return response.headers.get('x-hermes-session-id')
    }),
  )
  assert.equal(new Set(answers).size, 64, 'no two of them share a session')
})

test('a quiet stream says that it goes on', async () => {
  await using bed = await open(() => ({ text: 'Late.', delayMs: 600 }), {}, 20)
  const response = await bed.post('/v1/chat/completions', { ...hello, stream: true })
  assert.match(await response.text(), /: keepalive\n\n[^]*Late\./)
})

test('a session is named by header or body, with a key alone, and its requests wait for each other', async () => {
  await using bed = await open(({ body }) => ({ text: `${body.messages?.length}`, delayMs: 20 }))
  const session = { 'x-hermes-session-id': 'my session' }
  const [a, b] = await Promise.all([
    bed.post('/v1/chat/completions', hello, session),
    bed.post('/v1/chat/completions', { ...hello, session_id: 'my session' }),
  ])
  const said = await Promise.all([a, b].map(async (one) => /"content":"(\d+)"/.exec(await one.text())?.[1]))
  assert.deepEqual(new Set(said), new Set(['2', '4']))
  assert.equal(
    await codeOf(await bed.post('/v1/chat/completions', { ...hello, session_id: 'a\nb' })),
    'invalid_session_id',
  )
  const named = await bed.post('/v1/chat/completions', { ...hello, session_id: '散歩' })
  assert.equal(decodeURIComponent(named.headers.get('x-hermes-session-id') ?? ''), '散歩')
  await using keyless = await open(() => ({ text: 'x' }), { key: '' })
  assert.equal((await keyless.post('/v1/chat/completions', hello, session)).status, 403)
})

test('pages get in by their origin, programs without one; PATCH is among the methods', async () => {
  await using closed = await open(() => ({ text: 'x' }))
  assert.equal((await closed.post('/v1/chat/completions', hello, { origin: 'https://evil.example' })).status, 403)
  await using bed = await open(() => ({ text: 'x' }), { corsOrigins: ['https://app.example'] })
  const preflight = await fetch(`${bed.server.url}/api/jobs/0123456789ab`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,x-stainless-helper-method',
    },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://app.example')
  assert.match(preflight.headers.get('vary') ?? '', /^Origin\b/)
  const letIn = preflight.headers.get('access-control-allow-headers')
  assert.equal(letIn, 'authorization,x-stainless-helper-method', 'whatever headers a client has')
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPATCH\b/)
  const health = await fetch(`${bed.server.url}/health`)
  assert.deepEqual(await health.json(), { status: 'ok', platform: 'hermes-agent' })
  assert.equal(health.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(health.headers.get('referrer-policy'), 'no-referrer')
  assert.equal((await fetch(`${bed.server.url}/health/detailed`)).status, 401)
})

test('whoever looks closely is told while nothing can be stored', async () => {
  await using agent = await startScriptedAgent()
  const look = async (dir: string) => {
    const home = { ...agent.context.home, dir }
    await using server = await startApiServer({ agent: { ...agent.context, home }, settings: testSettings() })
    const answer = await fetch(`${server.url}/health/detailed`, { headers: testHeaders })
    const { status, storage_problem: problem } = (await answer.json()) as Readonly<Record<string, unknown>>
    return [status, problem]
  }
  assert.deepEqual(await look(agent.home.dir), ['ok', undefined])
  // What is no folder takes no file.
  const file = agent.home.path('config.yaml')
  assert.deepEqual(await look(file), [
    'degraded',
    `${file} cannot be written (ENOTDIR); check its disk, owner and permissions`,
  ])
})

test('a key may be made of words', async () => {
  await using bed = await open(() => ({ text: 'x' }), { key: 'four words of mine' })
  const status = async (authorization: string) =>
    (await fetch(`${bed.server.url}/v1/models`, { headers: { authorization } })).status
  assert.equal(await status('Bearer four words of mine'), 200)
  for (const wrong of ['Bearer four words', 'Bearer ', 'Bearer four words of mine too', 'four words of mine']) {
    assert.equal(await status(wrong), 401, wrong)
  }
})

test('without a key a name that points here is not enough', async () => {
  await using bed = await open(() => ({ text: 'x' }), { key: '' })
  const status = async (host: string) => {
    const sent = httpRequest({ port: bed.server.port, host: '127.0.0.1', path: '/v1/models', headers: { host } })
    sent.end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    return answer.statusCode
  }
  assert.equal(await status('rebound.evil.example'), 403)
  assert.equal(await status('localhost:8642'), 200)
})

test('bodies have a limit, also in chunks; what is no JSON, no request and no path is told', async () => {
  await using bed = await open(() => ({ text: 'x' }))
  const sent = httpRequest(`${bed.server.url}/api/jobs`, { method: 'POST', headers: testHeaders })
  sent.on('error', () => undefined)
  for (let n = 0; n < 20; n++) sent.write('x'.repeat(100_000))
  const [answer] = await once(sent, 'response')
  assert.equal(answer.statusCode, 413)
  answer.resume()
  sent.destroy()
  assert.equal(await codeOf(await bed.post('/v1/chat/completions', '{')), 'invalid_json')
  const question = Buffer.from('{"messages":[{"role":"user","content":"caf\u00e9"}]}', 'latin1')
  const as = (body: Uint8Array<ArrayBuffer>, headers = {}) =>
    fetch(`${bed.server.url}/v1/chat/completions`, { method: 'POST', headers: { ...testHeaders, ...headers }, body })
  assert.equal(await codeOf(await as(question)), 'invalid_encoding', 'and is not garbled')
  assert.equal(await codeOf(await as(gzipSync(question), { 'content-encoding': 'gzip' })), 'unsupported_encoding')
  assert.equal((await as(Buffer.from(`\ufeff${JSON.stringify(hello)}`))).status, 200)
  const wrong = [{}, { messages: [] }, { messages: [{ role: 'system', content: 'x' }] }, { messages: 'Hello' }, []]
  for (const body of wrong) assert.equal((await bed.post('/v1/chat/completions', body)).status, 400)
  for (const input of [undefined, '', 5, [], [{ role: 'assistant', content: 'x' }]]) {
    assert.equal((await bed.post('/v1/responses', { input })).status, 400)
  }
  const both = { input: 'x', conversation: 'a', previous_response_id: 'b' }
  assert.equal((await bed.post('/v1/responses', both)).status, 400)
  assert.equal(await codeOf(await bed.post('/v1/nothing', {})), 'not_found')
  assert.equal((await bed.post('/v1/models', {})).status, 405)
  const socket = connect(bed.server.port, '127.0.0.1')
  socket.write('POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: many\r\n\r\n')
  const [data] = await once(socket, 'data')
  assert.match(String(data), /400 Bad Request[^]*invalid_content_length/)
  const long = connect(bed.server.port, '127.0.0.1')
  long.on('error', () => undefined)
  long.write(`GET /health HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(40_000)}\r\n\r\n`)
  const [told] = await once(long, 'data')
  assert.match(String(told), /431 Request Header Fields Too Large[^]*headers_too_large/)
  long.destroy()
})

test('requests with one idempotency key run once, also at the same time; another body runs anew', async () => {
  await using bed = await open((_request, n) => ({ text: `answer ${n}`, delayMs: 30 }))
  const key = { 'idempotency-key': 'k1' }
  const texts = await Promise.all(
    [1, 2, 3].map(async () => (await bed.post('/v1/chat/completions', hello, key)).text()),
  )
  texts.push(await (await bed.post('/v1/chat/completions', hello, key)).text())
  assert.equal(new Set(texts).size, 1)
  assert.equal(bed.agent.model.requests.length, 1)
  const other = { messages: [{ role: 'user', content: 'Something else' }] }
  assert.match(await (await bed.post('/v1/chat/completions', other, key)).text(), /answer 1/)
})

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

test('images that a client sends along with its history are seen again, as far as they are still there', async () => {
  await using bed = await open(() => ({ text: 'A dot.' }))
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })
  const first = { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image(png), image('data:,gone')] }
  const answer = { role: 'assistant', content: 'A dot.' }
  const asked = [first, answer, { role: 'user', content: 'Which colour?' }]
  assert.equal((await bed.post('/v1/chat/completions', { messages: asked })).status, 200)
  assert.match(await (await bed.post('/v1/chat/completions', { messages: asked, stream: true })).text(), /dot[^]*DONE/)
  const input = asked.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : [{ type: 'input_image', image_url: png }],
  }))
  assert.equal((await bed.post('/v1/responses', { input })).status, 200)
  const history = { input: 'Which colour?', conversation_history: input.slice(0, 2) }
  assert.equal((await bed.post('/v1/responses', history)).status, 200)
  const seen = bed.agent.model.requests.map(({ body }) => JSON.stringify(body.messages?.at(-1)).split(png).length - 1)
  assert.deepEqual(seen, [1, 1, 1, 1])
})

test('images of the responses before are seen again, also by runs, until their response is removed', async () => {
  await using bed = await open(() => ({ text: 'A dot.' }))
  const respond = async (body: Readonly<Record<string, unknown>>) => {
    const response = await bed.post('/v1/responses', body)
    assert.equal(response.status, 200)
    return ((await response.json()) as { id: string }).id
  }
  const part = { type: 'input_image', image_url: png }
  const shown = [{ role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, part] }]
  const first = await respond({ input: shown })
  const second = await respond({ input: 'Which colour?', previous_response_id: first })
  await respond({ input: 'And now?', previous_response_id: second })
  await respond({ input: 'Hello', conversation_history: [], previous_response_id: second })
  await respond({ input: shown, conversation: 'dots' })
  await respond({ input: 'And again?', conversation: 'dots', truncation: 'auto' })
  await bed.post('/v1/runs', { input: 'By a run?', previous_response_id: second })
  await bed.agent.model.arrived(7)
  const seen = bed.agent.model.requests.map(({ body }) => JSON.stringify(body.messages?.at(-1)).split(png).length - 1)
  assert.deepEqual(seen, [1, 1, 1, 0, 1, 1, 1])
})

/** So many lists, or objects, in each other. */
function nested(levels: number, isList: boolean): unknown {
  let value: unknown = 1
  for (let n = 0; n < levels; n++) value = isList ? [value] : { a: value }
  return value
}

/** `JSON.stringify` would run out of stack. */
function deepText(levels: number, isList: boolean): string {
  return isList ? '['.repeat(levels) + ']'.repeat(levels) : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

test('a body that is too deep in any of its fields is refused with a clear text, and what tools need passes', async () => {
  await using bed = await open(() => ({ text: 'Fine.' }))
  const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    '/v1/chat/completions': { messages: [{ role: 'user', content: 'Hello' }] },
    '/v1/responses': { input: 'Hello' },
    '/v1/runs': { input: 'Hello' },
    '/api/jobs': { name: 'x', schedule: '1h', prompt: 'p' },
  }
  for (const [path, body] of Object.entries(bodies)) {
    for (const field of ['metadata', 'tools', 'unheard_of', ...Object.keys(body)]) {
      for (const [levels, isList] of [
        [150, false],
        [100_000, true],
        [100_000, false],
      ] as const) {
        const text = JSON.stringify({ ...body, [field]: 'HERE' }).replace('"HERE"', deepText(levels, isList))
        const response = await bed.post(path, text, { 'idempotency-key': `${field} ${levels}` })
        assert.equal(response.status, 400, `${path} ${field} ${levels}`)
        assert.match(await response.text(), /more than 100 lists and objects in each other/)
      }
    }
    const fine = { ...body, tools: nested(90, true), metadata: { schema: nested(90, false) } }
    const response = await bed.post(path, fine, { 'idempotency-key': 'fine' })
    assert.ok(response.ok, `${path} ${response.status}`)
  }
  assert.equal((await bed.post('/v1/chat/completions', deepText(100_000, true))).status, 400)
})

test('texts with half a character are taken, ids with one refused', async () => {
  await using bed = await open(() => ({ text: 'Fine.' }))
  const half = '\\ud800'
  const send = async (path: string, body: unknown) =>
    (await bed.post(path, JSON.stringify(body).replaceAll('HALF', half))).status
  const messages = [{ role: 'user', content: 'a HALF b' }]
  assert.equal(await send('/v1/chat/completions', { messages, model: 'HALF' }), 200)
  assert.equal(await send('/v1/responses', { input: 'HALF', metadata: { HALF: 'HALF' }, conversation: 'HALF' }), 200)
  assert.equal(await send('/v1/responses', { input: 'again', conversation: 'HALF' }), 200)
  assert.equal(await send('/v1/chat/completions', { messages, session_id: 'HALF' }), 400)
  assert.equal(await send('/v1/runs', { input: 'x', session_id: 'HALF' }), 400)
})

test('an image in a data URL reaches the model; addresses inside the network are not fetched', async () => {
  await using bed = await open(() => ({ text: 'A dot.' }))
  const asking = (url: string) => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  })
  assert.equal((await bed.post('/v1/chat/completions', asking(png))).status, 200)
  assert.match(JSON.stringify(bed.agent.model.requests[0]?.body.messages), /data:image\/png;base64,iVBOR/)
  for (const url of ['http://127.0.0.1:9/x.png', 'file:///etc/passwd', 'data:image/png;base64,QUJD', 'data:,x']) {
    assert.equal(await codeOf(await bed.post('/v1/chat/completions', asking(url))), 'invalid_image', url)
  }
})
