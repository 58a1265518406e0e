import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { Script } from '@hermes/testing'
import { createContext } from './create-context.ts'
import { nobody } from './decision.ts'
import { runTurn } from './run-turn.ts'

const sessionId = '20260101_000000_aaaaaa'

/** A profile with a model and two others behind it. */
async function profile(scripts: readonly [Script, Script, Script], config = '') {
  await using opened = new AsyncDisposableStack()
  const servers = await Promise.all(scripts.map(async (script) => opened.use(await startScriptedModel(script))))
  const [first, second, third] = servers.map(({ url }) => url)
  const home = opened.use(
    await temporaryHome({
      'config.yaml': `
model: {default: first-model, base_url: "${first}", api_key: made-up-key-123456}
fallback_providers:
  - {provider: nobody-knows-it, model: x}
  - {provider: deepseek, model: without-a-key}
  - {provider: custom, model: second-model, base_url: "${second}", key_env: SECOND_KEY}
  - {provider: custom, model: third-model, base_url: "${third}", api_key: third-key}
${config}`,
    }),
  )
  const environment = { ...home.environment, SECOND_KEY: 'second-key' }
  const context = opened.use(await createContext({ environment, cwd: home.dir }))
  const all = opened.move()
  return {
    servers,
    context,
    turn: (text: string) =>
      Array.fromAsync(
        runTurn(
          { session: { id: sessionId, source: 'cli' }, message: { text }, face: { name: 'cli', decide: nobody } },
          context,
          new AbortController().signal,
        ),
      ),
    asked: () => servers.map(({ requests }) => requests.length),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const down = { fault: { type: 'http', status: 401, message: 'bad key' } } as const

test('when a model fails for good, the next one that can be used answers the rest of the turn, and no other turn', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
  await using all = await profile([
    (_request, n) => (n === 0 ? down : { text: 'I am back.', usage }),
    (_request, n) => (n === 0 ? { toolCalls: [{ name: 'todo' }], usage } : { text: 'Done by the second.', usage }),
    () => ({ text: 'never' }),
  ])
  const events = await all.turn('go')
  const notice = events.find((event) => event.type === 'notice')
  assert.equal(notice?.code, 'fallback')
  assert.match(notice?.message ?? '', /refused the key.*Going on with second-model of custom/)
  const end = events.at(-1)
  assert.equal(end?.type === 'turn-end' && end.text, 'Done by the second.')
  assert.equal(end?.type === 'turn-end' && end.usage.inputTokens, 20)
  assert.deepEqual(all.asked(), [1, 2, 0])
  assert.equal(all.servers[1]?.requests[0]?.headers['authorization'], 'Bearer second-key')
  assert.equal(all.servers[1]?.requests[0]?.body.model, 'second-model')

  const again = (await all.turn('and now?')).at(-1)
  assert.equal(again?.type === 'turn-end' && again.text, 'I am back.')
  assert.deepEqual(all.asked(), [2, 2, 0])
})

test('the chain is gone down to its end, and the last failure says what was tried', async () => {
  const soon = { 'retry-after-ms': '1' }
  await using all = await profile([
    () => down,
    () => ({ fault: { type: 'http', status: 402, message: 'no credit' } }),
    () => ({ fault: { type: 'http', status: 500, message: 'oops', headers: soon } }),
  ])
  const events = await all.turn('go')
  const end = events.at(-1)
  assert.ok(end?.type === 'turn-end')
  assert.equal(end.status, 'failed')
  assert.equal(end.failure?.code, 'server')
  assert.match(
    end.failure?.message ?? '',
    /tried 4 times.*first-model \(auth\), second-model \(payment\).*Try again later/,
  )
  assert.deepEqual(all.asked(), [1, 1, 4])
})

test('what was said before the model failed is taken back, and the next one answers from the start', async () => {
  const broken = { type: 'invalid_request', message: 'no such field', code: 400 }
  await using all = await profile([
    () => ({ text: ['half ', 'an answer'], fault: { type: 'error-object', afterChunks: 2, error: broken } }),
    () => ({ text: 'A whole one.' }),
    () => ({ text: 'never' }),
  ])
  const events = await all.turn('go')
  const types = events.map(({ type }) => type)
  assert.ok(types.indexOf('answer-reset') > types.indexOf('text-delta'))
  const end = events.at(-1)
  assert.equal(end?.type === 'turn-end' && end.text, 'A whole one.')
  const stored = await all.context.sessions.messages(sessionId)
  assert.deepEqual(
    stored.map(({ message }) => message.content),
    ['go', 'A whole one.'],
  )
})

test('a model that answers nothing again and again gives way to the next one', async () => {
  await using all = await profile([() => ({ text: '' }), () => ({ text: 'Here.' }), () => ({ text: 'never' })])
  const end = (await all.turn('go')).at(-1)
  assert.equal(end?.type === 'turn-end' && end.text, 'Here.')
  assert.deepEqual(all.asked(), [3, 1, 0])
})

test('a short, simple message goes to the cheap model, and a turn with tools in it does not', async () => {
  await using cheap = await startScriptedModel(() => ({ text: 'Quick.' }))
  const routing = `smart_model_routing: {enabled: true, cheap_model: {provider: custom, model: cheap-model, base_url: "${cheap.url}"}}\n`
  await using all = await profile(
    [
      (_request, n) => (n === 0 ? { toolCalls: [{ name: 'todo' }] } : { text: 'Thorough.' }),
      () => ({ text: 'never' }),
      () => ({ text: 'never' }),
    ],
    routing,
  )
  const [start] = await all.turn('thanks!')
  assert.equal(start?.type === 'turn-start' && start.model, 'cheap-model')
  await all.turn('please plan my week')
  await all.turn('thanks!')
  assert.deepEqual([cheap.requests.length, ...all.asked()], [1, 3, 0, 0])
})

test('the speed tier is asked for where a model has one', async () => {
  await using server = await startScriptedModel(() => ({ text: 'ok' }))
  const home = await temporaryHome({
    'config.yaml': `model: {provider: openai, default: gpt-5.1}\nagent: {service_tier: fast, reasoning_effort: high}\n`,
  })
  await using _home = home
  const environment = { ...home.environment, OPENAI_API_KEY: 'made-up-key', OPENAI_BASE_URL: server.url }
  await using context = await createContext({ environment, cwd: home.dir })
  const request = {
    session: { id: sessionId, source: 'cli' },
    message: { text: 'hi' },
    face: { name: 'cli', decide: nobody },
  }
  await Array.fromAsync(runTurn(request, context, new AbortController().signal))
  assert.equal(server.requests[0]?.wire, 'responses')
  assert.equal(server.requests[0]?.body['service_tier'], 'priority')
  assert.deepEqual(server.requests[0]?.body['reasoning'], { effort: 'high', summary: 'auto' })
})
