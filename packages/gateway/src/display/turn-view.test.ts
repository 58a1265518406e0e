import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { createRateBudget } from '../deliver/rate-budget.ts'
import type { Connection } from '../platforms/platform.ts'
import { createTurnView } from './turn-view.ts'

test('showing an answer while it comes takes no square of its length', async () => {
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1_000, perChatSecond: 1_000 },
    closed: new Promise(() => {}),
    editing: { edit: async () => {} },
    send: async (chat) => ({ chat, messageId: '1' }),
    [Symbol.asyncDispose]: async () => {},
  }
  const view = createTurnView({
    live: { connection, budget: createRateBudget(connection.rates) },
    chat: { platform: 'telegram', chatId: '1', chatType: 'dm' },
    limits: { maxLength: 4_000 },
    config: configSchema.parse({ streaming: { enabled: true } }),
    log: silentLogger,
    key: 'k',
  })
  const started = processorMs()
  for (let seq = 0; seq < 60_000; seq++) {
    view.onEvent({ type: 'text-delta', text: 'word after word, and more of them; ', seq })
    if (seq % 1_000 === 0) assert.ok(processorMs() - started < 10_000, `${seq} words took more than 10 s`)
  }
  assert.equal((await view.end({ isCut: false }))?.messageId, undefined)
})

test('what an earlier process had begun to say, and what turned out to be no answer, gets no other text', async () => {
  const edits: string[] = []
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1_000, perChatSecond: 1_000 },
    closed: new Promise(() => {}),
    editing: { edit: async (_message, text) => void edits.push(text) },
    send: async (chat) => ({ chat, messageId: '2' }),
    [Symbol.asyncDispose]: async () => {},
  }
  const chat = { platform: 'telegram', chatId: '1', chatType: 'dm' } as const
  const drafts: (string | undefined)[] = []
  const view = createTurnView({
    live: { connection, budget: createRateBudget(connection.rates) },
    chat,
    limits: { maxLength: 4_000 },
    config: configSchema.parse({ streaming: { enabled: true } }),
    log: silentLogger,
    key: 'k',
    draft: { chat, messageId: '1' },
    onDraft: async (message) => void drafts.push(message?.messageId),
  })
  view.onEvent({ type: 'text-delta', text: 'I look it up.', seq: 1 })
  view.onEvent({ type: 'answer-end', text: 'I look it up.', toolCalls: 1, seq: 2 })
  assert.equal(await view.end({ isCut: false }), undefined)
  assert.equal(edits.at(-1), 'I look it up.')
  assert.deepEqual(drafts, [undefined])
})
