import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { providerBed } from '@hermes/testing/memory-services/provider-bed.ts'
import { startSupermemory } from '@hermes/testing/memory-services/supermemory.ts'
import type { MemoryProvider, MemoryProviderStart } from '../../memory-provider.ts'
import { memoryProviderContract } from '../../memory-provider.contract.ts'
import { recalledText } from './recalled-text.ts'
import { supermemory } from './supermemory.ts'

const limit = () => AbortSignal.timeout(30_000)

async function bed(
  t: TestContext,
  settings: Readonly<Record<string, unknown>> = {},
  start: Partial<MemoryProviderStart> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const service = await startSupermemory()
  t.after(() => service[Symbol.asyncDispose]())
  const files = { 'supermemory.json': JSON.stringify({ base_url: service.url, ...settings }) }
  const made = await providerBed(t, files, { SUPERMEMORY_API_KEY: service.key, ...environment }, start)
  return { service, start: made, misbehave: service.misbehave }
}

async function run(provider: MemoryProvider, name: string, args: unknown): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse((await provider.tools.find((tool) => tool.name === name)?.run(args, limit())) ?? '')
}

memoryProviderContract('supermemory', {
  kind: supermemory,
  bed: (t) => bed(t),
  secrets: ['sm_stand-in-key'],
  unconfigured: (t) => providerBed(t),
  goodCalls: {
    supermemory_store: { content: 'Has a cat.', metadata: { of: 'Ann', list: ['a'], deep: { x: 1 } } },
    supermemory_search: { query: 'cat', limit: 3 },
    supermemory_profile: {},
  },
})

const tuffi = { sessionId: 's1', user: 'My elephant is called Tuffi.', assistant: 'She likes the pool.' }

test('what was said in one session is recalled in another, with the profile at first', async (t) => {
  const { service, start } = await bed(t)
  const first = await supermemory.open(start)
  await first.keepTurn?.(tuffi, limit())
  await first.keepNote?.({ action: 'add', target: 'user', content: 'Prefers tea.' }, limit())
  await service.settle()

  const second = await supermemory.open({ ...start, sessionId: 's2' })
  assert.equal(
    await second.recall?.('How is Tuffi?', limit()),
    '## User profile\n- Prefers tea.\n\n## Recent context\n- My elephant is called Tuffi.',
  )
  assert.equal(
    await second.recall?.('How is Tuffi?', limit()),
    `## Relevant memories\n- My elephant is called Tuffi. (${new Date().toISOString().slice(0, 10)})`,
  )
  assert.equal(await second.recall?.('weather tomorrow', limit()), '')
})

test('a memory is stored, found, and forgotten by its id or by what it says', async (t) => {
  const { service, start } = await bed(t)
  const provider = await supermemory.open(start)
  const content = 'I prefer hay for Tuffi.'
  const stored = await run(provider, 'supermemory_store', { content })
  assert.deepEqual([stored['saved'], stored['preview']], [true, content])
  await run(provider, 'supermemory_store', { content: 'The lion is called Leo.' })
  await service.settle()
  assert.deepEqual(
    service.memories.map(({ metadata }) => metadata),
    [
      { sm_source: 'hermes', type: 'preference' },
      { sm_source: 'hermes', type: 'fact' },
    ],
  )
  const { results } = await run(provider, 'supermemory_search', { query: 'hay' })
  const id = service.memories[0]?.id
  assert.deepEqual(results, [{ id, content, similarity: 100 }])
  assert.deepEqual(await run(provider, 'supermemory_forget', { id }), { forgotten: true, id })
  assert.equal(
    (await run(provider, 'supermemory_forget', { query: 'lion' }))['message'],
    'Forgot: "The lion is called Leo."',
  )
  assert.equal((await run(provider, 'supermemory_forget', { query: 'lion' }))['success'], false)
  assert.deepEqual(await run(provider, 'supermemory_forget', {}), { error: 'Give id or query.' })
  assert.deepEqual(service.memories, [])
})

test('a conversation grows with its turns and is one conversation', async (t) => {
  const { service, start } = await bed(t)
  const provider = await supermemory.open(start)
  await provider.keepTurn?.(tuffi, limit())
  await provider.keepTurn?.({ ...tuffi, user: 'She weighs 4 tons.' }, limit())
  await provider.keepSession?.([], limit())
  await provider.close?.(limit())
  assert.deepEqual([...service.conversations.values()], [4])
  await service.settle()
  assert.equal(service.memories.length, 2)
})

