import assert from 'node:assert/strict'
import { mkdir, readFile } from 'node:fs/promises'
import { setImmediate as tick } from 'node:timers/promises'
import { type TestContext, test } from 'node:test'
import { startHoncho } from '@hermes/testing/memory-services/honcho.ts'
import { providerBed } from '@hermes/testing/memory-services/provider-bed.ts'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { memoryProviderContract } from '../../memory-provider.contract.ts'
import { honcho } from './honcho.ts'

const limit = () => AbortSignal.timeout(30_000)

async function bed(
  t: TestContext,
  settings: Readonly<Record<string, unknown>> = {},
  start: Partial<MemoryProviderStart> = {},
) {
  const service = await startHoncho()
  t.after(() => service[Symbol.asyncDispose]())
  const file = { baseUrl: service.url, peerName: 'ann', ...settings }
  const made = await providerBed(t, { 'honcho.json': JSON.stringify(file) }, { HONCHO_API_KEY: service.key }, start)
  return { service, start: made, misbehave: service.misbehave }
}

memoryProviderContract('honcho', {
  kind: honcho,
  bed,
  secrets: ['hch-stand-in-key'],
  unconfigured: (t) => providerBed(t, {}, {}),
  goodCalls: {
    honcho_profile: {},
    honcho_search: { query: 'cat' },
    honcho_context: { query: 'What is the cat called?' },
    honcho_conclude: { conclusion: 'Has a cat.' },
  },
})

const tuffi = { sessionId: 's1', user: 'My elephant is called Tuffi.', assistant: 'She likes the pool.' }

