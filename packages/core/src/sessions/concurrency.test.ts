import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import type { Home } from '../config/home.ts'
import { openTestStore, temporaryHome } from './test-home.ts'

/** A process of its own with `store` open on the home. */
function runElsewhere(home: Home, body: string): ChildProcess {
  const url = (file: string) => JSON.stringify(import.meta.resolve(file))
  const code = `
    import { systemClock } from ${url('../agent/clock.ts')}
    import { openHome } from ${url('../config/home.ts')}
    import { silentLogger } from ${url('../log/logger.ts')}
    import { openSqliteSessionStore } from ${url('./sqlite.ts')}
    const home = openHome({ HERMES_HOME: ${JSON.stringify(home.dir)} })
    const store = await openSqliteSessionStore({ home, clock: systemClock(), log: silentLogger })
    ${body}
    await store.close()`
  const flags = ['--conditions=development', '--input-type=module', '--eval', code]
  return spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
}

test('eight processes append to one new home at once, and every message is there', async (t) => {
  const home = await temporaryHome(t)
  const children = Array.from({ length: 8 }, (_, n) =>
    runElsewhere(
      home,
      `await store.create({ id: 'shared', source: 'cli' })
       const { id } = await store.create({ source: 'cli' })
       for (let i = 0; i < 1250; i += 1) {
         const content = 'writer ${n} number ' + i
         await store.append(i % 10 === 0 ? 'shared' : id, { role: 'user', content })
         if (i % 500 === 499) await store.search('writer', { limit: 1 })
       }`,
    ),
  )
  const exits = await Promise.all(children.map((child) => once(child, 'exit')))
  assert.deepEqual(
    exits.map(([exitCode]) => exitCode),
    Array.from({ length: 8 }, () => 0),
  )
  const store = await openTestStore(t, home)
  assert.equal((await store.get('shared'))?.messageCount, 1000)
  assert.equal((await store.messages('shared')).length, 1000)
  assert.equal((await store.analytics()).messages, 10_000)
  for (let n = 0; n < 8; n += 1) {
    assert.equal((await store.search(`"writer ${n}"`, { limit: 5000 })).length, 1250)
  }
  await store.close()
  const db = new DatabaseSync(home.path('state.db'))
  db.exec(`INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)`)
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
  db.close()
})

test('a process that is killed while it appends loses nothing that it was told is stored', async (t) => {
  const home = await temporaryHome(t)
  let acknowledged = 0
  for (let round = 0; round < 6; round += 1) {
    const child = runElsewhere(
      home,
      `await store.create({ id: 's', source: 'cli' })
       for (;;) {
         const id = await store.append('s', { role: 'user', content: 'kept' })
         process.stdout.write(id + '\\n')
       }`,
    )
    const killAfter = 20 + round * 37
    let seen = 0
    for await (const line of createInterface({ input: child.stdout! })) {
      acknowledged = Number(line)
      seen += 1
      if (seen === killAfter) child.kill('SIGKILL')
    }
    const store = await openTestStore(t, home)
    const messages = await store.messages('s')
    assert.ok(messages.some(({ id }) => id === acknowledged))
    assert.equal((await store.get('s'))?.messageCount, messages.length)
    await store.append('s', { role: 'user', content: 'after the kill' })
    await store.close()
  }
})

test('processes that search a home for the first time at once share the work and find everything', async (t) => {
  const home = await temporaryHome(t)
  const store = await openTestStore(t, home)
  const { id } = await store.create({ source: 'cli' })
  for (let i = 0; i < 1500; i += 1) await store.append(id, { role: 'user', content: `word${i % 10} 数据库${i}` })
  const children = Array.from({ length: 3 }, () =>
    runElsewhere(home, `process.stdout.write(String((await store.search('据库', { limit: 5000 })).length))`),
  )
  const outputs = await Promise.all(
    children.map(async (child) => {
      let output = ''
      child.stdout!.on('data', (chunk) => (output += String(chunk)))
      await once(child, 'close')
      return output
    }),
  )
  assert.deepEqual(outputs, ['1500', '1500', '1500'])
  assert.equal((await store.search('word3', { limit: 5000 })).length, 150)
  await store.close()
  const db = new DatabaseSync(home.path('hermes.db'))
  assert.equal(db.prepare('SELECT count(*) AS n FROM message_search_docsize').get()?.['n'], 1500)
  db.close()
})
