import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openTestGateway } from '../test-gateway.ts'

/** Another Hermes, as far as its wire goes. */
async function startOther(frames: readonly unknown[], status = 200, last = 'data: [DONE]\n\n') {
  const asked: { readonly headers: IncomingHttpHeaders; readonly body: unknown; readonly url: string | undefined }[] =
    []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      asked.push({ headers: request.headers, body, url: request.url })
      if (status !== 200) return response.writeHead(status).end(JSON.stringify(frames[0]))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const frame of frames) response.write(`data: ${JSON.stringify(frame)}\n\n: keepalive\n\n`)
      return response.end(last)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, asked, [Symbol.asyncDispose]: async () => void server.close() }
}

const delta = (content: string) => ({ choices: [{ index: 0, delta: { content } }] })

async function open(url: string) {
  const all = await startScriptedAgent({
    config: `gateway: {proxy_url: "${url}"}\n`,
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\nGATEWAY_PROXY_KEY=made-up-proxy-key\n' },
  })
  return openTestGateway(all, { editing: true })
}

test('with gateway.proxy_url another Hermes answers, and the conversation is kept here, too', async () => {
  const tool = { type: 'tool.started', call_id: 'c', tool: 'terminal', label: 'ls' }
  const done = { type: 'tool.completed', call_id: 'c', tool: 'terminal', duration: 0.1, error: false }
  const last = { choices: [{ delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 5, completion_tokens: 2 } }
  const tools = [tool, done].map((hermes) => ({ choices: [], hermes }))
  await using other = await startOther([
    { choices: [{ delta: { role: 'assistant' } }] },
    ...tools,
    delta('From '),
    delta('afar.'),
    last,
  ])
  await using all = await open(other.url)
  await all.platform.write('hello')
  await all.platform.waitForText(/^From afar\.$/)
  await all.platform.write('and now?')
  await all.idle()
  assert.equal(all.all.model.requests.length, 0)
  const [first, second] = other.asked
  assert.deepEqual([first?.url, first?.headers.authorization], ['/v1/chat/completions', 'Bearer made-up-proxy-key'])
  assert.match(String(first?.headers['x-hermes-session-id']), /^\d{8}_\d{6}_/)
  assert.ok(second)
  const { messages } = second.body as { messages: { role: string; content: string }[] }
  assert.match(messages[0]?.content ?? '', /This conversation is in a chat/)
  assert.deepEqual(messages.slice(1), [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'From afar.' },
    { role: 'user', content: 'and now?' },
  ])
})

test('what keeps the other Hermes from answering is told in the chat', async () => {
  await using other = await startOther([{ error: { message: 'The key is wrong or missing.' } }], 401)
  await using all = await open(other.url)
  assert.match(await all.say('hello'), /The other Hermes: 401 The key is wrong or missing\./)
  await using gone = await open('http://127.0.0.1:9')
  assert.match(await gone.say('hello'), /The other Hermes: /)
})

test('an answer that ends in the middle is told as such', async () => {
  await using other = await startOther([delta('Half an')], 200, '')
  await using all = await open(other.url)
  await all.platform.write('hello')
  await all.platform.waitForText(/The other Hermes: it ended its answer in the middle\./)
})
