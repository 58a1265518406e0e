import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { sessionStoreContract } from './store.contract.ts'
import { lineageNumber } from './titles.ts'
import { openTestStore, temporaryHome } from './test-home.ts'

sessionStoreContract('sqlite', async (t, clock) => openTestStore(t, await temporaryHome(t), clock))

test('with a rehearsal the log of the database is begun, which waits for the disk', async (t) => {
  const home = await temporaryHome(t)
  const first = await openTestStore(t, home)
  await first.close()
  const store = await openTestStore(t, home)
  const logBytes = () => statSync(home.path('state.db-wal'), { throwIfNoEntry: false })?.size ?? 0
  assert.equal(logBytes(), 0)
  await store.rehearse()
  assert.ok(logBytes() > 0)
})

test('what follows on a title that thousands of sessions have is found without reading them all', async (t) => {
  const home = await temporaryHome(t)
  const store = await openTestStore(t, home)
  await store.create({ id: 'first', source: 'cli' })
  await store.rename('first', 'A title')
  const db = new DatabaseSync(home.path('state.db'))
  t.after(() => db.close())
  db.exec(`WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
    INSERT INTO sessions (id, source, started_at, title) SELECT 's' || n, 'cli', n, 'A title #' || n FROM n`)
  let [reading, suggesting] = [0, 0]
  for (let at = 1; at <= 20; at++) {
    await store.create({ id: `new${at}`, source: 'cli' })
    const started = processorMs()
    const titles = db.prepare('SELECT id, title FROM sessions WHERE title IS NOT NULL').all()
    const numbers = titles.map(({ title }) => lineageNumber('A title', String(title)) ?? 0)
    assert.equal(Math.max(...numbers), 4_999 + at)
    const between = processorMs()
    assert.equal(await store.suggestTitle(`new${at}`, 'A title'), `A title #${5_000 + at}`)
    suggesting += processorMs() - between
    reading += between - started
  }
  assert.ok(suggesting < reading, `${suggesting} ms against ${reading} ms`)
})
