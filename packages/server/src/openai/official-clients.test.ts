import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script } from '@hermes/testing'
import { APIError, AuthenticationError, NotFoundError, OpenAI } from 'openai'
import { startApiServer } from './start-api-server.ts'
import { testKey, testSettings } from './test-settings.ts'

const callsEcho: Script = (_request, n) =>
  n % 2 === 0
    ? { text: 'Let me look.', toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] }
    : { text: 'It says hi.' }

async function open(script: Script) {
  const agent = await startScriptedAgent({ script, config: 'tools: {search: never}\n' })
  const server = await startApiServer({ agent: agent.context, settings: testSettings() })
  return {
    agent,
    server,
    client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: testKey, maxRetries: 0 }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}

test('the official client chats, and the next request goes on in the same session', async () => {
  await using bed = await open((_request, n) => ({ text: n === 0 ? 'Good day.' : 'Again.' }))
  const first = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'Hello' },
  ]
  const { data, response } = await bed.client.chat.completions
    .create({ model: 'gpt-x', messages: first })
    .withResponse()
  assert.equal(data.choices[0]?.message.content, 'Good day.')
  assert.equal(data.choices[0]?.finish_reason, 'stop')
  assert.equal(data.model, 'gpt-x')
  assert.equal(data.usage?.total_tokens, (data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0))
  const session = response.headers.get('x-hermes-session-id')
  assert.match(session ?? '', /^api-[0-9a-f]{16}$/)

  const more = await bed.client.chat.completions
    .create({
      model: 'gpt-x',
      messages: [...first, { role: 'assistant', content: 'Good day.' }, { role: 'user', content: 'And now?' }],
    })
    .withResponse()
  assert.equal(more.response.headers.get('x-hermes-session-id'), session)
  const sent = bed.agent.model.requests[1]?.body.messages ?? []
  assert.deepEqual(
    sent.slice(1).map(({ role, content }) => [role, content]),
    [
      ['user', 'Hello'],
      ['assistant', 'Good day.'],
      ['user', 'And now?'],
    ],
  )
  assert.match(String(sent[0]?.content), /Be brief\.$/, 'the client’s system message lies over the agent’s own')
})

test('the official client streams text while tools run, and sees them in chunks without choices', async () => {
  await using bed = await open(callsEcho)
  const stream = await bed.client.chat.completions.create({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'What does echo say?' }],
  })
  let text = ''
  const tools: unknown[] = []
  const finishes: unknown[] = []
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason)
    if ('hermes' in chunk) {
      assert.deepEqual(chunk.choices, [])
      tools.push(chunk.hermes)
    }
    if (chunk.usage) usage = chunk.usage
  }
  assert.equal(text, 'Let me look.\n\nIt says hi.')
  assert.deepEqual(finishes, ['stop'])
  assert.deepEqual(
    tools.map((tool) => [(tool as { type: string }).type, (tool as { tool: string }).tool]),
    [
      ['tool.started', 'terminal'],
      ['tool.completed', 'terminal'],
    ],
  )
  assert.ok((usage?.total_tokens ?? 0) > 0)
})

test('the official client’s stream helper takes the chunks of tools', async () => {
  await using bed = await open(callsEcho)
  const runner = bed.client.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'Look' }] })
  assert.equal(await runner.finalContent(), 'Let me look.\n\nIt says hi.')
})

test('a failed turn is an error of the official client, in one piece and in a stream, and is not sent again', async () => {
  await using bed = await open(() => ({ fault: { type: 'http', status: 401, message: 'no such key' } }))
  const client = new OpenAI({ baseURL: `${bed.server.url}/v1`, apiKey: testKey, maxRetries: 2 })
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  await assert.rejects(client.chat.completions.create({ model: 'm', messages }), APIError)
  const asked = bed.agent.model.requests.length
  await assert.rejects(async () => {
    for await (const _chunk of await client.chat.completions.create({ model: 'm', messages, stream: true }));
  }, APIError)
  assert.equal(bed.agent.model.requests.length, 2 * asked, 'each turn ran once')
})

test('a wrong key is an authentication error of the official client', async () => {
  await using bed = await open(() => ({ text: 'Hello' }))
  const client = new OpenAI({ baseURL: `${bed.server.url}/v1`, apiKey: 'another-key', maxRetries: 0 })
  await assert.rejects(client.models.list(), AuthenticationError)
  assert.deepEqual(
    (await bed.client.models.list()).data.map(({ id }) => id),
    ['hermes-agent'],
  )
})

test('responses are chained without doubled history, stored, and forgotten when deleted', async () => {
  await using bed = await open(callsEcho)
  const first = await bed.client.responses.create({ model: 'm', input: 'What does echo say?', instructions: 'Short.' })
  assert.equal(first.status, 'completed')
  assert.deepEqual(
    first.output.map(({ type }) => type),
    ['message', 'function_call', 'function_call_output', 'message'],
  )
  const second = await bed.client.responses.create({ model: 'm', input: 'Again', previous_response_id: first.id })
  assert.equal(second.output.length, 4, 'only what is new')
  assert.equal(second.previous_response_id, first.id)
  // Another branch of the same response, after the session has gone on.
  await bed.client.responses.create({ model: 'm', input: 'Again', previous_response_id: first.id })
  const histories = [2, 4].map((n) => bed.agent.model.requests[n]?.body.messages ?? [])
  for (const messages of histories) {
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'tool', 'assistant', 'user'],
    )
    assert.match(String(messages[0]?.content), /Short\.$/, 'instructions are those of the response before')
  }
  assert.equal((await bed.client.responses.retrieve(first.id)).id, first.id)
  await bed.client.responses.delete(first.id)
  await assert.rejects(bed.client.responses.retrieve(first.id), NotFoundError)
  await assert.rejects(
    bed.client.responses.create({ model: 'm', input: 'x', previous_response_id: first.id }),
    NotFoundError,
  )
})

test('the official client’s response stream adds up to the response that is stored', async () => {
  await using bed = await open(callsEcho)
  const stream = bed.client.responses.stream({ model: 'm', input: 'What does echo say?' })
  const numbers: number[] = []
  let text = ''
  for await (const event of stream) {
    numbers.push(event.sequence_number)
    if (event.type === 'response.output_text.delta') text += event.delta
  }
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index),
  )
  const final = await stream.finalResponse()
  assert.equal(final.output_text, text)
  assert.equal(text, 'Let me look.It says hi.')
  const stored = await bed.client.responses.retrieve(final.id)
  assert.deepEqual(
    stored.output.map(({ type }) => type),
    final.output.map(({ type }) => type),
  )
})

test('a named conversation goes on by its name, also for requests that come at once', async () => {
  await using bed = await open((request) => ({ text: `${request.body.messages?.length}` }))
  const said = await Promise.all(
    ['one', 'two', 'three'].map(async (input) => {
      const response = await bed.client.responses.create({ model: 'm', input, conversation: 'walks' })
      return response.output_text
    }),
  )
  assert.deepEqual(said.toSorted(), ['2', '4', '6'])
  const apart = await bed.client.responses.create({ model: 'm', input: 'one', conversation: 'other' })
  assert.equal(apart.output_text, '2')
  const unkept = await bed.client.responses.create({ model: 'm', input: 'x', conversation: 'unkept', store: false })
  await assert.rejects(bed.client.responses.retrieve(unkept.id), NotFoundError)
  const anew = await bed.client.responses.create({ model: 'm', input: 'x', conversation: 'unkept' })
  assert.equal(anew.output_text, '2')
})
