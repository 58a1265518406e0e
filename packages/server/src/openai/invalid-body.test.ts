import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startApiServer } from './start-api-server.ts'
import { testHeaders, testSettings } from './test-settings.ts'

const messages = [{ role: 'user', content: 'Hello' }]

/** What is refused, with the field that is wrong and what is said of it. */
const refused: readonly (readonly [path: string, body: unknown, param: string | null, message: string])[] = [
  ['/v1/chat/completions', {}, 'messages', 'messages is missing: it must be a list.'],
  ['/v1/chat/completions', 'Hello', null, 'The body must be an object, not a text.'],
  ['/v1/chat/completions', [], null, 'The body must be an object, not a list.'],
  ['/v1/chat/completions', null, null, 'The body must be an object, not null.'],
  ['/v1/chat/completions', { messages: 'Hello' }, 'messages', 'messages must be a list, not a text.'],
  ['/v1/chat/completions', { messages: null }, 'messages', 'messages must be a list, not null.'],
  ['/v1/chat/completions', { messages: ['Hello'] }, 'messages[0]', 'messages[0] must be an object, not a text.'],
  [
    '/v1/chat/completions',
    { messages: [...messages, { content: 'x' }] },
    'messages[1].role',
    'messages[1].role is missing: it must be a text.',
  ],
  ['/v1/chat/completions', { messages, stream: 'yes' }, 'stream', 'stream must be true or false, not a text.'],
  ['/v1/chat/completions', { messages, model: true }, 'model', 'model must be a text, not true.'],
  [
    '/v1/chat/completions',
    { messages, stream_options: { include_usage: 1 } },
    'stream_options.include_usage',
    'stream_options.include_usage must be true or false, not 1.',
  ],
  ['/v1/responses', {}, 'input', 'input is missing: it must be a text or a list.'],
  ['/v1/responses', { input: 5 }, 'input', 'input must be a text or a list, not 5.'],
  [
    '/v1/responses',
    { input: 'x', conversation: { id: 5 } },
    'conversation.id',
    'conversation.id must be a text, not 5.',
  ],
  [
    '/v1/responses',
    { input: 'x', conversation: [] },
    'conversation',
    'conversation must be a text or an object, not a list.',
  ],
  ['/v1/responses', { input: 'x', metadata: 'y' }, 'metadata', 'metadata must be an object, not a text.'],
  [
    '/v1/runs',
    { input: 'x', conversation_history: [5] },
    'conversation_history[0]',
    'conversation_history[0] must be an object, not 5.',
  ],
]

test('a body that is not as it is to be is refused in one sentence, which names the field and what is taken there', async () => {
  await using agent = await startScriptedAgent()
  await using server = await startApiServer({ agent: agent.context, settings: testSettings() })
  const post = async (path: string, body: unknown, method = 'POST') => {
    const response = await fetch(`${server.url}${path}`, { method, headers: testHeaders, body: JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }
  for (const [path, body, param, message] of refused) {
    assert.deepEqual(await post(path, body), {
      status: 400,
      body: { error: { message, type: 'invalid_request_error', param, code: 'invalid_request' } },
    })
  }
  const run = (await post('/v1/runs', { input: 'x' })).body as { readonly run_id: string }
  const choice = await post(`/v1/runs/${run.run_id}/approval`, { choice: 'maybe' })
  const message = 'choice must be one of once, session, always, deny.'
  assert.deepEqual(choice.body, {
    error: { message, type: 'invalid_request_error', param: 'choice', code: 'invalid_request' },
  })
  const job = { name: 'x', schedule: '1h', prompt: 'p' }
  for (const [body, error] of [
    [{ ...job, name: ' ' }, 'name must be at least 1 character long.'],
    [{ ...job, prompt: 'x'.repeat(6_000) }, 'prompt must be at most 5000 characters long.'],
    [{ ...job, repeat: 0 }, 'repeat must be at least 1.'],
    [{ ...job, repeat: 1.5 }, 'repeat must be a whole number, not 1.5.'],
    [{ ...job, skills: ['a', 5] }, 'skills[1] must be a text, not 5.'],
  ] as const) {
    assert.deepEqual(await post('/api/jobs', body), { status: 400, body: { error } })
  }
  const made = (await post('/api/jobs', job)).body as { readonly job: { readonly id: string } }
  assert.deepEqual(await post(`/api/jobs/${made.job.id}`, {}, 'PATCH'), {
    status: 400,
    body: { error: 'There is nothing to change.' },
  })
})
