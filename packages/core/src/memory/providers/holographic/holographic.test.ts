import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { silentLogger } from '../../../log/logger.ts'
import { memoryProviderContract } from '../../memory-provider.contract.ts'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { holographic } from './holographic.ts'

const day = 86_400_000

async function startIn(t: TestContext, settings: Readonly<Record<string, unknown>> = {}, now = Date.now()) {
  const home = await temporaryHome()
  t.after(() => home[Symbol.asyncDispose]())
  const start: MemoryProviderStart = {
    home,
    environment: {},
    clock: { now: () => now, timeZone: 'UTC' },
    log: silentLogger,
    settings,
    sessionId: 's1',
    platform: 'cli',
    role: 'primary',
    identity: 'default',
    workspace: home.dir,
  }
  return start
}

memoryProviderContract('holographic', {
  kind: holographic,
  bed: async (t) => ({ start: await startIn(t) }),
  unconfigured: (t) => startIn(t, { hrr_dim: 'many' }),
  goodCalls: {
    fact_store: { action: 'add', content: 'Ann Lee likes green tea.' },
  },
})

async function opened(t: TestContext, settings: Readonly<Record<string, unknown>> = {}, now?: number) {
  const start = await startIn(t, settings, now)
  const provider = await holographic.open(start)
  t.after(() => provider.close?.(AbortSignal.timeout(30_000)))
  const path = start.home.path('memory_store.db')
  const call = async (name: string, args: object) => {
    const tool = provider.tools.find((one) => one.name === name)
    assert.ok(tool)
    return JSON.parse(await tool.run(args, AbortSignal.timeout(30_000)))
  }
  const add = async (content: string, more: object = {}): Promise<number> =>
    (await call('fact_store', { action: 'add', content, ...more })).fact_id
  const contents = async (args: object): Promise<string[]> =>
    (await call('fact_store', args)).results.map((fact: { content: string }) => fact.content)
  return { start, provider, path, call, add, contents }
}

