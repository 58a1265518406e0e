import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { ScriptedAnswer } from '@hermes/testing'
import { askAuxiliary } from './auxiliary.ts'
import type { AuxiliaryRequest } from './auxiliary.ts'
import { createContext } from './create-context.ts'

const never = new AbortController().signal

async function open(answer: ScriptedAnswer, config = '', environment: Readonly<Record<string, string>> = {}) {
  const model = await startScriptedModel(() => answer)
  const home = await temporaryHome({
    'config.yaml': `model: {default: main-model, base_url: "${model.url}", api_key: made-up-key-123456}\n${config}`,
  })
  const context = await createContext({ environment: { ...home.environment, ...environment }, cwd: home.dir })
  await context.sessions.create({ id: 's', source: 'cli' })
  const main = await context.models.resolve(undefined, never)
  const ask = (more: Partial<AuxiliaryRequest> = {}, signal = never) =>
    askAuxiliary(
      { task: 'title_generation', messages: [{ role: 'user', content: 'Name it.' }], sessionId: 's', main, ...more },
      context,
      signal,
    )
  return {
    model,
    context,
    ask,
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]()
      await model.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

test("a side task goes to the turn's model, and its tokens are counted", async () => {
  await using all = await open({ text: 'A name', usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } })
  assert.equal(await all.ask({ maxOutputTokens: 99 }), 'A name')
  const [request] = all.model.requests
  assert.equal(request?.body.model, 'main-model')
  assert.equal(request?.body.tools, undefined)
  assert.equal((await all.context.sessions.get('s'))?.usage.inputTokens, 7)
})

test('a side task with a model of its own goes there', async () => {
  await using all = await open({ text: 'x' }, 'auxiliary: {title_generation: {model: small-model}}')
  await all.ask()
  assert.equal(all.model.requests[0]?.body.model, 'small-model')
})

test('a model that does not answer is given up after the time that the settings allow', async () => {
  await using all = await open({ fault: { type: 'stall' } }, 'auxiliary: {title_generation: {timeout: 1}}')
  await assert.rejects(all.ask(), { name: 'ModelError', code: 'timeout' })
  assert.equal(all.model.requests.length, 1)
})

test('an answer of a side task that never ends is stopped', async () => {
  await using all = await open({ text: Array.from({ length: 40 }, () => 'x'.repeat(1024 * 1024)) })
  await assert.rejects(all.ask(), { name: 'ModelError', code: 'invalid-request', message: /did not end its answer/ })
  assert.equal(all.model.requests.length, 1)
})

test('stopping it throws the reason', async () => {
  await using all = await open({ fault: { type: 'stall' } })
  const stop = new AbortController()
  const asked = all.ask({}, stop.signal)
  stop.abort(new DOMException('Enough.', 'AbortError'))
  await assert.rejects(asked, { message: 'Enough.' })
})

test('the interpreter of instructions is not asked to write', async () => {
  await using all = await open({ text: 'x' })
  await assert.rejects(all.ask({ main: await all.context.models.resolve('offline', never) }), {
    code: 'not-configured',
  })
  assert.equal(all.model.requests.length, 0)
})

test('a side task with an address of its own goes there, and nowhere else when that fails', async () => {
  await using side = await startScriptedModel([{ text: 'there' }, { fault: { type: 'http', status: 500 } }])
  await using all = await open(
    { text: 'x' },
    `auxiliary: {compression: {base_url: "${side.url}", api_key: side-key, model: side-model}}`,
  )
  assert.equal(await all.ask({ task: 'compression' }), 'there')
  assert.equal(side.requests[0]?.body.model, 'side-model')
  assert.equal(side.requests[0]?.headers['authorization'], 'Bearer side-key')
  await assert.rejects(all.ask({ task: 'compression' }), { code: 'server' })
  assert.equal(all.model.requests.length, 0)
})

test("when the turn's own provider wants payment, the next one with a key is asked with its cheap model", async () => {
  await using side = await startScriptedModel([{ text: 'there' }])
  await using all = await open({ fault: { type: 'http', status: 402, message: 'No credit' } }, '', {
    OPENROUTER_API_KEY: 'or-key',
    OPENROUTER_BASE_URL: side.url,
  })
  // A model on this machine, as this one is, is left for others only where it may not see pictures.
  assert.equal(await all.ask({ task: 'vision' }), 'there')
  assert.equal(all.model.requests.length, 1)
  assert.equal(side.requests[0]?.body.model, 'google/gemini-3-flash-preview')
  await assert.rejects(all.ask(), { code: 'payment' })
  assert.equal(side.requests.length, 1, 'what is said to a model on this machine stays here')
})

test('a request that is at fault itself is not carried elsewhere', async () => {
  await using side = await startScriptedModel([{ text: 'there' }])
  await using all = await open({ fault: { type: 'http', status: 413 } }, '', {
    OPENROUTER_API_KEY: 'or-key',
    OPENROUTER_BASE_URL: side.url,
  })
  await assert.rejects(all.ask(), { code: 'payload-too-large' })
  assert.equal(side.requests.length, 0)
})
