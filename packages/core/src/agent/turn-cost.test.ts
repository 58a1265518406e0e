import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { ScriptedAnswer } from '@hermes/testing'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { createContext } from './create-context.ts'
import { nobody } from './decision.ts'
import { runTurn } from './run-turn.ts'

const id = '20260101_000000_aaaaaa'

/** The costs of the turns of one session with a provider whose answers count like this. */
async function costsOf(config: string, usages: readonly Record<string, unknown>[]) {
  await using model = await startScriptedModel((_request, n) => ({ text: 'Done.', usage: usages[n] }))
  await using home = await temporaryHome({
    'config.yaml': `model: {base_url: "${model.url}", api_key: made-up-key-123456, ${config}}`,
  })
  await using context = await createContext({ environment: home.environment, cwd: home.dir })
  const face = { name: 'cli', decide: nobody }
  const events = []
  for (const _usage of usages) {
    const request = { session: { id, source: 'cli' }, message: { text: 'hi' }, face }
    events.push(...(await Array.fromAsync(runTurn(request, context, new AbortController().signal))))
  }
  const costs = events.filter((event) => event.type === 'usage').map((event) => event.cost)
  return { costs, session: await context.sessions.exportSession(id) }
}

const counts = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }

test('a call is estimated by the table, then the provider says what it charged: the session has both', async () => {
  const config = 'provider: openrouter, default: anthropic/claude-opus-5'
  const { costs, session } = await costsOf(config, [counts, { ...counts, cost: 0.5 }])
  assert.deepEqual(
    costs.map((cost) => [cost?.status, cost?.source, cost?.usd?.toFixed(6)]),
    [
      ['estimated', 'official_docs_snapshot', '0.007500'],
      ['actual', 'provider_cost_api', '0.500000'],
    ],
  )
  assert.equal(Number(session?.['estimated_cost_usd']).toFixed(6), '0.507500')
  assert.equal(session?.['actual_cost_usd'], 0.5)
  assert.deepEqual([session?.['cost_status'], session?.['cost_source']], ['actual', 'provider_cost_api'])
  assert.match(String(session?.['pricing_version']), /^\d{4}-\d\d-\d\d$/)
})

test('calls that answered nothing are counted, and a first turn that fails keeps its prompt', async () => {
  const usage = counts
  const sessionAfter = async (script: readonly ScriptedAnswer[]) => {
    await using model = await startScriptedModel((_request, n) => script[n] ?? { text: 'Done.' })
    await using home = await temporaryHome({
      'config.yaml': `model: {provider: custom, default: own-model, base_url: "${model.url}", api_key: made-up-key-123456}`,
    })
    await using context = await createContext({ environment: home.environment, cwd: home.dir })
    const request = { session: { id, source: 'cli' }, message: { text: 'hi' }, face: { name: 'cli', decide: nobody } }
    const events = await Array.fromAsync(runTurn(request, context, new AbortController().signal))
    const session = await context.sessions.get(id)
    const last = events.at(-1)
    const hasPrompt = (session?.systemPrompt ?? '').length > 0
    return [last?.type === 'turn-end' && last.status, session?.usage.inputTokens, session?.messageCount, hasPrompt]
  }
  const nothing = { text: '', usage }
  assert.deepEqual(await sessionAfter([nothing, { text: 'Here.', usage }]), ['completed', 2000, 2, true])
  assert.deepEqual(await sessionAfter([nothing, nothing, nothing]), ['failed', 3000, 1, true])
  const refused = { fault: { type: 'http', status: 401, message: 'no' } } as const
  assert.deepEqual(await sessionAfter([refused]), ['failed', 0, 1, true])
})

test('a server on this machine costs nothing', async () => {
  const { costs, session } = await costsOf('provider: custom, default: own-model', [counts])
  assert.deepEqual(costs, [{ usd: 0, status: 'included', source: 'none' }])
  assert.deepEqual([session?.['estimated_cost_usd'], session?.['cost_status']], [0, 'included'])
})

test('what a subscription pays for has no price, however the model is priced by the token', async () => {
  const statusOf = async (apiKey: string) => {
    const usage = { input_tokens: 1000, output_tokens: 100 }
    await using agent = await startScriptedAgent({ script: () => ({ text: 'Done.', usage }) })
    await using home = await temporaryHome({
      'config.yaml': `model: {provider: anthropic, default: claude-opus-5, base_url: "${agent.model.url}", api_mode: anthropic_messages, api_key: ${apiKey}}`,
    })
    await using context = await createContext({ environment: home.environment, cwd: home.dir })
    const request = { session: { id, source: 'cli' }, message: { text: 'hi' }, face: { name: 'cli', decide: nobody } }
    const events = await Array.fromAsync(runTurn(request, context, new AbortController().signal))
    const call = events.find((event) => event.type === 'usage')
    assert.ok(call?.cost && call.usage.inputTokens === 1000)
    return [call.cost.status, call.cost.usd === 0, (await context.sessions.get(id))?.costStatus]
  }
  assert.deepEqual(await statusOf('sk-ant-oat01-made-up'), ['included', true, 'included'])
  assert.deepEqual(await statusOf('sk-ant-api03-made-up'), ['estimated', false, 'estimated'])
})

test('what is left of limits comes with the tokens of a call, and is remembered', async () => {
  const headers = {
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '400',
    'x-ratelimit-reset-requests': '1m30s',
  }
  await using agent = await startScriptedAgent({ script: () => ({ text: 'Done.', headers }) })
  const before = Date.now()
  const told = (await agent.turn(id, 'hi')).find((event) => event.type === 'usage')?.rateLimits
  assert.equal(told?.provider, 'custom')
  assert.equal(told.key, undefined)
  const [limit] = told.limits
  assert.deepEqual(
    { ...limit, resetsAtMs: 0 },
    { name: 'requests', used: 0.2, limit: 500, remaining: 400, resetsAtMs: 0 },
  )
  assert.ok((limit?.resetsAtMs ?? 0) >= before + 90_000)
  assert.deepEqual(agent.context.models.rateLimits(), [told])
})
