import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { type TestContext, test } from 'node:test'
import { startOpenViking } from '@hermes/testing/memory-services/openviking.ts'
import { providerBed } from '@hermes/testing/memory-services/provider-bed.ts'
import { memoryProviderContract } from '../../memory-provider.contract.ts'
import type { MemoryProvider, MemoryProviderStart } from '../../memory-provider.ts'
import { openviking } from './openviking.ts'

const limit = () => AbortSignal.timeout(30_000)

async function bed(
  t: TestContext,
  { hasKeys = true, ...changes }: Partial<MemoryProviderStart> & { hasKeys?: boolean } = {},
) {
  const service = await startOpenViking({ hasKeys })
  t.after(() => service[Symbol.asyncDispose]())
  const variables = { OPENVIKING_ENDPOINT: service.url, ...(hasKeys && { OPENVIKING_API_KEY: service.key }) }
  const made = await providerBed(t, {}, variables, changes)
  const start = { ...made, workspace: made.home.path('zoo') }
  await mkdir(start.workspace)
  return { service, start, misbehave: service.misbehave }
}

async function opened(t: TestContext, start: MemoryProviderStart): Promise<MemoryProvider> {
  const provider = await openviking.open(start)
  t.after(() => provider.close?.(limit()).catch(() => undefined))
  return provider
}

async function run(provider: MemoryProvider, name: string, args: unknown): Promise<Record<string, unknown>> {
  const tool = provider.tools.find((each) => each.name === name)
  assert.ok(tool, name)
  return JSON.parse(await tool.run(args, limit()))
}

for (const hasKeys of [true, false]) {
  memoryProviderContract(hasKeys ? 'openviking' : 'openviking without keys', {
    kind: openviking,
    bed: (t) => bed(t, { hasKeys }),
    secrets: ['made-up-key-of-openviking'],
    unconfigured: (t) => providerBed(t),
    goodCalls: {
      viking_search: { query: 'cat' },
      viking_browse: { action: 'list' },
      viking_remember: { content: 'Has a cat.' },
      viking_add_resource: { url: 'https://example.com/guide.md' },
    },
  })
}

const tuffi = { sessionId: 's1', user: 'My elephant is called Tuffi.', assistant: 'Does she swim?' }

test('what was said is recalled in another session once the first one is over', async (t) => {
  const { service, start } = await bed(t)
  const first = await opened(t, start)
  await first.keepTurn?.(tuffi, limit())
  await first.keepNote?.({ action: 'add', target: 'user', content: 'Lives in Lyon.' }, limit())
  assert.deepEqual(
    service.sessions.get('s1')?.messages.map(({ role, content }) => [role, content]),
    [
      ['user', 'My elephant is called Tuffi.'],
      ['assistant', 'Does she swim?'],
      ['user', '[Memory note — user] Lives in Lyon.'],
    ],
  )
  await first.keepSession?.([], limit())
  await first.close?.(limit())
  assert.equal(service.sessions.get('s1')?.commits, 1, 'a session without news is not committed again')

  const second = await opened(t, { ...start, sessionId: 's2' })
  assert.match(
    (await second.recall?.('How is my elephant?', limit())) ?? '',
    /^## OpenViking context\n- \[\d\.\d\d\] My elephant is called Tuffi\. \(viking:\/\/user\/ann\/memories\/events\/mem_\S+\.md\)$/,
  )
  assert.equal(await second.recall?.('weather', limit()), '')
})

test('what was said goes to the session that it was said in, also after a compaction, and nothing is lost to an outage', async (t) => {
  const { service, start } = await bed(t)
  const provider = await opened(t, start)
  service.misbehave({ type: 'status', status: 500 })
  await assert.rejects(Promise.resolve(provider.keepTurn?.(tuffi, limit())), { code: 'unreachable' })
  service.misbehave(undefined)
  await provider.keepTurn?.({ ...tuffi, sessionId: 's1-2', user: 'She is grey.' }, limit())
  await provider.close?.(limit())
  assert.deepEqual(
    [...service.sessions].map(([id, { commits }]) => [id, commits]),
    [
      ['s1', 1],
      ['s1-2', 1],
    ],
  )
  assert.deepEqual([...service.files.values()], ['My elephant is called Tuffi.', 'She is grey.'])
})

test('a fact is remembered at once and leaves the conversation alone', async (t) => {
  const { service, start } = await bed(t)
  const provider = await opened(t, start)
  const { status } = await run(provider, 'viking_remember', { content: 'Drinks tea.', category: 'preference' })
  assert.equal(status, 'submitted')
  assert.deepEqual([...service.files.values()], ['[preference] Drinks tea.'])
  assert.equal(service.sessions.has('s1'), false)
})

