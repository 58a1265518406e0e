import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { providerBed } from '@hermes/testing/memory-services/provider-bed.ts'
import { startRetainDb } from '@hermes/testing/memory-services/retaindb.ts'
import { memoryProviderContract } from '../../memory-provider.contract.ts'
import type { MemoryProvider, MemoryProviderStart } from '../../memory-provider.ts'
import { retaindb } from './retaindb.ts'

const limit = () => AbortSignal.timeout(30_000)

async function bed(t: TestContext, changes: Partial<MemoryProviderStart> = {}) {
  const service = await startRetainDb()
  t.after(() => service[Symbol.asyncDispose]())
  const variables = { RETAINDB_API_KEY: service.key, RETAINDB_BASE_URL: service.url, RETAINDB_PROJECT: 'default' }
  const made = await providerBed(t, {}, variables, changes)
  const start = { ...made, workspace: made.home.path('zoo') }
  await mkdir(start.workspace)
  return { service, start, misbehave: service.misbehave }
}

async function opened(t: TestContext, start: MemoryProviderStart): Promise<MemoryProvider> {
  const provider = await retaindb.open(start)
  t.after(() => provider.close?.(limit()).catch(() => undefined))
  return provider
}

async function run(provider: MemoryProvider, name: string, args: unknown): Promise<Record<string, unknown>> {
  const tool = provider.tools.find((each) => each.name === name)
  assert.ok(tool, name)
  return JSON.parse(await tool.run(args, limit()))
}

memoryProviderContract('retaindb', {
  kind: retaindb,
  bed: (t) => bed(t),
  secrets: ['rdb_made-up-key-of-retaindb'],
  unconfigured: (t) => providerBed(t),
  goodCalls: {
    retaindb_profile: {},
    retaindb_search: { query: 'cat' },
    retaindb_context: { query: 'cat' },
    retaindb_remember: { content: 'Has a cat.' },
    retaindb_list_files: {},
  },
})

const tuffi = { sessionId: 's1', user: 'My elephant is called Tuffi.', assistant: 'Does she swim?' }

test('what was said in one session is recalled in another, with what RetainDB makes of it', async (t) => {
  const { start } = await bed(t)
  const first = await opened(t, start)
  await first.keepTurn?.(tuffi, limit())
  const second = await opened(t, { ...start, sessionId: 's2' })
  assert.equal(
    await second.recall?.('How is my elephant?', limit()),
    [
      '[RetainDB Context]\nProfile:\n- My elephant is called Tuffi.',
      '[RetainDB User Synthesis]\nSomebody who tells of themselves.',
      '[RetainDB Agent Self-Model]\nPersona: Helps.',
    ].join('\n\n'),
    'what the profile says is not said again',
  )
})

test('memories are kept, found with their score, noted from the files, and forgotten', async (t) => {
  const { service, start } = await bed(t)
  const provider = await opened(t, start)
  const { memory_id: id } = await run(provider, 'retaindb_remember', {
    content: 'Drinks tea.',
    memory_type: 'preference',
  })
  assert.deepEqual(await run(provider, 'retaindb_search', { query: 'tea', top_k: 500 }), {
    results: [{ id, content: 'Drinks tea.', memory_type: 'preference', score: 1 }],
    count: 1,
  })
  assert.match(JSON.stringify(service.requests.at(-1)?.body), /"top_k":20/)
  await provider.keepNote?.({ action: 'add', target: 'user', content: 'Lives in Lyon.' }, limit())
  await provider.keepNote?.({ action: 'replace', target: 'user', content: 'Lives in Nice.' }, limit())
  const { context } = await run(provider, 'retaindb_context', { query: 'Lyon' })
  assert.equal(context, '[RetainDB Context]\nProfile:\n- Drinks tea.\n- Lives in Lyon.')
  assert.deepEqual(await run(provider, 'retaindb_forget', { memory_id: id }), { success: true, memory_id: id })
  assert.deepEqual((await run(provider, 'retaindb_profile', {}))['count'], 1)
  await assert.rejects(run(provider, 'retaindb_forget', { memory_id: id }), { code: 'refused', status: 404 })
})

test('a service that has only the older routes is asked by those', async (t) => {
  const { service, start } = await bed(t)
  service.withOlderRoutesOnly()
  const provider = await opened(t, start)
  const { memory_id: id } = await run(provider, 'retaindb_remember', { content: 'Drinks tea.' })
  assert.equal((await run(provider, 'retaindb_profile', {}))['count'], 1)
  await run(provider, 'retaindb_forget', { memory_id: id })
  assert.equal(service.memories.length, 0)
})

test('a turn that could not be delivered is sent by a later session, once, in order, and also what upstream left', async (t) => {
  const { service, start } = await bed(t)
  const first = await opened(t, start)
  service.misbehave({ type: 'status', status: 500 })
  await assert.rejects(Promise.resolve(first.keepTurn?.(tuffi, limit())), { code: 'unreachable' })
  await assert.rejects(Promise.resolve(first.close?.(limit())), { code: 'unreachable' })
  const db = new DatabaseSync(start.home.path('retaindb_queue.db'))
  const insert = db.prepare('INSERT INTO pending (user_id, session_id, messages_json, created_at) VALUES (?, ?, ?, ?)')
  const at = '2026-04-01T10:00:00.123456+00:00'
  const left = [{ role: 'user', content: 'Tuffi likes hay.', timestamp: at }]
  insert.run('default', 'old', JSON.stringify(left), at)
  insert.run('default', 'broken', '{', at)
  service.misbehave(undefined)
  const second = await opened(t, { ...start, sessionId: 's2' })
  await second.keepTurn?.({ sessionId: 's2', user: 'She is grey.', assistant: 'Like most.' }, limit())
  assert.deepEqual(
    service.memories.map(({ content, session_id: session }) => [session, content]),
    [
      ['s1', 'My elephant is called Tuffi.'],
      ['old', 'Tuffi likes hay.'],
      ['s2', 'She is grey.'],
    ],
  )
  assert.deepEqual(db.prepare('SELECT count(*) AS n FROM pending').get()?.['n'], 0)
  db.close()
})