test('facts are added once, changed, rated, listed and removed', async (t) => {
  const { call, add, path } = await opened(t)
  const id = await add('Ann Lee likes green tea.', { category: 'user_pref', tags: 'drinks' })
  assert.deepEqual(await call('fact_store', { action: 'add', content: ' Ann Lee likes green tea. ' }), {
    fact_id: id,
    status: 'known',
  })
  assert.deepEqual(await call('fact_store', { action: 'update', fact_id: id, content: 'Ann Lee likes black tea.' }), {
    updated: true,
  })
  const rated = await call('fact_feedback', { action: 'helpful', fact_id: id })
  assert.deepEqual(rated, { fact_id: id, old_trust: 0.5, new_trust: 0.55, helpful_count: 1 })
  await call('fact_feedback', { action: 'unhelpful', fact_id: id })
  const { facts } = await call('fact_store', { action: 'list' })
  assert.deepEqual(
    facts.map((fact: Record<string, unknown>) => [fact['content'], fact['category'], fact['tags']]),
    [['Ann Lee likes black tea.', 'user_pref', 'drinks']],
  )
  assert.ok(Math.abs(facts[0].trust_score - 0.45) < 1e-9)
  assert.deepEqual(await call('fact_store', { action: 'remove', fact_id: id }), { removed: true })
  assert.equal((await call('fact_store', { action: 'list' })).count, 0)
  await assert.rejects(call('fact_store', { action: 'remove', fact_id: id }), { code: 'invalid', message: /no fact/ })
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('a search finds by words, prefers trusted facts, and leaves distrusted ones out', async (t) => {
  const { call, add, contents } = await opened(t)
  const wrong = await add('The deploy process uses Jenkins.')
  await add('The deploy process uses GitHub Actions.')
  await add('Ann prefers tea.')
  await call('fact_store', { action: 'update', fact_id: wrong, trust_delta: -0.1 })
  const query = { action: 'search', query: 'How does our deploy process work?' }
  assert.deepEqual(await contents(query), [
    'The deploy process uses GitHub Actions.',
    'The deploy process uses Jenkins.',
  ])
  await call('fact_store', { action: 'update', fact_id: wrong, trust_delta: -0.3 })
  assert.deepEqual(await contents(query), ['The deploy process uses GitHub Actions.'])
  assert.deepEqual(await contents({ action: 'search', query: '"AND) OR NEAR(*' }), [])
  const { facts } = await call('fact_store', { action: 'list', min_trust: 0.5 })
  assert.equal(facts.find((fact: { content: string }) => fact.content.includes('GitHub')).retrieval_count, 2)
})

test('a search finds in scripts without spaces', async (t) => {
  const { add, contents } = await opened(t)
  await add('项目使用 pnpm,不要用 npm。')
  await add('テストは毎晩走る')
  assert.deepEqual(await contents({ action: 'search', query: '这个项目用什么?' }), ['项目使用 pnpm,不要用 npm。'])
  assert.deepEqual(await contents({ action: 'search', query: 'テストはいつ?' }), ['テストは毎晩走る'])
})

test('facts are found by what they are about', async (t) => {
  const { add, contents } = await opened(t)
  await add('Ann Lee leads the team of Project Heron.')
  await add('The budget of Project Heron ends in May.')
  await add('Ann Lee drinks green tea.')
  await add('Coffee is in the kitchen.')
  const about = await contents({ action: 'probe', entity: 'ann lee' })
  assert.deepEqual(about.toSorted(), ['Ann Lee drinks green tea.', 'Ann Lee leads the team of Project Heron.'])
  assert.deepEqual(await contents({ action: 'probe', entity: 'coffee' }), ['Coffee is in the kitchen.'])
  const both = await contents({ action: 'reason', entities: ['Ann Lee', 'Project Heron'] })
  assert.deepEqual(both, ['Ann Lee leads the team of Project Heron.'])
  const related = await contents({ action: 'related', entity: 'Ann Lee' })
  assert.ok(related.includes('The budget of Project Heron ends in May.'), related.join('\n'))
  assert.ok(!related.includes('Coffee is in the kitchen.'))
  assert.deepEqual(await contents({ action: 'probe', entity: 'Nobody Known' }), [])
})

test('an alias means the same', async (t) => {
  const { add, contents } = await opened(t)
  await add('Jonathan Smith aka Jon lives in Leeds.')
  await add('Jonathan Smith plays chess.')
  assert.equal((await contents({ action: 'probe', entity: 'Jon' })).length, 2)
})

test('facts that disagree about the same are told', async (t) => {
  const { add, call } = await opened(t)
  await add('Project Heron ships in May.')
  await add('Project Heron was cancelled for good last week.')
  await add('Ann drinks tea.')
  const { results } = await call('fact_store', { action: 'contradict' })
  assert.equal(results.length, 1)
  assert.deepEqual(results[0].shared_entities, ['project heron'])
})

test('with a half-life, what is older counts less', async (t) => {
  const later = Date.now() + 60 * day
  const { call, add } = await opened(t, { temporal_decay_half_life: 30 }, later)
  await add('Ann drinks tea.')
  const [fact] = (await call('fact_store', { action: 'search', query: 'Ann drinks tea.' })).results
  const fresh = await opened(t, {}, later)
  await fresh.add('Ann drinks tea.')
  const [same] = (await fresh.call('fact_store', { action: 'search', query: 'Ann drinks tea.' })).results
  assert.ok(Math.abs(fact.score / same.score - 0.25) < 0.02, `${fact.score} of ${same.score}`)
})

test('notes are kept as facts, and recalled for a message they bear on', async (t) => {
  const { provider } = await opened(t)
  const signal = AbortSignal.timeout(30_000)
  await provider.keepNote?.({ action: 'add', target: 'user', content: 'Has a cat named Mira.' }, signal)
  assert.equal(await provider.recall?.('What is my cat called?', signal), '- [trust 0.5] Has a cat named Mira.')
  assert.equal(await provider.recall?.('weather?', signal), '')
})

test('facts are looked for in what was said only where that is wanted', async (t) => {
  const said = [
    { role: 'user', content: 'I prefer tabs to spaces. What is the time? We decided to use pnpm.' },
  ] as const
  const signal = AbortSignal.timeout(30_000)
  const silent = await opened(t)
  await silent.provider.keepSession?.(said, signal)
  assert.equal((await silent.call('fact_store', { action: 'list' })).count, 0)
  const keen = await opened(t, { auto_extract: 'true' })
  await keen.provider.keepSession?.(said, signal)
  const { facts } = await keen.call('fact_store', { action: 'list' })
  assert.deepEqual(facts.map((fact: { content: string }) => fact.content).toSorted(), [
    'I prefer tabs to spaces.',
    'We decided to use pnpm.',
  ])
})

test('a file of an older version and of other dimensions is opened', async (t) => {
  const start = await startIn(t)
  const path = start.home.path('memory_store.db')
  const old = new DatabaseSync(path)
  old.exec(`
    CREATE TABLE facts (fact_id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL UNIQUE, category TEXT DEFAULT 'general',
      tags TEXT DEFAULT '', trust_score REAL DEFAULT 0.5, retrieval_count INTEGER DEFAULT 0, helpful_count INTEGER DEFAULT 0,
      created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
    CREATE VIRTUAL TABLE facts_fts USING fts5(content, tags, content=facts, content_rowid=fact_id);
    INSERT INTO facts (content) VALUES ('Ann Lee likes tea.');
    INSERT INTO facts_fts(rowid, content, tags) SELECT fact_id, content, tags FROM facts;`)
  old.close()
  const provider = await holographic.open({ ...start, settings: { hrr_dim: 256 } })
  t.after(() => provider.close?.(AbortSignal.timeout(30_000)))
  assert.match((await provider.recall?.('tea', AbortSignal.timeout(30_000))) ?? '', /Ann Lee likes tea/)
  const [tool] = provider.tools
  const probed = await tool?.run({ action: 'probe', entity: 'Ann' }, AbortSignal.timeout(30_000))
  assert.match(probed ?? '', /Ann Lee likes tea/)
})

test('a file that is no database is told', async (t) => {
  const start = await startIn(t, { db_path: '$HERMES_HOME/config.yaml' })
  await writeFile(start.home.path('config.yaml'), 'x'.repeat(4_096))
  await assert.rejects(holographic.open(start), { name: 'MemoryProviderError', code: 'unreachable' })
})

/** Adds facts and says each that is kept. */
const worker = `
import { holographic } from ${JSON.stringify(new URL('./holographic.ts', import.meta.url).href)}
const [dir, name, count] = process.argv.slice(1)
const provider = await holographic.open({
  home: { dir, path: (...parts) => [dir, ...parts].join('/') }, environment: {}, settings: { hrr_dim: 64 },
  clock: { now: Date.now, timeZone: 'UTC' }, log: undefined, sessionId: 's', platform: 'cli', role: 'primary', identity: 'd', workspace: dir,
})
const signal = new AbortController().signal
for (let n = 0; n < Number(count); n++) {
  await provider.tools[0].run({ action: 'add', content: 'Fact ' + n + ' of "' + name + '".' }, signal)
  process.stdout.write(n + '\\n')
}
await provider.close()`

function startWorker(dir: string, name: string, count: number) {
  const args = ['--conditions=development', '--no-warnings', '--input-type=module', '-e', worker, '--', dir, name]
  return spawn(process.execPath, [...args, String(count)], { stdio: ['ignore', 'pipe', 'pipe'] })
}

test('several processes at once and one that is killed: every fact that was told kept is there, whole', async (t) => {
  const { start, call, path } = await opened(t)
  const kept = new Map<string, number>()
  const workers = ['one', 'two', 'killed'].map(async (name) => {
    const child = startWorker(start.home.dir, name, name === 'killed' ? 100_000 : 20)
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const last = text.trim().split('\n').at(-1)
      kept.set(name, Number(last) + 1)
      if (name === 'killed' && (kept.get(name) ?? 0) > 15) child.kill('SIGKILL')
    })
    await once(child, 'close')
    assert.equal(errors, '')
  })
  await Promise.all(workers)
  assert.equal(kept.get('one'), 20)
  assert.equal(kept.get('two'), 20)
  for (const [name, count] of kept) {
    const { results } = await call('fact_store', { action: 'probe', entity: name, limit: 50 })
    assert.ok(results.length >= Math.min(count, 50), `${name}: ${results.length} of ${count}`)
  }
  const db = new DatabaseSync(path)
  t.after(() => db.close())
  assert.deepEqual(
    db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => row['integrity_check']),
    ['ok'],
  )
  const halves = db.prepare(
    'SELECT count(*) AS n FROM facts f WHERE hrr_vector IS NULL OR NOT EXISTS (SELECT 1 FROM fact_entities fe WHERE fe.fact_id = f.fact_id)',
  )
  assert.equal(halves.get()?.['n'], 0)
})
