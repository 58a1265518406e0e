import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startHindsight } from '@hermes/testing/memory-services/hindsight.ts'
import { providerBed } from '@hermes/testing/memory-services/provider-bed.ts'
import { z } from 'zod'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { memoryProviderContract } from '../../memory-provider.contract.ts'
import { hindsight } from './hindsight.ts'

const limit = () => AbortSignal.timeout(30_000)

async function bed(
  t: TestContext,
  settings: Readonly<Record<string, unknown>> = {},
  start: Partial<MemoryProviderStart> = {},
) {
  const service = await startHindsight()
  t.after(() => service[Symbol.asyncDispose]())
  const files = { 'hindsight/config.json': JSON.stringify({ api_url: service.url, ...settings }) }
  const made = await providerBed(t, files, { HINDSIGHT_API_KEY: service.key }, start)
  return { service, start: made, misbehave: service.misbehave }
}

memoryProviderContract('hindsight', {
  kind: hindsight,
  bed: (t) => bed(t),
  secrets: ['hsk-stand-in-key'],
  unconfigured: (t) => providerBed(t),
  goodCalls: {
    hindsight_retain: { content: 'Has a cat.', context: 'pets' },
    hindsight_recall: { query: 'cat' },
    hindsight_reflect: { query: 'cat' },
  },
})

const tuffi = { sessionId: 's1', user: 'My elephant is called Tuffi.', assistant: 'She likes the pool.' }