test('an answer that got lost does not double a turn', async (t) => {
  const { service, start } = await bed(t)
  const first = await opened(t, start)
  await first.keepTurn?.(tuffi, limit())
  const [sent] = service.requests.filter(({ path }) => path.endsWith('/ingest/session'))
  const again = await fetch(`${service.url}/v1/memory/ingest/session`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.key}`,
      'idempotency-key': String(sent?.headers['idempotency-key']),
      'content-type': 'application/json',
    },
    body: JSON.stringify(sent?.body),
  })
  assert.equal(again.status, 200)
  assert.equal(service.memories.length, 1)
})

test('delegated work and jobs keep nothing', async (t) => {
  const { service, start } = await bed(t, { role: 'subagent' })
  const provider = await opened(t, start)
  await provider.keepTurn?.(tuffi, limit())
  await provider.keepNote?.({ action: 'add', target: 'memory', content: 'x' }, limit())
  assert.equal(service.requests.length, 0)
})

test('files are uploaded, listed, read, taken memories from, and deleted', async (t) => {
  const { service, start } = await bed(t)
  await writeFile(`${start.workspace}/notes.md`, 'The heron nests in May.')
  await writeFile(`${start.workspace}/picture.bin`, Buffer.from([0, 1, 2]))
  const provider = await opened(t, start)
  const uploaded = await run(provider, 'retaindb_upload_file', { local_path: 'notes.md', ingest: true })
  const [stored] = service.files
  assert.deepEqual(
    [stored?.path, stored?.scope, stored?.mime_type, String(Buffer.from(stored?.bytes ?? []))],
    ['/notes.md', 'PROJECT', 'text/markdown', 'The heron nests in May.'],
  )
  assert.equal(uploaded['ingested'], true)
  assert.equal((await run(provider, 'retaindb_search', { query: 'heron' }))['count'], 1)
  await run(provider, 'retaindb_upload_file', {
    local_path: 'picture.bin',
    remote_path: '/pictures/a.bin',
    scope: 'USER',
  })
  assert.equal((await run(provider, 'retaindb_list_files', { prefix: '/pictures/' }))['count'], 1)
  const id = stored?.id
  const read = await run(provider, 'retaindb_read_file', { file_id: id })
  assert.deepEqual(
    [read['content'], read['truncated'], read['rdb_uri']],
    ['The heron nests in May.', false, 'rdb://notes.md'],
  )
  const binary = await run(provider, 'retaindb_read_file', { file_id: service.files[1]?.id })
  assert.equal(binary['content'], null)
  await run(provider, 'retaindb_ingest_file', { file_id: id })
  await run(provider, 'retaindb_delete_file', { file_id: id })
  await assert.rejects(run(provider, 'retaindb_read_file', { file_id: id }), { code: 'refused', status: 404 })
})

test('the place that a file lies at is asked without the key, and only where that is safe', async (t) => {
  const { service, start } = await bed(t)
  await writeFile(`${start.workspace}/notes.md`, 'x')
  const provider = await opened(t, start)
  await run(provider, 'retaindb_upload_file', { local_path: 'notes.md' })
  const read = () => run(provider, 'retaindb_read_file', { file_id: service.files[0]?.id })
  service.keepFilesAt(`${service.url}/v1/memories?elsewhere`)
  await assert.rejects(read(), { code: 'refused', status: 401 })
  assert.equal(service.requests.at(-1)?.headers.authorization, undefined)
  service.keepFilesAt('http://127.0.0.1:9/elsewhere')
  await assert.rejects(read(), { code: 'refused', message: /not safe/ })
})

test('nothing protected, nothing large and no folder is uploaded', async (t) => {
  const { service, start } = await bed(t)
  await writeFile(start.home.path('.env'), 'OPENROUTER_API_KEY=made-up-key-123456')
  await symlink(start.home.path('.env'), `${start.workspace}/innocent.txt`)
  await writeFile(`${start.workspace}/large.txt`, Buffer.alloc(10 * 1024 * 1024 + 1))
  const provider = await opened(t, start)
  for (const [path, message] of [
    [start.home.path('.env'), /protected/],
    ['innocent.txt', /protected/],
    ['large.txt', /larger than 10 MiB/],
    ['.', /is a folder/],
    ['gone.txt', /does not exist/],
  ] as const) {
    await assert.rejects(run(provider, 'retaindb_upload_file', { local_path: path }), { code: 'invalid', message })
  }
  assert.equal(service.requests.length, 0)
})

test('a profile of its own has a project of its own, and people of a platform have their own memories', async (t) => {
  const { service, start } = await bed(t, { userId: 'ann' })
  const environment = { ...start.environment, RETAINDB_PROJECT: '' }
  const provider = await opened(t, { ...start, environment })
  await run(provider, 'retaindb_remember', { content: 'Drinks tea.' })
  const [memory] = service.memories
  assert.match(memory?.project ?? '', /^hermes-./)
  assert.equal(memory?.user_id, 'ann')
})
