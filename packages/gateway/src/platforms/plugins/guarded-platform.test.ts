import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'
import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { Platform } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { guardedPlatform } from './guarded-platform.ts'

const chat = { platform: 'tp', chatId: 'c', chatType: 'dm' } as const
const part = { type: 'text', text: 'hi' } as const
const never = new Promise<never>(() => undefined)
const usual = { connectMs: 20, sendMs: 20, endMs: 20 }

/** A connection as a plugin may make one: its parts are those of a class. */
class Made {
  #id = 7
  rates = { perSecond: 5, perChatSecond: 5 }
  get account() {
    return this.#id
  }
  get closed() {
    return never
  }
  async send(): Promise<unknown> {
    return undefined
  }
  async [Symbol.asyncDispose](): Promise<void> {
    return never
  }
}

async function open(connect: () => unknown) {
  const home = await temporaryHome()
  const received: InboundMessage[] = []
  const host = {
    home,
    environment: {},
    clock: systemClock(),
    log: silentLogger,
    receive: async (message: InboundMessage) => void received.push(message),
  } as unknown as FaceHost
  const given: { host?: FaceHost } = {}
  const platform = {
    name: 'tp',
    label: 'TP',
    variablePrefix: 'TP',
    promptHint: '',
    limits: { maxLength: 100 },
    read: () => ({ state: 'ready', settings: {} }),
    connect: (_settings: unknown, host: FaceHost) => {
      given.host = host
      return connect()
    },
  } as unknown as Platform
  const signal = new AbortController()
  return {
    received,
    signal,
    connect: () => guardedPlatform(platform, home.path('plugins', 'tp'), usual).connect({}, host, signal.signal),
    receive: (message: unknown) => given.host?.receive(message as InboundMessage),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}

test('a plugin that never connects, or never ends, is given up', async () => {
  await using hanging = await open(() => never)
  await assert.rejects(hanging.connect(), /did not connect in time/)
  await using stopped = await open(() => never)
  stopped.signal.abort(new Error('The gateway stops.'))
  await assert.rejects(stopped.connect(), /The gateway stops/)
  await using whole = await open(() => new Made())
  const connection = await whole.connect()
  await connection[Symbol.asyncDispose]()
})

test('what is no connection is told with what is missing', async () => {
  for (const [made, told] of [
    [undefined, /expected object/],
    [{ account: 'a', rates: { perSecond: 1, perChatSecond: 1 }, closed: 5, send() {} }, /closed is no promise/],
    [{ account: 'a', closed: never, send() {} }, /rates/],
  ] as const) {
    await using one = await open(() => made)
    await assert.rejects(one.connect(), told)
  }
})

test('what a plugin sends without a word has been sent, and what it does not end is in doubt', async () => {
  await using silent = await open(() => new Made())
  const signal = new AbortController().signal
  const connection = await silent.connect()
  assert.equal(connection.account, '7')
  assert.deepEqual(await connection.send(chat, part, { key: 'k' }, signal), { chat, messageId: '' })
  await using hanging = await open(() => Object.assign(new Made(), { send: () => never }))
  const other = await hanging.connect()
  await assert.rejects(other.send(chat, part, { key: 'k' }, signal), { code: 'uncertain' })
  for (const one of [connection, other]) await one[Symbol.asyncDispose]()
})

test('messages of a plugin are of its own platform and of the right form; numbers are taken as ids', async () => {
  await using all = await open(() => new Made())
  await using connection = await all.connect()
  assert.equal(connection.account, '7')
  const source = { platform: 'tp', account: 'a', chatId: 5, chatType: 'dm', userId: 7 }
  const message = { eventId: 1, source, text: 'hi', sentAt: 0, isInternal: true }
  await all.receive(message)
  const [taken] = all.received
  assert.deepEqual(
    [taken?.source.chatId, taken?.source.userId, taken?.eventId, taken?.attachments],
    ['5', '7', '1', []],
  )
  assert.equal(taken?.isInternal, undefined, 'nobody is let in by that')
  for (const wrong of [
    { ...message, text: undefined },
    { ...message, source: undefined },
    { ...message, source: { ...source, platform: 'telegram' } },
    { ...message, source: { ...source, chatType: 'private' } },
    { ...message, attachments: [{ path: '/x' }] },
  ]) {
    await assert.rejects(async () => all.receive(wrong), /this is no message: /)
  }
  assert.equal(all.received.length, 1)
})
