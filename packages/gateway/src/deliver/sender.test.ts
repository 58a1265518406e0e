import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { PlatformError } from '../platforms/platform-error.ts'
import type { Connection } from '../platforms/platform.ts'
import { openGatewayDatabase } from '../store/gateway-database.ts'
import { createOutbox } from '../store/outbox.ts'
import { createRateBudget } from './rate-budget.ts'
import { startSender } from './sender.ts'

const chat = { platform: 'p', chatId: '1', chatType: 'dm' } as const

/** An outbox where nothing waits for its next try, and a connection that does as it is told. */
async function open(send: (text: string, signal: AbortSignal) => Promise<void>) {
  const home = await temporaryHome()
  const db = await openGatewayDatabase(openHome(home.environment))
  const now = () => Date.now()
  const outbox = createOutbox(db, now)
  const texts: string[] = []
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1_000, perChatSecond: 1_000 },
    closed: new Promise(() => {}),
    async send(to, part, _options, signal) {
      const text = part.type === 'text' ? part.text : ''
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
  }
  const budget = createRateBudget(connection.rates)
  const sender = startSender({ platform: 'p', connection, outbox: past, budget, log: silentLogger, now })
  return {
    texts,
    sender,
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