test('what was said in one session is recalled in another, and asked for by tools', async (t) => {
  const { service, start } = await bed(t)
  const first = await hindsight.open(start)
  await first.keepTurn?.(tuffi, limit())
  await service.settle()

  const second = await hindsight.open({ ...start, sessionId: 's2' })
  const recalled = (await second.recall?.('How is my elephant?', limit())) ?? ''
  assert.match(recalled, /^## Hindsight memory\n.+:\n- User: My elephant is called Tuffi\.$/)
  assert.equal(await second.recall?.('weather tomorrow', limit()), '')
  const run = async (name: string, args: unknown): Promise<unknown> =>
    JSON.parse((await second.tools.find((tool) => tool.name === name)?.run(args, limit())) ?? '')
  await run('hindsight_retain', { content: 'Tuffi eats hay.' })
  assert.deepEqual(await run('hindsight_recall', { query: 'hay' }), { result: '1. Tuffi eats hay.' })
  assert.deepEqual(await run('hindsight_reflect', { query: 'pool' }), {
    result: 'From memory: Assistant: She likes the pool.',
  })
  assert.deepEqual(await run('hindsight_recall', { query: 'weather' }), { result: 'No relevant memories found.' })
})

test('memory modes: context has no tools, tools has no recall', async (t) => {
  const context = await hindsight.open((await bed(t, { memory_mode: 'context' })).start)
  assert.deepEqual([context.tools.length, 'recall' in context], [0, true])
  const tools = await hindsight.open((await bed(t, { memory_mode: 'tools' })).start)
  assert.deepEqual([tools.tools.length, 'recall' in tools], [3, false])
})

test('recall may be an answer, and asks as it is set', async (t) => {
  const { service, start } = await bed(t, { recall_prefetch_method: 'reflect', recall_prompt_preamble: 'Known:' })
  const provider = await hindsight.open(start)
  await provider.keepTurn?.(tuffi, limit())
  await service.settle()
  assert.equal(
    await provider.recall?.('elephant', limit()),
    '## Hindsight memory\nKnown:\nFrom memory: User: My elephant is called Tuffi.',
  )
  const other = await bed(t, {
    recall_budget: 'high',
    recall_max_tokens: 100,
    recall_max_input_chars: 5,
    recall_tags: 'pets, zoo',
    recall_types: ['world'],
  })
  await (await hindsight.open(other.start)).recall?.('elephant', limit())
  assert.deepEqual(other.service.requests.at(-1)?.body, {
    query: 'eleph',
    budget: 'high',
    max_tokens: 100,
    types: ['world'],
    tags: ['pets', 'zoo'],
    tags_match: 'any',
  })
})

test('turns are kept together after so many, and the rest at the end', async (t) => {
  const { service, start } = await bed(t, { retain_every_n_turns: 2, retain_tags: 'zoo', retain_source: 'hermes' })
  const provider = await hindsight.open(start)
  const documents = () => new Set(service.banks.get('hermes')?.facts.map(({ document_id }) => document_id)).size
  await provider.keepTurn?.(tuffi, limit())
  await service.settle()
  assert.equal(documents(), 0)
  await provider.keepTurn?.({ ...tuffi, user: 'She weighs 4 tons.' }, limit())
  await provider.keepTurn?.({ ...tuffi, user: 'She is 40 years old.' }, limit())
  await service.settle()
  assert.equal(documents(), 1)
  await provider.close?.(limit())
  await service.settle()
  assert.equal(documents(), 2)
  const [fact] = service.banks.get('hermes')?.facts ?? []
  assert.deepEqual(fact?.tags, ['zoo'])
  assert.deepEqual(fact.metadata, { session_id: 's1', platform: 'cli', source: 'hermes' })
})

test('a turn that could not be sent goes with the next, under the same id', async (t) => {
  const { service, start } = await bed(t)
  const provider = await hindsight.open(start)
  service.misbehave({ type: 'status', status: 500 })
  await assert.rejects(async () => provider.keepTurn?.(tuffi, limit()), { code: 'unreachable' })
  service.misbehave(undefined)
  await provider.keepTurn?.({ ...tuffi, user: 'She weighs 4 tons.' }, limit())
  const sent = z.object({ items: z.array(z.object({ content: z.string(), document_id: z.string() })) })
  const [first, second] = service.requests.map(({ body }) => sent.parse(body).items)
  assert.deepEqual([first?.length, second?.length], [1, 2])
  assert.deepEqual(second?.[0], first?.[0])
  assert.notEqual(second?.[1]?.document_id, first?.[0]?.document_id)
})

test('only the agent that speaks with the person keeps what is said', async (t) => {
  const { start } = await bed(t)
  for (const role of ['subagent', 'cron', 'flush'] as const) {
    assert.equal('keepTurn' in (await hindsight.open({ ...start, role })), false)
  }
})

test('a bank is named by its template, and told what it is for', async (t) => {
  const check = async (settings: Readonly<Record<string, unknown>>, start: Partial<MemoryProviderStart> = {}) =>
    (await hindsight.check?.((await bed(t, settings, start)).start, limit()))?.replace(/ at .*/, '')
  assert.equal(await check({}), 'Bank hermes')
  assert.equal(await check({ banks: { hermes: { bankId: 'old' } } }), 'Bank old')
  const template = { bank_id_template: 'hermes-{user}-{profile}' }
  assert.equal(await check(template, { identity: 'coder', userId: 'Ann Lee' }), 'Bank hermes-Ann-Lee-coder')
  assert.equal(await check(template, { identity: 'coder' }), 'Bank hermes-coder')
  assert.equal(await check({ bank_id_template: '{user}', bank_id: 'fallback' }), 'Bank fallback')

  const { service, start } = await bed(t, { bank_mission: 'Knows elephants.' })
  await (await hindsight.open(start)).keepTurn?.(tuffi, limit())
  assert.equal(service.banks.get('hermes')?.mission, 'Knows elephants.')
})

test("a server of one's own needs no key; the one inside Hermes is said not to be there", async (t) => {
  const own = await providerBed(t, { 'hindsight/config.json': '{"mode": "local_external"}' })
  assert.equal(await hindsight.available(own), true)
  const inside = await providerBed(t, {}, { HINDSIGHT_MODE: 'local_embedded' })
  assert.match(String(await hindsight.available(inside)), /Start its server yourself/)
})

test('settings of the shared file hold where the profile has none', async (t) => {
  const { service, start } = await bed(t)
  const shared = JSON.stringify({ api_url: service.url, bank_id: 'shared' })
  const other = await providerBed(t, { '.hindsight/config.json': shared }, { HINDSIGHT_API_KEY: service.key })
  assert.match((await hindsight.check?.(other, limit())) ?? '', /^Bank shared /)
  await hindsight.saveSettings?.({ bank_id: 'own' }, start.home)
  assert.match((await hindsight.check?.(start, limit())) ?? '', /^Bank own /)
})