test('the tree is searched, browsed and read at three levels', async (t) => {
  const { service, start } = await bed(t)
  service.put('viking://resources/docs/auth.md', `Users sign in with a key. ${'More of it. '.repeat(900)}`)
  service.put('viking://resources/docs/api/calls.md', 'Calls take JSON.')
  service.put('viking://user/ann/memories/preferences/tea.md', 'Ann signs nothing.')
  const provider = await opened(t, start)
  const found = await run(provider, 'viking_search', { query: 'sign in key', scope: 'viking://resources', limit: 1 })
  assert.deepEqual(
    [found['total'], JSON.stringify(found['results']).includes('viking://resources/docs/auth.md')],
    [1, true],
  )
  await run(provider, 'viking_search', { query: 'sign', mode: 'deep' })
  assert.deepEqual(
    [service.requests.at(-1)?.path, JSON.stringify(service.requests.at(-1)?.body).includes('"session_id":"s1"')],
    ['/api/v1/search/search', true],
  )
  const { entries } = await run(provider, 'viking_browse', { action: 'list', path: 'viking://resources/docs' })
  assert.deepEqual(entries, [
    { name: 'auth.md', uri: 'viking://resources/docs/auth.md', type: 'file' },
    { name: 'api', uri: 'viking://resources/docs/api', type: 'dir' },
  ])
  assert.equal(
    (await run(provider, 'viking_browse', { action: 'stat', path: 'viking://resources/docs' }))['isDir'],
    true,
  )
  const overview = await run(provider, 'viking_read', { uri: 'viking://resources/docs/.overview.md' })
  assert.match(String(overview['content']), /^auth\.md: Users sign in/)
  const file = await run(provider, 'viking_read', { uri: 'viking://resources/docs/api/calls.md', level: 'abstract' })
  assert.deepEqual([file['content'], file['fallback']], ['Calls take JSON.', 'content/read'])
  const long = await run(provider, 'viking_read', { uri: 'viking://resources/docs/auth.md', level: 'full' })
  assert.ok(String(long['content']).length < 8_200 && String(long['content']).endsWith('one by one]'))
  await assert.rejects(run(provider, 'viking_read', { uri: 'viking://resources/gone' }), {
    code: 'refused',
    status: 404,
  })
})

test('files of this machine are uploaded, never opened by the server, and nothing protected is', async (t) => {
  const { service, start } = await bed(t)
  await writeFile(`${start.workspace}/zoo notes.md`, 'Tuffi eats hay.')
  await writeFile(start.home.path('.env'), 'OPENROUTER_API_KEY=made-up-key-123456')
  const provider = await opened(t, start)
  for (const url of [
    'zoo notes.md',
    `${start.workspace}/zoo notes.md`,
    pathToFileURL(`${start.workspace}/zoo notes.md`).href,
  ]) {
    const added = await run(provider, 'viking_add_resource', { url, reason: 'feeding' })
    assert.equal(added['root_uri'], 'viking://resources/zoo notes.md')
  }
  assert.equal(service.files.get('viking://resources/zoo notes.md'), 'Tuffi eats hay.')
  const sent = service.requests.length
  for (const url of [
    start.home.path('.env'),
    pathToFileURL(start.home.path('.env')).href,
    '/etc/shadow',
    start.workspace,
  ]) {
    await assert.rejects(run(provider, 'viking_add_resource', { url }), { code: 'invalid' })
  }
  assert.equal(service.requests.length, sent)
})

test('whose memory it is is told where the server cannot know it from a key, or where it is set', async (t) => {
  const { service, start } = await bed(t, { hasKeys: false })
  const open = await opened(t, start)
  await run(open, 'viking_search', { query: 'x' })
  const said = () => service.requests.at(-1)?.headers ?? {}
  assert.deepEqual([said()['x-openviking-account'], said()['x-openviking-user']], ['root', 'default'])
  const environment = { ...start.environment, OPENVIKING_API_KEY: 'k-made-up', OPENVIKING_USER: 'bea' }
  await assert.rejects(run(await opened(t, { ...start, environment }), 'viking_search', { query: 'x' }))
  assert.deepEqual(
    [said()['x-openviking-account'], said()['x-openviking-user'], said()['x-api-key']],
    [undefined, 'bea', 'k-made-up'],
  )
})

test('delegated work and jobs keep nothing', async (t) => {
  const { service, start } = await bed(t, { role: 'cron' })
  const provider = await opened(t, start)
  await provider.keepTurn?.(tuffi, limit())
  await provider.keepSession?.([], limit())
  await provider.close?.(limit())
  assert.equal(service.requests.length, 0)
})
