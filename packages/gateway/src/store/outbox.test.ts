import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing'
import * as fc from 'fast-check'
import { openGatewayDatabase } from './gateway-database.ts'
import { createOutbox } from './outbox.ts'
import { createPlannedWaits } from './planned-waits.ts'

const part = { type: 'text', text: 'x' } as const
const chat = { platform: 'p', chatId: '1', chatType: 'dm' } as const
const later = { error: 'x', isUncertain: false, attempts: 0 } as const

async function open() {
  const home = await temporaryHome()
  const db = await openGatewayDatabase(openHome(home.environment))
  return {
    db,
    async [Symbol.asyncDispose]() {
      db.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('a clock that is set back makes no wait longer, neither in the process that noted it nor in the next', async () => {
  await using all = await open()
  let [wall, elapsed] = [1_700_000_000_000, 0]
  const openBox = () =>
    createOutbox(
      all.db,
      () => wall,
      () => elapsed,
    )
  const first = openBox()
  await first.add([{ key: 'k', chat, part }])
  const [entry] = (await first.next('p')).ready
  await first.later(entry?.id ?? 0, { ...later, notBefore: wall + 60_000 })
  assert.equal((await first.next('p')).nextAt, wall + 60_000)
  wall -= 3_600_000
  elapsed += 20_000
  assert.equal((await first.next('p')).nextAt, wall + 40_000)
  const second = openBox()
  assert.equal((await second.next('p')).nextAt, wall + 60_000)
  elapsed += 60_000
  assert.equal((await first.next('p')).ready.length, 1)
  assert.equal((await second.next('p')).ready.length, 1)
})

test('what is added for later waits until then, and no longer where the clock is set back', async () => {
  await using all = await open()
  let wall = 1_700_000_000_000
  const box = createOutbox(
    all.db,
    () => wall,
    () => 0,
  )
  await box.add([{ key: 'k', chat, part, notBefore: wall + 500 }])
  assert.deepEqual((await box.next('p')).ready, [])
  assert.equal((await box.next('p')).nextAt, wall + 500)
  wall -= 3_600_000
  assert.equal((await box.next('p')).nextAt, wall + 500)
})

test('what waits in a database of the version before goes on waiting', async () => {
  await using home = await temporaryHome()
  const hermes = openHome(home.environment)
  const wall = 1_700_000_000_000
  const before = await openGatewayDatabase(hermes)
  await createOutbox(before, () => wall).add([{ key: 'k', chat, part, notBefore: wall + 500 }])
  before.exec(`DROP INDEX outbox_untold;
    ALTER TABLE outbox DROP COLUMN is_told;
    ALTER TABLE outbox DROP COLUMN wait_ms;
    ALTER TABLE inbox DROP COLUMN draft;
    PRAGMA user_version = 3`)
  before.close()
  const db = await openGatewayDatabase(hermes)
  const { ready, nextAt } = await createOutbox(db, () => wall).next('p')
  assert.deepEqual(ready, [])
  assert.ok(nextAt !== undefined && nextAt > wall && nextAt <= wall + 500)
  db.close()
})

test('no wait is longer than planned, whatever the clock on the wall does meanwhile', () => {
  const steps = fc.array(fc.record({ jump: fc.integer({ min: -1e9, max: 1e9 }), passed: fc.nat(1_000) }), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), steps, (planned, moves) => {
      let [wall, elapsed] = [1e12, 0]
      const waits = createPlannedWaits(
        () => wall,
        () => elapsed,
      )
      const until = wall + planned
      assert.ok(waits.left(1, until, planned) <= planned)
      for (const { jump, passed } of moves) {
        wall += jump + passed
        elapsed += passed
        assert.ok(waits.left(1, until, planned) <= Math.max(0, planned - elapsed))
      }
    }),
    { seed: 1 },
  )
})

test('what cannot be read is named at once, and what is behind it goes on', async () => {
  await using all = await open()
  const outbox = createOutbox(all.db, () => 1_000)
  for (const [column, value] of [
    ['chat', '{'],
    ['chat', '{"platform":"p"}'],
    ['part', 'null'],
    ['part', '{"type":"song"}'],
  ] as const) {
    await outbox.add([
      { key: `${column}${value}`, chat, part },
      { key: `behind ${column}${value}`, chat, part },
    ])
    await all.db.write(() =>
      all.db.prepare(`UPDATE outbox SET ${column} = ? WHERE key = ?`).run(value, `${column}${value}`),
    )
    const { ready, unreadable = [] } = await outbox.next('p')
    assert.deepEqual([ready.length, unreadable.length], [0, 1])
    for (const id of unreadable) await outbox.dead(id, 'unreadable')
    const [next] = (await outbox.next('p')).ready
    assert.equal(next?.key, `behind ${column}${value}`)
    await outbox.sent(next?.id ?? 0, 'm')
  }
})
