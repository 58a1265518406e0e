import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMcpHttpServer } from '@hermes/testing/mcp-server/http.ts'
import { scriptedCalls } from '@hermes/testing/mcp-server/scripted-calls.ts'
import { boundedBodies } from './transports/bounded-body.ts'

const whoami = { name: 'mcp_web_whoami', args: {} }

test('a server on HTTP is used with the headers of its settings, variables filled in', async () => {
  await using server = await startMcpHttpServer()
  const headers = { 'X-Team': '${TEAM_NAME}' }
  const environment = { TEAM_NAME: 'blue' }
  await using chat = await scriptedCalls({ servers: { web: { url: server.url, headers } }, environment })
  const [result] = await chat.turn([whoami])
  assert.match(result ?? '', /^ok .*x-team.*blue/)
})

test('a variable that is not set leaves the server out, and the log says which', async () => {
  await using server = await startMcpHttpServer()
  const web = { url: server.url, headers: { Authorization: 'Bearer ${NOT_SET_ANYWHERE}' } }
  await using chat = await scriptedCalls({ servers: { web } })
  assert.deepEqual(await chat.toolNames(), [])
  assert.match(await chat.log(), /needs NOT_SET_ANYWHERE, which is not set/)
  assert.equal(server.requests.length, 0)
})

test('a server of the older kind is found to be one', async () => {
  await using server = await startMcpHttpServer({ kind: 'sse' })
  await using chat = await scriptedCalls({ servers: { web: { url: server.url } } })
  const [result] = await chat.turn([whoami])
  assert.match(result ?? '', /^ok /)
})

test('a server that has forgotten us is connected to anew, and the call is made once more', async () => {
  await using server = await startMcpHttpServer()
  await using chat = await scriptedCalls({ servers: { web: { url: server.url } } })
  await chat.turn([whoami])
  server.forget()
  const [result] = await chat.turn([whoami])
  assert.match(result ?? '', /^ok .*session-2/)
})

test('a redirect to another origin is followed without credentials', async () => {
  await using server = await startMcpHttpServer()
  await using old = await startMcpHttpServer({
    route(_request, response) {
      response.writeHead(307, { location: server.url }).end()
      return true
    },
  })
  const headers = { Authorization: 'Bearer made-up-token', 'X-Key': 'made-up-key' }
  await using chat = await scriptedCalls({ servers: { web: { url: old.url, headers } } })
  await chat.toolNames()
  assert.ok(server.requests.length > 0)
  for (const seen of server.requests) {
    assert.equal(seen.authorization, undefined)
    assert.equal(seen['x-key'], undefined)
  }
})

test('a server that is not there is an error within its time, and others are still there', async () => {
  await using server = await startMcpHttpServer()
  const servers = { web: { url: server.url }, gone: { url: 'http://127.0.0.1:1/mcp' } }
  await using chat = await scriptedCalls({ servers })
  assert.deepEqual(await chat.toolNames(), ['mcp_web_whoami'])
  assert.match(await chat.log(), /MCP server gone cannot be reached/)
})

test('no answer is larger than a message may be, and no event of a stream', async () => {
  const answer = (type: string, body: string) => async () => new Response(body, { headers: { 'content-type': type } })
  const events = 'data: 12345\n\n'.repeat(100)
  const stream = await boundedBodies(answer('text/event-stream', events), 100)('http://x/')
  assert.equal(await stream.text(), events)
  const long = await boundedBodies(answer('application/json', 'x'.repeat(200)), 100)('http://x/')
  await assert.rejects(long.text(), /larger/)
  const event = await boundedBodies(answer('text/event-stream', `data: ${'x'.repeat(200)}`), 100)('http://x/')
  await assert.rejects(event.text(), /larger/)
})
