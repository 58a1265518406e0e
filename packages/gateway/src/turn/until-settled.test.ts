import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { DatabaseError } from '@hermes/core/storage/database-error.ts'
import { temporaryHome } from '@hermes/testing'
import { gatewayStops } from '../lanes/lanes.ts'
import { openGatewayDatabase } from '../store/gateway-database.ts'
import { createInbox } from '../store/inbox.ts'
import type { InboxEntry } from '../store/inbox.ts'
import { createOutbox } from '../store/outbox.ts'
import { untilSettled } from './until-settled.ts'

const source = { platform: 'p', account: 'bot', chatId: '1', chatType: 'dm', userId: '1' } as const
const agent = { log: silentLogger, redactor: { redact: (text: string) => text.replaceAll('secret', '***') } }

/** A message that came in, and what became of it. */
async function open() {
  const home = await temporaryHome()
  const db = await openGatewayDatabase(openHome(home.environment))
  const inbox = createInbox(db, () => 1)
  const outbox = createOutbox(db, () => 1)
  const entry = await inbox.add({ eventId: 'e', source, text: 'hi', attachments: [], sentAt: 1 }, 'key')
  assert.ok(entry)
  const states: unknown[] = []
  return {
    inbox,
    entry,
    async settle(run: (entry: InboxEntry) => Promise<void>, signal = new AbortController().signal) {
      await untilSettled(entry, run, { inbox, agent, wake: () => {}, pauseMs: 1 }, signal)
      states.push(db.prepare('SELECT state FROM inbox').get()?.['state'])
      return String(states.at(-1))
    },
    said: async () => (await outbox.next('p')).ready.map(({ part }) => part.type === 'text' && part.text),
    async [Symbol.asyncDispose]() {
      db.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('what fails is tried again from where it came to, and told when it fails for good', async () => {
  await using all = await open()
  const begun: unknown[] = []
  const state = await all.settle(async (entry) => {
    begun.push(entry.begun?.sessionId)
    await all.inbox.begin(entry.id, 'session', 0)
    throw new Error('the disk is full of secret')
  })
  assert.equal(state, 'failed')
  assert.deepEqual(begun, [undefined, 'session', 'session'])
  assert.match(String((await all.said())[0]), /cannot answer this message: the disk is full of \*\*\*/)
})

test('a store that cannot be written is waited for, for the answer and for the end', async () => {
  await using all = await open()
  const full = () => new DatabaseError('disk-full', 'no room left')
  let failures = 4
  const end = all.inbox.end.bind(all.inbox)
  Object.assign(all.inbox, {
    end: (...given: Parameters<typeof end>) => (failures-- > 0 ? Promise.reject(full()) : end(...given)),
  })
  assert.equal(await all.settle(({ id }) => all.inbox.end([id], 'answered', []).then(() => undefined)), 'answered')
  await using other = await open()
  failures = 5
  const otherEnd = other.inbox.end.bind(other.inbox)
  Object.assign(other.inbox, {
    end: (...given: Parameters<typeof end>) => (failures-- > 0 ? Promise.reject(full()) : otherEnd(...given)),
  })
  const broken = () => Promise.reject(new Error('broken'))
  assert.equal(await other.settle(broken), 'failed')
})

test('what ended before it failed is not done again', async () => {
  await using all = await open()
  let runs = 0
  const state = await all.settle(async ({ id }) => {
    runs++
    await all.inbox.end([id], 'answered', [])
    throw new Error('late')
  })
  assert.deepEqual([state, runs], ['answered', 1])
})

test('what was interrupted is over, unless the gateway itself ends', async () => {
  for (const [reason, state] of [
    ['The user stopped it.', 'refused'],
    [gatewayStops, 'waiting'],
  ] as const) {
    await using all = await open()
    const signal = AbortSignal.abort(new DOMException(reason, 'AbortError'))
    const settled = all.settle(async () => signal.throwIfAborted(), signal)
    if (state === 'refused') assert.equal(await settled, state)
    else {
      await assert.rejects(settled)
      assert.equal((await all.inbox.open()).length, 1)
    }
  }
})
