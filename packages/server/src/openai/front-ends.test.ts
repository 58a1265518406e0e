// Requests in the shapes that two widespread chat front ends send, as their public sources and documents describe them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startApiServer } from './start-api-server.ts'
import { testKey, testSettings } from './test-settings.ts'

async function open() {
  const agent = await startScriptedAgent({
    script: ({ body }) => ({ text: `${body.messages?.filter(({ role }) => role === 'user').length} of yours.` }),
  })
  const server = await startApiServer({ agent: agent.context, settings: testSettings() })
  return {
    agent,
    server,
    send: (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}

/** The text of a stream, every frame of which has choices. */
async function streamed(response: Response): Promise<string> {
  assert.equal(response.status, 200)
  let text = ''
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue
    const chunk = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }
    assert.ok(Array.isArray(chunk.choices))
    text += chunk.choices[0]?.delta.content ?? ''
  }
  return text
}

test('Open WebUI lists the model, chats in one session, regenerates in another, and has titles made apart', async () => {
  await using bed = await open()
  const models = await fetch(`${bed.server.url}/v1/models`, { headers: { authorization: `Bearer ${testKey}` } })
  const { data } = (await models.json()) as { data: { id: string }[] }
  const model = data[0]?.id
  const person = { 'x-openwebui-user-name': 'Ann', 'x-openwebui-user-id': 'u1', 'x-openwebui-chat-id': 'c1' }
  const chat = (messages: unknown) =>
    bed.send({ stream: true, model, stream_options: { include_usage: true }, messages }, person)
  const system = { role: 'system', content: 'User Context:\n\n' }
  const hello = { role: 'user', content: 'Hello' }
  const first = await chat([system, hello])
  const session = first.headers.get('x-hermes-session-id')
  assert.equal(await streamed(first), '1 of yours.')
  const title = await bed.send(
    {
      model,
      stream: false,
      max_completion_tokens: 1000,
      messages: [{ role: 'user', content: '### Task:\nGenerate a concise title.\n### Chat History:\nUSER: Hello' }],
    },
    person,
  )
  assert.equal(title.status, 200)
  const second = [system, hello, { role: 'assistant', content: '1 of yours.' }, { role: 'user', content: 'More' }]
  const next = await chat(second)
  assert.equal(next.headers.get('x-hermes-session-id'), session)
  assert.equal(await streamed(next), '2 of yours.')
  const again = await chat(second)
  assert.notEqual(again.headers.get('x-hermes-session-id'), session)
  assert.equal(await streamed(again), '2 of yours.', 'with the history before it, and not with what it replaces')
})

test('LibreChat sends settings that mean nothing here, and contents as lists of parts', async () => {
  await using bed = await open()
  const settings = { model: 'hermes-agent', temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 }
  const chat = (messages: unknown) => bed.send({ ...settings, user: 'LibreChat_User_ID', stream: true, messages })
  const first = await chat([{ role: 'user', content: 'hi how are you' }])
  assert.equal(await streamed(first), '1 of yours.')
  const next = await chat([
    { role: 'system', content: 'Be kind.', name: 'instructions' },
    { role: 'user', content: [{ type: 'text', text: 'hi how are you' }] },
    { role: 'assistant', content: [{ type: 'text', text: '1 of yours.' }] },
    { role: 'user', content: [{ type: 'text', text: 'and now' }] },
  ])
  assert.equal(await streamed(next), '2 of yours.')
})
