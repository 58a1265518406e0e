import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startMem0 } from '@hermes/testing/memory-services/mem0.ts'
import { providerBed } from '@hermes/testing/memory-services/provider-bed.ts'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { memoryProviderContract } from '../../memory-provider.contract.ts'
import { mem0 } from './mem0.ts'

const limit = () => AbortSignal.timeout(30_000)

async function bed(
  t: TestContext,
  {
    settings = {},
    start = {},
    kind = 'cloud' as const,
  }: {
    settings?: Readonly<Record<string, unknown>>
    start?: Partial<MemoryProviderStart>
    kind?: 'cloud' | 'server'
  } = {},
) {
  const service = await startMem0({ kind })
  t.after(() => service[Symbol.asyncDispose]())
  const address = kind === 'cloud' ? { base_url: service.url } : { host: service.url }
  const files = { 'mem0.json': JSON.stringify({ ...address, ...settings }) }
  const made = await providerBed(t, files, { MEM0_API_KEY: service.key }, start)
  return { service, start: made, misbehave: service.misbehave }
}

const goodCalls = { mem0_profile: {}, mem0_search: { query: 'cat' }, mem0_conclude: { conclusion: 'Has a cat.' } }

memoryProviderContract('mem0', {
  kind: mem0,
  bed: (t) => bed(t),
  secrets: ['m0-stand-in-key'],
  unconfigured: (t) => providerBed(t),
  goodCalls,
})

memoryProviderContract("mem0 on a server of one's own", {
  kind: mem0,
  bed: (t) => bed(t, { kind: 'server' }),
  secrets: ['m0-stand-in-key'],
  goodCalls,
})

const tuffi = { sessionId: 's1', user: 'My elephant is called Tuffi.', assistant: 'Does she swim?' }

for (const kind of ['cloud', 'server'] as const) {
  test(`what was said is recalled in another session (${kind})`, async (t) => {
    const { service, start } = await bed(t, { kind })
    const first = await mem0.open(start)
    await first.keepTurn?.(tuffi, limit())
    await first.close?.(limit())
    await service.settle()

    const second = await mem0.open({ ...start, sessionId: 's2' })
    assert.equal(
      await second.recall?.('How is my elephant?', limit()),
      '## Mem0 memory\n- My elephant is called Tuffi.',
    )
    assert.equal(await second.recall?.('weather tomorrow', limit()), '')
    const run = async (name: string, args: unknown): Promise<unknown> =>
      JSON.parse((await second.tools.find((tool) => tool.name === name)?.run(args, limit())) ?? '')
    assert.deepEqual(await run('mem0_conclude', { conclusion: 'Eats hay. Drinks water.' }), { result: 'Fact stored.' })
    await service.settle()
    assert.deepEqual(await run('mem0_search', { query: 'hay', top_k: 500 }), {
      results: [{ memory: 'Eats hay. Drinks water.', score: 1 }],
      count: 1,
    })
    assert.deepEqual(await run('mem0_profile', {}), {
      result: 'Eats hay. Drinks water.\nMy elephant is called Tuffi.',
      count: 2,
    })
  })
}

test('people of a platform have memories of their own', async (t) => {
  const { service, start } = await bed(t)
  const ann = await mem0.open({ ...start, userId: 'ann', platform: 'telegram' })
  await ann.keepTurn?.(tuffi, limit())
  await service.settle()
  const bob = await mem0.open({ ...start, userId: 'bob' })
  assert.equal(await bob.recall?.('elephant', limit()), '')
  assert.deepEqual(
    service.memories.map(({ user_id, agent_id, metadata }) => [user_id, agent_id, metadata]),
    [['ann', 'hermes', { channel: 'telegram' }]],
  )
})

test('only the agent that speaks with the person keeps what is said', async (t) => {
  const { start } = await bed(t)
  for (const role of ['subagent', 'cron', 'flush'] as const) {
    assert.equal('keepTurn' in (await mem0.open({ ...start, role })), false)
  }
})

test('recall asks as it is set: few results, sorted once more unless switched off', async (t) => {
  const bodyOf = async (settings: Readonly<Record<string, unknown>>) => {
    const { service, start } = await bed(t, { settings })
    await (await mem0.open(start)).recall?.('elephant', limit())
    return service.requests[0]?.body
  }
  const asked = { query: 'elephant', filters: { user_id: 'hermes-user' }, top_k: 5 }
  assert.deepEqual(await bodyOf({}), { ...asked, rerank: true })
  assert.deepEqual(await bodyOf({ rerank: 'false' }), { ...asked, rerank: false })
})

test('a turn that could not be sent goes with the next, each by itself', async (t) => {
  const { service, start } = await bed(t)
  const provider = await mem0.open(start)
  service.misbehave({ type: 'drop' })
  await assert.rejects(async () => provider.keepTurn?.(tuffi, limit()), { code: 'unreachable' })
  service.misbehave(undefined)
  await provider.keepTurn?.({ ...tuffi, user: 'She weighs 4 tons.' }, limit())
  await service.settle()
  assert.deepEqual(
    service.memories.map(({ memory }) => memory),
    ['My elephant is called Tuffi.', 'She weighs 4 tons.'],
  )
})

test('a wrong setting is named, and its value is not', async (t) => {
  const { start } = await bed(t, { settings: { rerank: 'secret-maybe' } })
  await assert.rejects(mem0.open(start), (error: Error) => {
    assert.match(error.message, /mem0\.json: rerank is not right/)
    return !error.message.includes('secret-maybe')
  })
})
