import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { addUsage, noUsage } from './model.ts'
import { callCost, usageCost } from './pricing.ts'

const million = { ...noUsage, inputTokens: 1_000_000 }
const address = 'https://api.example.com/v1'

test('a call is put a price on by every kind of token', () => {
  const usage = {
    inputTokens: 1000,
    outputTokens: 200,
    cacheReadTokens: 50_000,
    cacheWriteTokens: 4000,
    reasoningTokens: 100,
  }
  const usd = usageCost(usage, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })
  assert.equal(usd?.toFixed(6), '0.036000')
})

test('a price that is needed and not known makes the cost unknown; one that is not needed does not', () => {
  const prices = { input: 3, output: 15 }
  assert.equal(usageCost({ ...million, cacheReadTokens: 1 }, prices), undefined)
  assert.equal(usageCost(million, prices), 3)
})

test('the whole call costs what its longest tier says', () => {
  const prices = {
    input: 2,
    output: 10,
    tiers: [
      { above: 100_000, input: 3, output: 12 },
      { above: 500_000, input: 4, output: 15 },
    ],
  }
  const cost = (inputTokens: number) => usageCost({ ...noUsage, inputTokens, outputTokens: 1_000_000 }, prices)
  assert.equal(cost(100_000), 10.2)
  assert.equal(cost(100_001)?.toFixed(4), '12.3000')
  assert.equal(cost(1_000_000), 19)
})

test('the cost of calls within one tier is the cost of their sum', () => {
  const tokens = fc.nat(50_000)
  const usage = fc.record({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    reasoningTokens: fc.constant(0),
  })
  const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
  fc.assert(
    fc.property(usage, usage, (a, b) => {
      const apart = (usageCost(a, prices) ?? NaN) + (usageCost(b, prices) ?? NaN)
      assert.ok(Math.abs(apart - (usageCost(addUsage(a, b), prices) ?? NaN)) < 1e-9)
    }),
  )
})

test('what the provider says that it charged goes before any price', async () => {
  const call = { provider: 'openrouter', model: 'anthropic/claude-opus-5', baseUrl: address }
  assert.deepEqual(await callCost({ ...call, usage: { ...million, costUsd: 0.5 } }), {
    usd: 0.5,
    status: 'actual',
    source: 'provider_cost_api',
  })
})

test('without a word of the provider the table counts, with its day', async () => {
  const cost = await callCost({ provider: 'anthropic', model: 'claude-opus-5', baseUrl: address, usage: million })
  assert.deepEqual(cost, { usd: 5, status: 'estimated', source: 'official_docs_snapshot', pricesAsOf: '2026-11-20' })
})

test('a subscription and a server of one’s own cost nothing; what nobody knows is unknown', async () => {
  const included = { usd: 0, status: 'included', source: 'none' }
  const unknown = { status: 'unknown', source: 'none' }
  const cost = (provider: string, model: string, baseUrl?: string) =>
    callCost({ provider, model, baseUrl, usage: million })
  assert.deepEqual(await cost('openai-codex', 'gpt-6-sol', address), included)
  assert.deepEqual(await cost('ollama', 'qwen3:8b', 'http://127.0.0.1:11434/v1'), included)
  assert.deepEqual(await cost('offline', 'offline'), included)
  assert.deepEqual(await cost('custom', 'some-model', address), unknown)
  assert.deepEqual(await cost('anthropic', 'claude-of-tomorrow', address), unknown)
})

test('prices that the provider told go before the table, but not before a tier that only the table knows', async (t) => {
  const toldFolder = await mkdtemp(join(tmpdir(), 'hermes-prices-'))
  t.after(() => rm(toldFolder, { recursive: true, force: true }))
  const listed = (id: string, prompt: string, completion: string) => ({
    id,
    context_length: 1e6,
    pricing: { prompt, completion },
  })
  const data = [
    listed('anthropic/claude-opus-5', '0.000007', '0.00003'),
    listed('openai/gpt-6-sol', '0.000002', '0.00001'),
  ]
  await writeFile(join(toldFolder, 'openrouter.json'), JSON.stringify({ fetchedAt: Date.UTC(2026, 10, 29), data }))
  const cost = (model: string) =>
    callCost({ provider: 'openrouter', model, baseUrl: address, usage: million, toldFolder })
  assert.deepEqual(await cost('anthropic/claude-opus-5'), {
    usd: 7,
    status: 'estimated',
    source: 'provider_models_api',
    pricesAsOf: '2026-11-29',
  })
  assert.equal((await cost('openai/gpt-6-sol')).usd, 4)
})
