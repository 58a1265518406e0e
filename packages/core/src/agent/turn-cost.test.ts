import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
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

test('a server on this machine costs nothing', async () => {
  const { costs, session } = await costsOf('provider: custom, default: own-model', [counts])
  assert.deepEqual(costs, [{ usd: 0, status: 'included', source: 'none' }])
  assert.deepEqual([session?.['estimated_cost_usd'], session?.['cost_status']], [0, 'included'])
})
