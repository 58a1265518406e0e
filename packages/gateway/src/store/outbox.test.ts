import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing'
import * as fc from 'fast-check'
import { openGatewayDatabase } from './gateway-database.ts'
import { createInbox } from './inbox.ts'
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

test('with a message that is taken back go its copies in mirrors, and nothing else', async () => {
  await using all = await open()
  const outbox = createOutbox(all.db, () => 1_000)
  const inbox = createInbox(all.db, () => 1_000)
  const source = { platform: 'p', account: 'bot', chatId: '1', chatType: 'dm', userId: '1' } as const
  const message = { source, text: 'hi', attachments: [], sentAt: 1 }
  const [own, other] = [
    await inbox.add({ ...message, eventId: 'own' }, 'own'),
    await inbox.add({ ...message, eventId: 'other' }, 'other'),
  ]
  assert.ok(own && other)
  const keysOf = (id: number) =>
    ['reply:ID:0', 'reply:ID:1', 'reply:ID:10', 'file:ID:1'].map((key) => key.replace('ID', `${id}`))
  const copiesOf = (key: string) =>
    ['m:2', 'm:reply:3'].flatMap((to) => [`mirror:${to}:${key}:0`, `mirror:${to}:${key}:whole`, `mirror:${to}:${key}`])
  const places = new Map<string, number>()
  const add = (key: string) =>
    outbox.add([{ key, chat: { ...chat, chatId: `${places.set(key, places.size).size}` }, part }])
  for (const key of [own, other].flatMap(({ id }) => keysOf(id))) {
    for (const one of [key, ...copiesOf(key)]) await add(one)
  }
  const left = async () => (await outbox.next('p')).ready.map(({ key }) => key).sort()
  const [first = '', ...rest] = keysOf(own.id)
  const underWay = (await outbox.next('p')).ready.filter(
    ({ key }) => key === first || key === copiesOf(rest[0] ?? '')[0],
  )
  for (const { id } of underWay) await outbox.sending(id, { isDoubtful: true })
  assert.equal(await outbox.dropAnswers('own'), rest.length)
  const others = keysOf(other.id).flatMap((key) => [key, ...copiesOf(key)])
  const [mirror = ''] = copiesOf(rest[0] ?? '')
  assert.deepEqual(await left(), [...others, first, ...copiesOf(first), mirror].sort())
  // What was under way and did not arrive is not tried again, and so are its copies.
  for (const { id } of underWay) await outbox.later(id, { ...later, notBefore: 0 })
  assert.deepEqual(await left(), others.sort())
})
