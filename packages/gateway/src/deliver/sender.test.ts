import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { PlatformError } from '../platforms/platform-error.ts'
import type { Connection } from '../platforms/platform.ts'
import { readDeliveries } from '../deliveries/delivery-log.ts'
import { openGatewayDatabase } from '../store/gateway-database.ts'
import { createOutbox } from '../store/outbox.ts'
import type { Outbox } from '../store/outbox.ts'
import { createRateBudget } from './rate-budget.ts'
import { startSender } from './sender.ts'

const chat = { platform: 'p', chatId: '1', chatType: 'dm' } as const

/** An outbox where nothing waits for its next try, and a connection that does as it is told. */
async function open(
  send: (text: string, signal: AbortSignal) => Promise<void>,
  { knowsKeys = false, change }: { readonly knowsKeys?: boolean; readonly change?: Partial<Outbox> } = {},
) {
  const home = await temporaryHome()
  const db = await openGatewayDatabase(openHome(home.environment))
  const now = () => Date.now()
  const outbox = createOutbox(db, now)
  const texts: string[] = []
  const connection: Connection = {
    account: 'bot',
    knowsKeys,
    rates: { perSecond: 1_000, perChatSecond: 1_000 },
    closed: new Promise(() => {}),
    async send(to, part, _options, signal) {
      const text = part.type === 'text' ? part.text : (part.caption ?? '')
      texts.push(text)
      await send(text, signal)
      return { chat: to, messageId: String(texts.length) }
    },
    [Symbol.asyncDispose]: async () => {},
  }
  await outbox.add([{ key: 'k', chat, part: { type: 'text', text: 'hello' } }])
  const past = {
    ...outbox,
    later: (id: number, how: Parameters<typeof outbox.later>[1]) => outbox.later(id, { ...how, notBefore: 0 }),
    ...change,
  }
  const budget = createRateBudget(connection.rates)
  const sender = startSender({ platform: 'p', connection, outbox: past, budget, log: silentLogger, now })
  return {
    texts,
    sender,
    outbox,
    async isDone() {
      const { ready, nextAt } = await outbox.next('p')
      return ready.length === 0 && nextAt === undefined
    },
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]()
      db.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

function disposable<Value extends { close(): void }>(value: Value) {
  return { value, [Symbol.dispose]: () => value.close() }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

test('what may have gone out says so when it is sent again; what cannot have does not', async () => {
  for (const code of ['uncertain', 'unreachable'] as const) {
    let failures = 1
    await using all = await open(async () => {
      if (failures-- > 0) throw new PlatformError(code, 'x')
    })
    await until(() => all.isDone())
    assert.equal(all.texts.length, 2)
    assert.equal(/Perhaps sent twice/.test(all.texts[1] ?? ''), code === 'uncertain')
  }
})

test('a file that may have gone out says so below it', async () => {
  let failures = 1
  await using all = await open(async () => {
    if (failures-- > 0) throw new PlatformError('uncertain', 'x')
  })
  await until(() => all.isDone())
  failures = 1
  await all.outbox.add([{ key: 'f', chat, part: { type: 'file', kind: 'image', path: '/x.png' } }])
  all.sender.wake()
  await until(() => all.isDone())
  assert.match(all.texts.at(-1) ?? '', /^_\(Perhaps sent twice/)
})

test('a service that knows keys shows once what is sent twice, so that nothing is said of it', async () => {
  let tries = 0
  await using all = await open(
    async () => {
      if (++tries === 1) throw new PlatformError('uncertain', 'the line broke')
    },
    { knowsKeys: true },
  )
  await until(() => all.isDone())
  assert.deepEqual(all.texts, ['hello', 'hello'])
})

test('what a crash leaves in doubt is noted before it is sent, and nothing is where keys are known', async () => {
  for (const knowsKeys of [false, true]) {
    const going = Promise.withResolvers<void>()
    await using all = await open(() => going.promise, { knowsKeys })
    await until(async () => all.texts.length === 1)
    const [entry] = (await all.outbox.next('p')).ready
    assert.deepEqual([entry?.isUncertain, entry?.attempts], knowsKeys ? [false, 0] : [true, 1])
    going.resolve()
    await until(() => all.isDone())
  }
})

test('what is queued behind one that is under way goes out after it, in order', async () => {
  const going = Promise.withResolvers<void>()
  await using all = await open(() => going.promise, { knowsKeys: true })
  await until(async () => all.texts.length === 1)
  for (const text of ['two', 'three']) {
    await all.outbox.add([{ key: text, chat, part: { type: 'text', text } }])
    all.sender.wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
  going.resolve()
  await until(() => all.isDone())
  assert.deepEqual(all.texts, ['hello', 'two', 'three'])
})

test('a doubt is not forgotten when the next try is refused, and a label that does not fit is left out', async () => {
  const failures = [new PlatformError('uncertain', 'x'), new PlatformError('rate-limited', 'x', { retryAfterMs: 1 })]
  await using all = await open(async (text) => {
    const failure = failures.shift()
    if (failure) throw failure
    if (text.length > 10) throw new PlatformError('too-long', 'x')
  })
  await until(() => all.isDone())
  assert.match(all.texts[2] ?? '', /Perhaps sent twice/)
  assert.deepEqual([all.texts.length, all.texts[3]], [4, 'hello'])
})

test('what is under way at the end may end, so that it is not sent again', async () => {
  const begun = Promise.withResolvers<void>()
  const going = Promise.withResolvers<void>()
  let wasCut = false
  await using all = await open(async (_text, signal) => {
    begun.resolve()
    await going.promise
    wasCut = signal.aborted
  })
  await begun.promise
  const ended = all.sender[Symbol.asyncDispose]()
  going.resolve()
  await ended
  assert.equal(wasCut, false)
  assert.ok(await all.isDone())
})

test('what has certainly not arrived is tried for as long as it takes, and doubts have an end', async () => {
  for (const code of ['unreachable', 'rate-limited', 'unauthorised', 'conflict'] as const) {
    let failures = 20
    await using all = await open(async () => {
      if (failures-- > 0) throw new PlatformError(failures === 10 ? 'uncertain' : code, 'x', { retryAfterMs: 1 })
    })
    await until(() => all.isDone())
    assert.equal(all.texts.length, 21, code)
  }
  await using doubtful = await open(async () => {
    throw new PlatformError('uncertain', 'x')
  })
  await until(() => doubtful.isDone())
  assert.equal(doubtful.texts.length, 8)
})

test('what has arrived is not sent again where that cannot be noted, and a store that fails is not asked at once', async () => {
  for (const failing of ['sent', 'sending'] as const) {
    let notes = 0
    const asked = Promise.withResolvers<void>()
    const full = async () => {
      notes++
      asked.resolve()
      throw new Error('the disk is full')
    }
    await using all = await open(async () => {}, { change: { [failing]: full } })
    await asked.promise
    for (let turn = 0; turn < 200; turn++) {
      all.sender.wake()
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.deepEqual([notes, all.texts.length], [1, failing === 'sent' ? 1 : 0])
  }
})

test('what is too old is not sent, however long nothing could be', async () => {
  await using home = await temporaryHome()
  using db = disposable(await openGatewayDatabase(openHome(home.environment)))
  let now = 1_000
  const outbox = createOutbox(db.value, () => now)
  const part = { type: 'text', text: 'x' } as const
  await outbox.add([{ key: 'old', chat, part }])
  now += 25 * 3_600_000
  assert.deepEqual(await outbox.next('p'), { ready: [], nextAt: undefined })
  await outbox.add([{ key: 'new', chat, part }])
  assert.deepEqual(
    (await outbox.next('p')).ready.map(({ key }) => key),
    ['new'],
  )
})

test('a queued message that cannot be read is set aside, told of, and holds up nothing behind it', async () => {
  await using home = await temporaryHome()
  using db = disposable(await openGatewayDatabase(openHome(home.environment)))
  const outbox = createOutbox(db.value, Date.now)
  const part = { type: 'text', text: 'x' } as const
  await outbox.add([
    { key: 'broken', chat, part },
    { key: 'next', chat, part },
  ])
  await db.value.write(() => db.value.prepare(`UPDATE outbox SET part = '{' WHERE key = 'broken'`).run())
  const arrived = Promise.withResolvers<string>()
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1_000, perChatSecond: 1_000 },
    closed: new Promise(() => {}),
    async send(to, _part, { key }) {
      arrived.resolve(key)
      return { chat: to, messageId: '1' }
    },
    [Symbol.asyncDispose]: async () => {},
  }
  const told: string[] = []
  const log = { ...silentLogger, error: (_fields: unknown, text: string) => void told.push(text) }
  const budget = createRateBudget(connection.rates)
  await using _sender = startSender({ platform: 'p', connection, outbox, budget, log, now: Date.now })
  assert.equal(await arrived.promise, 'next')
  assert.match(told.join(), /cannot be read and is set aside/)
  await db.value.write(() => db.value.prepare(`UPDATE outbox SET chat = '{' WHERE key = 'broken'`).run())
  const failed = await readDeliveries(openHome(home.environment), { isFailed: true, count: 9 })
  assert.deepEqual(
    failed.map(({ chatId, state, error }) => [chatId, state, error]),
    [['?', 'dead', 'unreadable: what was queued cannot be read']],
  )
})
