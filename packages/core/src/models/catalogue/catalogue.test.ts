import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createHttpClient } from '../net/http-client.ts'
import { catalogueModel, catalogueProviders, catalogueTable, modelList } from './catalogue.ts'
import { rowPrices } from './find-row.ts'
import { refreshToldModels } from './refresh-told-models.ts'

test('the tables hold at least eighty models, each once, with facts that make sense', async () => {
  let models = 0
  for (const provider of catalogueProviders) {
    const table = await catalogueTable(provider)
    assert.ok(table && table.rows.length > 0, provider)
    assert.match(table.asOf, /^\d{4}-\d\d-\d\d$/)
    assert.ok(URL.canParse(table.page), provider)
    const names = table.rows.map(([id]) => id.toLowerCase())
    assert.equal(new Set(names).size, names.length, provider)
    models += names.length
    for (const row of table.rows) {
      const [id, contextLength, maxOutputTokens, abilities] = row
      assert.ok(contextLength >= 8192 && contextLength <= 12_000_000, id)
      assert.ok(maxOutputTokens >= 1024 && maxOutputTokens <= contextLength, id)
      assert.match(abilities, /^ti?r?$/, id)
      const prices = rowPrices(row)
      if (!prices) continue
      assert.equal(table.billing, undefined, `${id} is paid by a subscription`)
      for (const each of [prices, ...(prices.tiers ?? [])]) {
        assert.ok(each.input >= 0 && each.input <= 200 && each.output >= each.input, id)
        assert.ok((each.cacheRead ?? 0) <= each.input, id)
      }
      const steps = (prices.tiers ?? []).map((tier) => tier.above)
      assert.deepEqual(
        steps,
        steps.toSorted((a, b) => a - b),
        id,
      )
    }
  }
  assert.ok(models >= 80, String(models))
})

test('a model is found by its name at its provider, whatever the case', async () => {
  const model = await catalogueModel('minimax', 'minimax-m3')
  assert.equal(model?.id, 'MiniMax-M3')
  assert.equal(model.prices?.input, 0.3)
  assert.equal(await catalogueModel('openai', 'MiniMax-M3'), undefined)
  assert.equal(await catalogueModel('constructor', 'x'), undefined)
})

const told = {
  data: [
    {
      id: 'maker/new',
      context_length: 200_000,
      architecture: { input_modalities: ['text', 'image'] },
      pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
      top_provider: { context_length: 190_000, max_completion_tokens: 64_000 },
      supported_parameters: ['tools', 'temperature', 'reasoning'],
    },
    { id: 'maker/router', context_length: 100_000, pricing: { prompt: '-1', completion: '-1' } },
    { id: 'maker/odd', context_length: 'many' },
  ],
}

/** A provider that counts how often it is asked; `answer` is what it says. */
async function toldBy(t: TestContext, answer: { status: number; body: string }) {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-told-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const http = createHttpClient({})
  const refresh = (now: number) =>
    refreshToldModels({ folder, provider: 'openrouter', baseUrl, http, now: () => now }, AbortSignal.timeout(30_000))
  return { folder, refresh, asked: () => asked }
}

const noon = Date.UTC(2026, 10, 29, 12)

test('what a provider tells is kept for an hour and goes before the table', async (t) => {
  const provider = await toldBy(t, { status: 200, body: JSON.stringify(told) })
  assert.equal((await modelList('openrouter', provider.folder))?.source, 'table')
  const { models } = await provider.refresh(noon)
  assert.deepEqual(models, [
    {
      provider: 'openrouter',
      id: 'maker/new',
      contextLength: 190_000,
      maxOutputTokens: 64_000,
      tools: true,
      images: true,
      reasoning: true,
      prices: { input: 3, output: 15, cacheRead: 0.3 },
    },
    {
      provider: 'openrouter',
      id: 'maker/router',
      contextLength: 100_000,
      maxOutputTokens: 100_000,
      tools: false,
      images: false,
      reasoning: false,
    },
  ])
  await provider.refresh(noon + 3_599_000)
  assert.equal(provider.asked(), 1)
  await provider.refresh(noon + 3_601_000)
  assert.equal(provider.asked(), 2)
  assert.deepEqual(await modelList('openrouter', provider.folder), { models, asOf: '2026-11-29', source: 'provider' })
})

test('a provider that answers nonsense changes nothing, and a broken file is asked for again', async (t) => {
  const answer = { status: 200, body: JSON.stringify(told) }
  const provider = await toldBy(t, answer)
  await provider.refresh(noon)
  const file = join(provider.folder, 'openrouter.json')
  const kept = await readFile(file, 'utf8')
  Object.assign(answer, { status: 500, body: '{"data": []}' })
  await assert.rejects(provider.refresh(noon + 7_200_000), {
    name: 'ModelError',
    message: /did not list its models \(500\)/,
  })
  assert.equal(await readFile(file, 'utf8'), kept)
  await writeFile(file, kept.slice(0, 40))
  assert.equal((await modelList('openrouter', provider.folder))?.source, 'table')
  Object.assign(answer, { status: 200, body: JSON.stringify(told) })
  assert.equal((await provider.refresh(noon)).models.length, 2)
})