test('a turn that could not be sent goes with the next', async (t) => {
  const { service, start } = await bed(t)
  const provider = await supermemory.open(start)
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

test('a long conversation goes on as another', async (t) => {
  const { service, start } = await bed(t)
  const provider = await supermemory.open(start)
  for (let turn = 0; turn < 51; turn++) await provider.keepTurn?.({ ...tuffi, user: `Turn number ${turn}.` }, limit())
  assert.deepEqual([...service.conversations.values()], [100, 2])
})

test('short messages are kept only when everything is, and nothing when it is off', async (t) => {
  const kept = async (settings: Readonly<Record<string, unknown>>) => {
    const { service, start } = await bed(t, settings)
    const provider = await supermemory.open(start)
    await provider.keepTurn?.({ ...tuffi, user: 'Thanks.' }, limit())
    return service.conversations.size
  }
  assert.equal(await kept({}), 0)
  assert.equal(await kept({ capture_mode: 'everything' }), 1)
  assert.equal(await kept({ capture_mode: 'everything', auto_capture: false }), 0)
  const { start } = await bed(t, { auto_recall: false })
  assert.equal('recall' in (await supermemory.open(start)), false)
})

test('only the agent that speaks with the person keeps what is said', async (t) => {
  const { start } = await bed(t)
  for (const role of ['subagent', 'cron', 'flush'] as const) {
    const provider = await supermemory.open({ ...start, role })
    assert.deepEqual(['keepTurn' in provider, 'keepNote' in provider, 'recall' in provider], [false, false, true])
  }
})

test('the container is named by file or variable, for profile and person', async (t) => {
  const check = async (
    settings: Readonly<Record<string, unknown>>,
    start: Partial<MemoryProviderStart> = {},
    environment: Readonly<Record<string, string>> = {},
  ) => supermemory.check?.((await bed(t, settings, start, environment)).start, limit())
  assert.equal(await check({}), 'Container hermes, 0 facts in the profile.')
  assert.match((await check({ container_tag: 'my zoo!' })) ?? '', /^Container my_zoo,/)
  assert.match(
    (await check({ container_tag: 'hermes-{identity}' }, { identity: 'coder' })) ?? '',
    /^Container hermes_coder,/,
  )
  assert.match((await check({ container_tag: 'h-{user}' }, { userId: '77' })) ?? '', /^Container h_77,/)
  assert.match(
    (await check({ container_tag: 'file' }, {}, { SUPERMEMORY_CONTAINER_TAG: 'own' })) ?? '',
    /^Container own,/,
  )
})

test('tools name another container only where there are some, and one that is set', async (t) => {
  const parameters = (provider: MemoryProvider) => JSON.stringify(provider.tools.map((tool) => tool.parameters))
  assert.doesNotMatch(parameters(await supermemory.open((await bed(t)).start)), /container_tag/)

  const { service, start } = await bed(t, { enable_custom_container_tags: true, custom_containers: ['zoo'] })
  const provider = await supermemory.open(start)
  assert.match(parameters(provider), /container_tag/)
  const stored = await run(provider, 'supermemory_store', { content: 'Eats hay.', container_tag: 'zoo' })
  assert.equal(stored['container_tag'], 'zoo')
  await service.settle()
  assert.deepEqual(
    service.memories.map(({ container }) => container),
    ['zoo'],
  )
  await assert.rejects(run(provider, 'supermemory_search', { query: 'hay', container_tag: 'other' }), {
    code: 'invalid',
    message: 'container_tag must be one of hermes, zoo.',
  })
})

test('nothing is told twice, and of each kind no more than may be', () => {
  const found = (text: string, updatedAt: string) => ({ id: '', text, similarity: 0.5, updatedAt })
  const profile = {
    lasting: ['A', 'A', 'B'],
    recent: ['B', 'C', 'D', 'E', 'F'],
    found: [found('C', ''), found('G', '2026-06-15T11:55:00Z'), found('H', '')],
  }
  assert.equal(
    recalledText(profile, 3),
    '## User profile\n- A\n- B\n\n## Recent context\n- C\n- D\n- E\n\n## Relevant memories\n- G (2026-06-15)\n- H',
  )
})