test('what was said in one session is recalled in another, and asked for by tools', async (t) => {
  const { service, start } = await bed(t)
  const first = await honcho.open(start)
  await first.keepTurn?.(tuffi, limit())
  await first.close?.(limit())
  await service.settle()

  const second = await honcho.open({ ...start, sessionId: 's2', workspace: '/elsewhere' })
  const recalled = await second.recall?.('How is my elephant?', limit())
  assert.match(recalled ?? '', /## User representation\n[\s\S]*My elephant is called Tuffi\./)
  assert.match(recalled ?? '', /## What Honcho makes of it\nWhat is known: My elephant is called Tuffi\./)
  const run = (name: string, args: unknown) => second.tools.find((tool) => tool.name === name)?.run(args, limit())
  assert.match((await run('honcho_search', { query: 'elephant' })) ?? '', /Tuffi/)
  assert.match((await run('honcho_context', { query: 'elephant name' })) ?? '', /Tuffi/)
  assert.match((await run('honcho_context', { query: 'pool', peer: 'ai' })) ?? '', /likes the pool/)
  assert.match((await run('honcho_search', { query: 'weather' })) ?? '', /No relevant context/)
})

test('a note about the person becomes a conclusion, a note of the agent does not', async (t) => {
  const { service, start } = await bed(t)
  const provider = await honcho.open(start)
  await provider.keepNote?.({ action: 'add', target: 'user', content: 'Prefers tea.' }, limit())
  await provider.keepNote?.({ action: 'add', target: 'memory', content: 'Tests: npm test' }, limit())
  const conclusions = service.workspaces.get('hermes')?.conclusions ?? []
  assert.deepEqual(
    conclusions.map(({ content, observer_id, observed_id }) => [content, observer_id, observed_id]),
    [['Prefers tea.', 'hermes', 'ann']],
  )
})

test('recall modes: context has no tools, tools has no recall', async (t) => {
  const context = await honcho.open((await bed(t, { recallMode: 'context' })).start)
  assert.deepEqual([context.tools.length, typeof context.recall], [0, 'function'])
  const tools = await honcho.open((await bed(t, { recallMode: 'tools' })).start)
  assert.deepEqual([tools.tools.length, typeof tools.recall], [4, 'undefined'])
})

test("what runs by itself leaves Honcho alone, and only the person's own agent keeps what is said", async (t) => {
  const { start } = await bed(t)
  const cron = await honcho.open({ ...start, role: 'cron' })
  assert.deepEqual([cron.tools.length, 'recall' in cron, 'keepTurn' in cron], [0, false, false])
  const child = await honcho.open({ ...start, role: 'subagent' })
  assert.deepEqual(['recall' in child, 'keepTurn' in child], [true, false])
})

test('messages are sent after so many turns, and the rest at the end', async (t) => {
  const { service, start } = await bed(t, { writeFrequency: 2 })
  const provider = await honcho.open(start)
  const kept = () => service.workspaces.get('hermes')?.sessions.get('zoo')?.messages.length ?? 0
  await provider.keepTurn?.(tuffi, limit())
  assert.equal(kept(), 0)
  await provider.keepTurn?.(tuffi, limit())
  assert.equal(kept(), 4)
  await provider.keepTurn?.(tuffi, limit())
  assert.equal(kept(), 4)
  await provider.close?.(limit())
  assert.equal(kept(), 6)
})

test('what could not be sent goes with the next turn', async (t) => {
  const { service, start } = await bed(t)
  const provider = await honcho.open(start)
  service.misbehave({ type: 'status', status: 500 })
  await assert.rejects(async () => provider.keepTurn?.(tuffi, limit()), { code: 'unreachable' })
  service.misbehave(undefined)
  await provider.keepTurn?.({ ...tuffi, user: 'She weighs 4 tons.' }, limit())
  const messages = service.workspaces.get('hermes')?.sessions.get('zoo')?.messages ?? []
  assert.deepEqual(
    messages.map(({ peer_id, content }) => `${peer_id}: ${content}`),
    [
      'ann: My elephant is called Tuffi.',
      'hermes: She likes the pool.',
      'ann: She weighs 4 tons.',
      'hermes: She likes the pool.',
    ],
  )
})

test('long messages are sent in pieces, and what was recalled is not sent back', async (t) => {
  const { service, start } = await bed(t)
  const provider = await honcho.open(start)
  const user = `<memory-context>\nold news\n</memory-context>\n${'x'.repeat(30_000)}`
  await provider.keepTurn?.({ sessionId: 's', user, assistant: '' }, limit())
  const messages = service.workspaces.get('hermes')?.sessions.get('zoo')?.messages ?? []
  assert.deepEqual(
    messages.map(({ content }) => [content.length, content.slice(0, 12)]),
    [
      [24_988, 'xxxxxxxxxxxx'],
      [5_024, '[continued] '],
    ],
  )
})

test('the workspace is made once, however much is asked at a time', async (t) => {
  const { service, start } = await bed(t)
  const provider = await honcho.open(start)
  await provider.recall?.('elephant', limit())
  await provider.recall?.('elephant', limit())
  assert.equal(service.requests.filter(({ path }) => path === '/v3/workspaces').length, 1)
})

test('between two refreshes the last context is used again', async (t) => {
  const { service, start } = await bed(t, { contextCadence: 2, dialecticCadence: 3 })
  const provider = await honcho.open(start)
  const asked = (part: string) => service.requests.filter(({ path }) => path.includes(part)).length
  for (let turn = 0; turn < 4; turn++) await provider.recall?.('elephant', limit())
  assert.deepEqual([asked('/context'), asked('/chat')], [4, 2])
})

test("the context stays when Honcho's model fails", async (t) => {
  const { service, start } = await bed(t)
  const provider = await honcho.open(start)
  await provider.keepTurn?.(tuffi, limit())
  await service.settle()
  service.refuse('/chat', { status: 500, body: { detail: 'no model' } })
  assert.match((await provider.recall?.('elephant', limit())) ?? '', /Tuffi/)
})

test('people of a platform are apart, unless the file says that they are one', async (t) => {
  const status = async (settings: Readonly<Record<string, unknown>>, start: Partial<MemoryProviderStart>) => {
    const made = await bed(t, settings, start)
    return honcho.check?.(made.start, limit())
  }
  assert.match((await status({}, { userId: '77', platform: 'telegram' })) ?? '', /you are 77,/)
  assert.match((await status({ runtimePeerPrefix: 'telegram_' }, { userId: '77' })) ?? '', /you are telegram_77,/)
  assert.match((await status({ userPeerAliases: { 77: 'ann' } }, { userId: '77' })) ?? '', /you are ann,/)
  assert.match((await status({ pinUserPeer: true }, { userId: '77' })) ?? '', /you are ann,/)
  assert.match((await status({ peerName: 'hermes' }, {})) ?? '', /you are hermes-user, the agent is hermes\./)
})

test('conversations are told apart by the strategy that is set', async (t) => {
  const sessionOf = async (settings: Readonly<Record<string, unknown>>, start: Partial<MemoryProviderStart> = {}) => {
    const made = await bed(t, settings, start)
    await mkdir(made.start.home.path('repository', '.git'), { recursive: true })
    const workspace = start.workspace ?? made.start.home.path('repository', 'src')
    const provider = await honcho.open({ ...made.start, workspace })
    await provider.keepTurn?.(tuffi, limit())
    const [workspaceOf] = made.service.workspaces.values()
    return [...(workspaceOf?.sessions.keys() ?? [])]
  }
  assert.deepEqual(await sessionOf({}), ['src'])
  assert.deepEqual(await sessionOf({ sessionStrategy: 'per-repo' }), ['repository'])
  assert.deepEqual(await sessionOf({ sessionStrategy: 'per-session' }), ['s1'])
  assert.deepEqual(await sessionOf({ sessionStrategy: 'global', workspace: 'den' }), ['den'])
  assert.deepEqual(await sessionOf({ sessionPeerPrefix: true }), ['ann-src'])
  assert.deepEqual(await sessionOf({ sessions: { '/work/zoo': 'my zoo' } }, { workspace: '/work/zoo' }), ['my-zoo'])
  assert.deepEqual(await sessionOf({}, { platform: 'telegram' }), ['s1'])
})

test("a profile's block of the file wins over the rest of it, and config.yaml over both", async (t) => {
  const settings = {
    aiPeer: 'root',
    workspace: 'shared',
    hosts: { hermes: { aiPeer: 'main' }, 'hermes.coder': { aiPeer: 'coder' } },
  }
  const { start } = await bed(t, settings)
  const check = (more: Partial<MemoryProviderStart>) => honcho.check?.({ ...start, ...more }, limit())
  assert.match((await check({})) ?? '', /Workspace shared, .* agent is main\./)
  assert.match((await check({ identity: 'coder' })) ?? '', /agent is coder\./)
  assert.match((await check({ settings: { aiPeer: 'over' } })) ?? '', /agent is over\./)
})

test('answers of the setup go into the file, whose other keys stay', async (t) => {
  const { start } = await bed(t, { sessions: { '/a': 'b' } })
  await honcho.saveSettings?.({ baseUrl: 'http://localhost:1' }, start.home)
  assert.match(
    (await honcho.check?.(start, limit()).catch(String)) ?? '',
    /Honcho cannot be reached at http:\/\/localhost:1/,
  )
  const provider = await honcho.open({ ...start, workspace: '/a' })
  assert.equal(provider.name, 'honcho')
})

test("answers of the setup go into the profile's block where there is one, which goes before the rest", async (t) => {
  const { start } = await bed(t, { hosts: { hermes: { peerName: 'old', aiPeer: 'main' }, other: { x: 1 } } })
  await honcho.saveSettings?.({ peerName: 'bea' }, start.home)
  assert.match((await honcho.check?.(start, limit())) ?? '', /you are bea, the agent is main\./)
  const file: unknown = JSON.parse(await readFile(start.home.path('honcho.json'), 'utf8'))
  assert.partialDeepStrictEqual(file, { peerName: 'ann', hosts: { other: { x: 1 } } })
})

test('closing ends everything that a service keeps waiting', async (t) => {
  const { service, start } = await bed(t)
  const provider = await honcho.open(start)
  service.misbehave({ type: 'hang' })
  const abort = new AbortController()
  const running = Promise.allSettled([provider.recall?.('x', abort.signal), provider.keepTurn?.(tuffi, abort.signal)])
  const limited = limit()
  while (service.hanging.size === 0) await tick()
  abort.abort()
  await running
  await assert.rejects(async () => provider.close?.(AbortSignal.timeout(50)))
  while (service.hanging.size > 0) {
    limited.throwIfAborted()
    await tick()
  }
})
