import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import * as fc from 'fast-check'
import type { Home } from '../../config/home.ts'
import type { SessionStore } from '../store.ts'
import { openTestStore, temporaryHome } from '../test-home.ts'
import { foldText } from './fold.ts'
import { compileMatcher } from './match.ts'
import { parseQuery } from './parse-query.ts'

/** A store with one session `s` of so many messages. */
async function filledStore(t: TestContext, home: Home, count: number): Promise<SessionStore> {
  const store = await openTestStore(t, home)
  await store.create({ id: 's', source: 'cli' })
  await say(store, count)
  return store
}

async function say(store: SessionStore, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await store.append('s', { role: 'user', content: `needle 数据库 ${i % 7}` })
}

async function countOf(store: SessionStore, query: string): Promise<number> {
  return (await store.search(query, { limit: 10_000 })).length
}

function indexedRows(home: Home): number {
  const db = new DatabaseSync(home.path('hermes.db'))
  const row = db.prepare('SELECT count(*) AS n FROM message_search_docsize').get()
  db.close()
  return Number(row?.['n'])
}

test('the index follows the messages, and what is not in it yet is found all the same', async (t) => {
  const home = await temporaryHome(t)
  const store = await filledStore(t, home, 300)
  assert.equal(await countOf(store, 'needle'), 300)
  assert.equal(indexedRows(home), 300)
  await say(store, 10)
  assert.equal(await countOf(store, '据'), 310)
  assert.equal(indexedRows(home), 300)
  await say(store, 100)
  assert.equal(await countOf(store, 'needle 3'), 58)
  assert.equal(indexedRows(home), 410)
})

test('the same is found with the index, without it, and by reading everything', async (t) => {
  const [home, unindexed] = [await temporaryHome(t), await temporaryHome(t)]
  const [indexing, reading] = [await openTestStore(t, home), await openTestStore(t, unindexed)]
  // A folder where the index belongs keeps that store without one.
  await mkdir(unindexed.path('hermes.db'))
  const word = fc.constantFrom(
    'apple',
    'Äpple',
    'app',
    '数据库',
    '据',
    '库 数',
    'docker',
    '데이터',
    'a-b',
    '.',
    '\n',
    ' ',
  )
  const contents = fc.sample(fc.array(word, { maxLength: 8 }), { numRuns: 250, seed: 7 }).map((parts) => parts.join(''))
  for (const store of [indexing, reading]) {
    await store.create({ id: 's', source: 'cli' })
    for (const content of contents) await store.append('s', { role: 'user', content })
  }
  const operator = fc.constantFrom(' ', ' OR ', ' NOT ', ' AND ', '', '*')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(word, operator), { minLength: 1, maxLength: 4 }), async (parts) => {
      const text = parts.flat().join('')
      const query = parseQuery(text)
      const matcher = query && compileMatcher(query)
      const expected = contents.flatMap((content, i) => (matcher?.(foldText(content)) ? [i + 1] : []))
      for (const store of [indexing, reading]) {
        const hits = await store.search(text, { limit: 1000 })
        assert.deepEqual(
          hits.map((hit) => hit.messageId).toSorted((a, b) => a - b),
          expected,
        )
      }
    }),
    { numRuns: 60 },
  )
  assert.ok(indexedRows(home) > 0)
})

test('an index file that is noise, or is gone, does not lessen what is found', async (t) => {
  const home = await temporaryHome(t)
  await mkdir(home.dir)
  await writeFile(home.path('hermes.db'), 'noise '.repeat(1000))
  const store = await filledStore(t, home, 200)
  assert.equal(await countOf(store, 'needle'), 200)
  await store.close()
  await rm(home.path('hermes.db'))
  const again = await openTestStore(t, home)
  assert.equal(await countOf(again, 'needle'), 200)
  assert.equal(indexedRows(home), 200)
})

test('an index that is damaged is made anew', async (t) => {
  const home = await temporaryHome(t)
  await (await filledStore(t, home, 200)).close()
  const store = await openTestStore(t, home)
  assert.equal(await countOf(store, 'needle'), 200)
  await store.close()
  const db = new DatabaseSync(home.path('hermes.db'), { defensive: false })
  db.exec(`UPDATE message_search_data SET block = x'00ff00ff00ff' WHERE id > 1`)
  db.close()
  const damaged = await openTestStore(t, home)
  assert.equal(await countOf(damaged, 'needle'), 200)
  assert.equal(await countOf(damaged, 'needle'), 200)
  assert.equal(await countOf(damaged, '数'), 200)
  const repaired = new DatabaseSync(home.path('hermes.db'))
  const proposed = repaired.prepare(`SELECT count(*) AS n FROM message_search WHERE message_search MATCH '"needle"'`)
  assert.equal(proposed.get()?.['n'], 200)
  repaired.close()
})

test('an index that another process keeps busy is done without', async (t) => {
  const home = await temporaryHome(t)
  const store = await filledStore(t, home, 100)
  assert.equal(await countOf(store, 'needle'), 100)
  await say(store, 100)
  const other = new DatabaseSync(home.path('hermes.db'))
  other.exec('BEGIN IMMEDIATE')
  assert.equal(await countOf(store, 'needle'), 200)
  other.exec('ROLLBACK')
  other.close()
  assert.equal(await countOf(store, 'needle'), 200)
})

test('messages that others deleted are not found, and the index is made anew once most of it is about such', async (t) => {
  const home = await temporaryHome(t)
  const store = await filledStore(t, home, 1400)
  assert.equal(await countOf(store, 'needle'), 1400)
  const other = new DatabaseSync(home.path('state.db'))
  other.exec('DELETE FROM messages WHERE id <= 1350')
  other.close()
  assert.equal(await countOf(store, 'needle'), 50)
  assert.equal(indexedRows(home), 1400)
  await say(store, 100)
  assert.equal(await countOf(store, 'needle'), 150)
  await say(store, 100)
  assert.equal(await countOf(store, 'needle'), 250)
  assert.ok(indexedRows(home) < 400)
})

test('what is deleted here leaves the index at once', async (t) => {
  const home = await temporaryHome(t)
  const store = await filledStore(t, home, 200)
  assert.equal(await countOf(store, 'needle'), 200)
  await store.removeMessages('s', 101)
  assert.equal(indexedRows(home), 100)
  await store.remove('s')
  assert.equal(indexedRows(home), 0)
})

test('a store can be closed while its index is kept busy', async (t) => {
  const home = await temporaryHome(t)
  const store = await filledStore(t, home, 100)
  await store.search('needle')
  await say(store, 100)
  const other = new DatabaseSync(home.path('hermes.db'))
  other.exec('BEGIN IMMEDIATE')
  const searching = store.search('needle')
  searching.catch(() => undefined)
  await store.close()
  other.close()
})

test('closing a store ends the catching up', async (t) => {
  const home = await temporaryHome(t)
  const store = await filledStore(t, home, 1500)
  const searching = store.search('needle')
  searching.catch(() => undefined)
  await store.close()
  assert.ok(indexedRows(home) < 1500)
})
