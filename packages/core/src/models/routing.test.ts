import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedModel } from '@hermes/testing'
import { configSchema } from '../config/schema.ts'
import type { Config } from '../config/schema.ts'
import { silentLogger } from '../log/logger.ts'
import { createModels } from './create-models.ts'
import { isSimple } from './routing.ts'

const limits = { max_simple_chars: 160, max_simple_words: 28 }
const never = new AbortController().signal

const messages: readonly [text: string, simple: boolean][] = [
  ['What time is it in Tokyo?', true],
  ['thanks!', true],
  ['hello\nthere', true],
  ['你好，今天天气怎么样？', true],
  ['', false],
  ['   ', false],
  ['one\ntwo\nthree', false],
  ['run `ls`', false],
  ['see https://example.org', false],
  ['see www.example.org', false],
  ['look at @notes.md', false],
  ['Debug this, please', false],
  ['can you (refactor) it?', false],
  ['a latest attempt', true],
  ['write a test', false],
  ['x'.repeat(160), true],
  ['x'.repeat(161), false],
  [Array.from({ length: 28 }, () => 'ab').join(' '), true],
  [Array.from({ length: 29 }, () => 'ab').join(' '), false],
]
for (const [text, simple] of messages) {
  test(`${JSON.stringify(text.slice(0, 30))} (${text.length}) is ${simple ? '' : 'not '}simple`, () => {
    assert.equal(isSimple({ text, hasAttachments: false, followsTools: false }, limits), simple)
  })
}

test('with attachments, or right after tools, nothing is simple', () => {
  assert.equal(isSimple({ text: 'thanks!', hasAttachments: true, followsTools: false }, limits), false)
  assert.equal(isSimple({ text: 'thanks!', hasAttachments: false, followsTools: true }, limits), false)
})

function modelsWith(routing: Readonly<Record<string, unknown>>) {
  const main = { default: 'big', base_url: 'http://10.0.0.1:1/v1' }
  // The schema's own output, frozen by the loader; only the type says so here.
  const config = configSchema.parse({ model: main, smart_model_routing: routing }) as unknown as Config
  return createModels({ config, environment: { CHEAP_KEY: 'made-up-key' }, log: silentLogger, localServers: [] })
}

const simple = { text: 'thanks!', hasAttachments: false, followsTools: false }
const cheap = { provider: 'openrouter', model: 'small', api_key_env: 'CHEAP_KEY' }

test('a simple message goes to the cheap model, whose next one is the usual one', async () => {
  const models = modelsWith({ enabled: true, cheap_model: cheap })
  const found = await models.resolve(undefined, never, simple)
  assert.equal(`${found.provider.name} ${found.model}`, 'openrouter small')
  assert.equal((await found.fallback?.(never))?.model, 'big')
})

test('the usual model answers when routing is off, the message is not simple, or a model was named', async () => {
  const on = modelsWith({ enabled: true, cheap_model: cheap })
  assert.equal((await on.resolve(undefined, never, { ...simple, text: 'debug it' })).model, 'big')
  assert.equal((await on.resolve(undefined, never)).model, 'big')
  assert.equal((await on.resolve('other', never, simple)).model, 'other')
  assert.equal((await modelsWith({ cheap_model: cheap }).resolve(undefined, never, simple)).model, 'big')
  assert.equal((await modelsWith({ enabled: true }).resolve(undefined, never, simple)).model, 'big')
})

test('a cheap model that cannot be used gives way to the usual one', async () => {
  const models = modelsWith({ enabled: true, cheap_model: { provider: 'deepseek', model: 'small' } })
  assert.equal((await models.resolve(undefined, never, simple)).model, 'big')
})

test('the key of the cheap model goes with it', async () => {
  await using server = await startScriptedModel([{ text: 'ok' }])
  const models = modelsWith({ enabled: true, cheap_model: { ...cheap, provider: 'custom', base_url: server.url } })
  const { provider, model } = await models.resolve(undefined, never, simple)
  const request = { model, messages: [{ role: 'user' as const, content: 'thanks!' }], tools: [] }
  await Array.fromAsync(provider.stream(request, never))
  assert.equal(server.requests[0]?.headers['authorization'], 'Bearer made-up-key')
})
