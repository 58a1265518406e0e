import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import { createBatches, joinOfText } from './batches.ts'
import type { Incoming } from './batches.ts'
import { readSettings as readDiscord } from './discord/settings.ts'
import { readSettings as readMatrix } from './matrix/settings.ts'
import { readSettings as readTelegram } from './telegram/settings.ts'

const config = configSchema.parse({})

function message(text: string): InboundMessage {
  const source = { platform: 'telegram', account: '1', chatId: '7', chatType: 'dm', userId: '7' } as const
  return { eventId: text, source, text, attachments: [], sentAt: 0 }
}

test('texts in a row are one message where a wait for more is set, and each its own where none is', async () => {
  for (const [quietMs, expected] of [
    [20, ['one\ntwo']],
    [0, ['one', 'two']],
  ] as const) {
    const received: string[] = []
    const batches = createBatches(async ({ text }) => void received.push(text), { maxLength: 4_096 })
    await Promise.all(
      ['one', 'two'].map((text) => {
        const join = joinOfText(text, 4_000, { textBatchMs: 2_000, quietMs })
        return batches.add('lane', Promise.resolve({ message: message(text), ...(join && { join }) }))
      }),
    )
    assert.deepEqual(received, expected)
  }
})

test('a message that cannot be read while another one is waited for fails alone', async () => {
  const received: string[] = []
  const batches = createBatches(async ({ text }) => void received.push(text), { maxLength: 4_096 })
  const slow = Promise.withResolvers<Incoming>()
  const first = batches.add('lane', slow.promise)
  const broken = batches.add('lane', Promise.reject(new Error('its file is gone')))
  // Nobody has asked after the second one yet: that alone must not end the process.
  await new Promise((resolve) => setTimeout(resolve, 0))
  slow.resolve({ message: message('one') })
  await first
  await assert.rejects(broken, /its file is gone/)
  await batches.add('lane', Promise.resolve({ message: message('three') }))
  assert.deepEqual(received, ['one', 'three'])
})

test('an album stays one message however long one of its files takes', async () => {
  const received: InboundMessage[] = []
  const batches = createBatches(async (one) => void received.push(one), { maxLength: 4_096 })
  const join = { key: 'album:1', waitMs: 5, isLast: false }
  const photo = (name: string) => {
    const attachments = [{ kind: 'image', path: `/${name}`, mimeType: 'image/png' }] as const
    return { message: { ...message(name), attachments }, join }
  }
  const slow = Promise.withResolvers<Incoming>()
  const stored = [batches.add('lane', Promise.resolve(photo('a'))), batches.add('lane', slow.promise)]
  // Much longer than an album is waited for.
  await new Promise((resolve) => setTimeout(resolve, 50))
  slow.resolve(photo('b'))
  await Promise.all(stored)
  assert.deepEqual(
    received.map(({ attachments }) => attachments.map(({ path }) => path)),
    [['/a', '/b']],
  )
})

test('the waits for more text are read from the variables of each platform', () => {
  const read = {
    TELEGRAM: (environment: Record<string, string>) => {
      const setup = readTelegram(config, { TELEGRAM_BOT_TOKEN: '7:AAx', ...environment })
      return setup.state === 'ready' ? setup.settings.timing : undefined
    },
    DISCORD: (environment: Record<string, string>) => {
      const setup = readDiscord(config, { DISCORD_BOT_TOKEN: 'MTk.a.b', ...environment })
      return setup.state === 'ready' ? setup.settings.timing : undefined
    },
    MATRIX: (environment: Record<string, string>) => {
      const account = { MATRIX_HOMESERVER: 'https://example.org', MATRIX_ACCESS_TOKEN: 'syt_abc' }
      const setup = readMatrix(config, { ...account, ...environment })
      return setup.state === 'ready' ? setup.settings.waits : undefined
    },
  }
  for (const [name, timing] of Object.entries(read)) {
    assert.equal(timing({})?.quietMs, 0, name)
    const said = timing({
      [`HERMES_${name}_TEXT_BATCH_DELAY_SECONDS`]: '0.6',
      [`HERMES_${name}_TEXT_BATCH_SPLIT_DELAY_SECONDS`]: '3',
    })
    assert.deepEqual([said?.quietMs, said?.textBatchMs], [600, 3_000], name)
  }
})
