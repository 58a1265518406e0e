import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { freePort } from '@hermes/testing/free-ports.ts'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { ChatRef, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { ButtonPress, Connection, PlatformHost } from '../platform.ts'
import { telegram as platform } from './index.ts'
import type { TelegramSettings } from './settings.ts'

const never = new AbortController().signal
const chat: ChatRef = { platform: 'telegram', chatId: '7', chatType: 'dm' }
const options = { key: 'k' }
const unparsable = "Bad Request: can't parse entities: x"
const notModified = 'Bad Request: message is not modified: the new content is the same'

interface Given {
  readonly environment?: Readonly<Record<string, string>>
  readonly extra?: Readonly<Record<string, unknown>>
  readonly timing?: Partial<TelegramSettings['timing']>
  readonly token?: string
}

/** The adapter, connected to a stand-in of its own. */
async function open({ environment = {}, extra = {}, timing, token }: Given = {}) {
  const service = await startTelegram()
  const home = await temporaryHome()
  const received: InboundMessage[] = []
  const presses: ButtonPress[] = []
  const variables = { ...home.environment, TELEGRAM_BOT_TOKEN: token ?? service.token, ...environment }
  const host: PlatformHost & { store: (message: InboundMessage) => Promise<void> } = {
    home,
    environment: variables,
    clock: systemClock(),
    log: silentLogger,
    courier: { find: async () => undefined, deliver: async () => {} },
    store: async () => {},
    async receive(message) {
      await host.store(message)
      received.push(message)
    },
    async press(press) {
      presses.push(press)
      return 'Decided.'
    },
  }
  const config = {
    ...configSchema.parse({}),
    platforms: { telegram: { extra: { base_url: `${service.url}/bot`, ...extra } } },
  }
  const setup = platform.read(config as never, variables)
  assert.equal(setup.state, 'ready', JSON.stringify(setup))
  const read = setup.state === 'ready' ? setup.settings : undefined
  assert.ok(read)
  const settings = {
    ...read,
    timing: { ...read.timing, mediaBatchMs: 500, textBatchMs: 500, conflictMs: 20, retryMs: 20, ...timing },
  }
  const connect = () => platform.connect(settings, host, never)
  const connection = await connect().catch(async (error: unknown) => {
    await service[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
    throw error
  })
  const texts = () => received.map(({ text }) => text)
  return {
    service,
    home,
    host,
    received,
    presses,
    connection,
    settings,
    connect,
    texts,
    come: (count: number) => service.until(() => received.length >= count),
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

async function codeOf(promise: Promise<unknown>): Promise<readonly unknown[]> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof PlatformError, String(error))
  assert.ok(!/made-up-token/.test(error.message), error.message)
  return [error.code, error.retryAfterMs]
}

test('a message comes in with its chat, its person and what it answers', async () => {
  await using all = await open()
  all.service.write({
    text: '@hermes_test_bot, hello',
    reply_to_message: { message_id: 3, text: 'before', date: 1, chat: { id: 7, type: 'private' } },
  })
  await all.come(1)
  const { sentAt, ...message } = all.received[0] ?? assert.fail()
  assert.ok(Math.abs(sentAt - Date.now()) < 60_000)
  assert.deepEqual(message, {
    eventId: '1',
    messageId: '1',
    source: {
      platform: 'telegram',
      account: '4242',
      chatId: '7',
      chatType: 'dm',
      chatName: 'Ann',
      userId: '7',
      userName: 'Ann',
    },
    text: 'hello',
    attachments: [],
    replyToText: 'before',
  })
})

test('in groups the settings say which messages are for the agent', async () => {
  await using all = await open({
    environment: {
      TELEGRAM_REQUIRE_MENTION: 'true',
      TELEGRAM_FREE_RESPONSE_CHATS: '-50',
      TELEGRAM_IGNORED_THREADS: '66',
      TELEGRAM_MENTION_PATTERNS: '["^hermes\\\\b", "(broken"]',
    },
  })
  const bot = { id: 4_242, is_bot: true, first_name: 'Hermes' }
  const say = (text: string, more: Readonly<Record<string, unknown>> = {}) =>
    all.service.write({ chatId: -20, text, ...more })
  say('not for it')
  say('@hermes_test_botany is another')
  say('hey @hermes_test_bot: one')
  say('answer', { reply_to_message: { message_id: 1, date: 1, from: bot, chat: { id: -20, type: 'supergroup' } } })
  say('Hermes two')
  say('/status')
  say('/status@other_bot')
  say('/status@Hermes_Test_Bot')
  say('free', { chatId: -50 })
  say('ignored', { chatId: -50, message_thread_id: 66, is_topic_message: true })
  say('named', { entities: [{ type: 'text_mention', offset: 0, length: 5, user: bot }] })
  say('a topic, @hermes_test_bot', { message_thread_id: 5, is_topic_message: true })
  say('a chain of replies, @hermes_test_bot', { message_thread_id: 9 })
  all.service.write({ text: 'direct' })
  await all.come(10)
  assert.deepEqual(all.texts().toSorted(), [
    '/status',
    '/status@Hermes_Test_Bot',
    'Hermes two',
    'a chain of replies,',
    'a topic,',
    'answer',
    'direct',
    'free',
    'hey one',
    'named',
  ])
  const threads = all.received.flatMap(({ source: { threadId } }) => threadId ?? [])
  assert.deepEqual(threads, ['5'])
})

test('pasted code keeps its spaces, with and without the agent’s name', async () => {
  await using all = await open()
  const code = 'def f():\n    if x:\n\treturn  1'
  all.service.write({ text: code })
  await all.come(1)
  all.service.write({ text: `look @hermes_test_bot: ${code}`, chatId: -20 })
  await all.come(2)
  assert.deepEqual(all.texts(), [code, `look ${code}`])
})

test('an album is one message, a long paste is one message, and the order of a person is kept', async () => {
  await using all = await open()
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
  const photo = () => {
    const id = all.service.addFile('a.jpg', jpeg)
    return [
      { file_id: `small`, width: 1, height: 1 },
      { file_id: id, width: 9, height: 9, file_size: jpeg.length },
    ]
  }
  all.service.write({ photo: photo(), media_group_id: 'g', caption: 'Look' })
  all.service.write({ photo: photo(), media_group_id: 'g', caption: 'Look' })
  all.service.write({ photo: photo(), media_group_id: 'g', caption: 'closer' })
  all.service.write({ text: 'what is it?' })
  all.service.write({ text: 'x'.repeat(4_096) })
  all.service.write({ text: 'y'.repeat(4_090) })
  all.service.write({ text: 'end' })
  all.service.write({ userId: 8, chatId: 8, text: 'other' })
  await all.come(4)
  const own = all.received.filter(({ source }) => source.chatId === '7')
  assert.deepEqual(
    own.map(({ text, eventId, attachments }) => [text.length, eventId, attachments.length]),
    [
      [12, '1-2-3', 3],
      [11, '4', 0],
      [4_096 + 4_090 + 1 + 3, '5-6-7', 0],
    ],
  )
  assert.equal(own[0]?.text, 'Look\n\ncloser')
  const [image] = own[0]?.attachments ?? []
  assert.equal(image?.mimeType, 'image/jpeg')
  assert.match(image?.path ?? '', /cache\/images\/img_[0-9a-f]{12}\.jpg$/)
  assert.deepEqual(await readFile(image?.path ?? ''), jpeg)
})

test('files go to the caches; what is too large or cannot be fetched is told in words', async () => {
  await using all = await open()
  const file = (name: string, bytes: Buffer | string) => ({
    file_id: all.service.addFile(name, Buffer.from(bytes)),
    file_size: bytes.length,
  })
  all.service.write({ voice: { ...file('v.oga', 'OggS'), mime_type: 'audio/ogg', duration: 1 } })
  all.service.write({
    document: { ...file('n.md', '# Hi'), file_name: '../n.md', mime_type: 'text/markdown' },
    caption: 'read',
  })
  all.service.write({ document: { file_id: 'x', file_name: 'big.zip', file_size: 30_000_000 } })
  all.service.write({ document: { file_id: 'gone', file_name: 'gone.pdf', file_size: 3 } })
  all.service.write({ sticker: { file_id: 's', emoji: '😀', set_name: 'Cats', type: 'regular' } })
  all.service.write({
    venue: { title: 'Inn', address: 'Road 1', location: { latitude: 1.5, longitude: -2 } },
    location: { latitude: 1.5, longitude: -2 },
  })
  await all.come(6)
  const [voice, note, big, gone, sticker, venue] = all.received
  assert.deepEqual([voice?.attachments[0]?.kind, voice?.attachments[0]?.mimeType], ['voice', 'audio/ogg'])
  assert.match(voice?.attachments[0]?.path ?? '', /cache\/audio\/audio_[0-9a-f]{12}\.ogg$/)
  assert.deepEqual([note?.text, note?.attachments[0]?.name], ['read', 'n.md'])
  assert.match(note?.attachments[0]?.path ?? '', /cache\/documents\/doc_[0-9a-f]{12}_n\.md$/)
  assert.match(big?.text ?? '', /"big\.zip", which is larger than the 20 MB/)
  assert.match(gone?.text ?? '', /"gone\.pdf", which could not be fetched/)
  assert.match(sticker?.text ?? '', /sticker 😀 of the set "Cats"/)
  assert.match(venue?.text ?? '', /Place: Inn\nAddress: Road 1\nLatitude: 1\.5\nLongitude: -2/)
})

test('an update is confirmed only when it is stored, and comes again until it is', async () => {
  await using all = await open()
  let isBroken = true
  all.host.store = async ({ text }) => {
    if (isBroken && text === 'second') throw new Error('the disk is full')
  }
  all.service.write({ text: 'first' })
  all.service.write({ text: 'second', chatId: 8, userId: 8 })
  all.service.write({ text: 'third', chatId: 9, userId: 9 })
  await all.come(2)
  await all.service.until(() => all.service.pending === 2)
  assert.deepEqual(all.texts(), ['first', 'third'])
  isBroken = false
  await all.come(3)
  await all.service.until(() => all.service.pending === 0)
  assert.deepEqual(all.texts(), ['first', 'third', 'second'])
})

test('a store that fails is asked seldom, and what comes later in the chat keeps its place', async () => {
  await using all = await open({ timing: { retryMs: 2_000 } })
  let isBroken = true
  let tries = 0
  all.host.store = async () => {
    if (!isBroken) return
    tries++
    throw new Error('the disk is full')
  }
  const polls = () => all.service.calls.filter(({ method }) => method === 'getUpdates').length
  all.service.write({ text: 'first' })
  await all.service.until(() => tries > 0)
  // Updates are looked at all the while.
  const before = polls()
  await all.service.until(() => polls() > before + 4)
  assert.ok(tries <= 3, `${tries} tries`)
  isBroken = false
  all.service.write({ text: 'second' })
  all.service.write({ text: 'elsewhere', chatId: 8, userId: 8 })
  await all.come(3)
  assert.deepEqual(
    all.texts().filter((text) => text !== 'elsewhere'),
    ['first', 'second'],
  )
  await all.service.until(() => all.service.pending === 0)
})

test('what can never be read holds up nothing: neither its chat nor the account', async () => {
  await using all = await open()
  const from = { id: 7, is_bot: false, first_name: 'Ann' }
  const chat = { id: 7, type: 'private', first_name: 'Ann' }
  const strange = [
    { text: 5 },
    { poll: { question: 'Which?' } },
    { text: 'nowhere', chat: undefined },
    { text: 'entities', entities: 'none', reply_to_message: {} },
    { sticker: {}, photo: [{}], document: 'x' },
    { document: { file_id: 'a', mime_type: 5 } },
  ]
  for (const [at, fields] of strange.entries()) {
    all.service.give({ message: { message_id: 900 + at, date: 1, chat, from, ...fields } })
  }
  all.service.give({ callback_query: { id: 'q', from, data: 'x', message: { message_id: 1 } } })
  all.service.write({ text: 'after all that' })
  await all.service.until(() => all.service.pending === 0)
  assert.equal(all.texts().at(-1), 'after all that')
  assert.deepEqual(all.presses, [])
})

test('updates out of order are taken in order, edits and unknown kinds not at all', async () => {
  await using all = await open()
  all.service.isShuffled = true
  all.service.give({ edited_message: { message_id: 1, text: 'edited', date: 1, chat: { id: 7, type: 'private' } } })
  for (const text of ['a', 'b', 'c']) all.service.write({ text })
  await all.come(3)
  assert.deepEqual(all.texts(), ['a', 'b', 'c'])
})

test('a wait that nobody could mean is no hot loop, and no silence for ever', async () => {
  await using all = await open()
  const polls = () => all.service.calls.filter(({ method }) => method === 'getUpdates').length
  const refused = (seconds: unknown) => ({
    ...({ method: 'getUpdates', type: 'refuse', code: 429, description: 'Too Many Requests' } as const),
    parameters: { retry_after: seconds },
  })
  all.service.fail(refused(-5), refused('soon'))
  all.service.write({ text: 'first' })
  await all.come(1)
  const before = polls()
  all.service.fail(...Array.from({ length: 9 }, () => refused(1e15)))
  all.service.write({ text: 'second' })
  await all.service.until(() => polls() > before)
  const wait = await codeOf(
    (async () => {
      all.service.fail({ ...refused(1e15), method: 'sendMessage' })
      await all.connection.send(chat, { type: 'text', text: 'hello' }, options, never)
    })(),
  )
  assert.deepEqual(wait, ['rate-limited', 86_400_000])
  assert.ok(polls() <= before + 2, `${polls() - before} polls`)
})

test('a polling that breaks is taken up again; one that stays broken ends the connection', async () => {
  await using all = await open()
  all.service.fail(
    { method: 'getUpdates', type: 'drop-before' },
    { method: 'getUpdates', type: 'refuse', code: 502, description: 'Bad Gateway' },
  )
  all.service.write({ text: 'one' })
  await all.come(1)
  all.service.isReachable = false
  const reason = await all.connection.closed
  assert.ok(reason instanceof PlatformError && ['unreachable', 'uncertain'].includes(reason.code), String(reason))
})

test('another process that polls is a conflict, and so is one that holds the token here', async () => {
  await using all = await open()
  const other = setInterval(
    () => void fetch(`${all.service.url}/bot${all.service.token}/getUpdates?timeout=9`).catch(() => undefined),
    5,
  )
  const reason = await all.connection.closed
  clearInterval(other)
  assert.ok(reason instanceof PlatformError)
  assert.equal(reason.code, 'conflict')
})

test('a token that another living process holds is not used', async () => {
  await using all = await open()
  const folder = all.home.path('.local', 'state', 'hermes', 'gateway-locks')
  const [name = ''] = (await readdir(folder)).filter((file) => /^telegram-bot-token-[0-9a-f]{16}\.lock$/.test(file))
  const own: unknown = JSON.parse(await readFile(`${folder}/${name}`, 'utf8'))
  assert.equal((own as { pid: number }).pid, process.pid)
  await writeFile(`${folder}/${name}`, JSON.stringify({ pid: process.ppid }))
  assert.deepEqual(await codeOf(all.connect()), ['conflict', undefined])
  for (const left of ['', '{"pid": 4194303}']) {
    await writeFile(`${folder}/${name}`, left)
    await (await all.connect())[Symbol.asyncDispose]()
    assert.ok(!(await readdir(folder)).includes(name), 'it is given back')
  }
})

test('a wrong token is refused, and no error holds it', async () => {
  assert.deepEqual(await codeOf(open({ token: '1:made-up-token' })), ['unauthorised', undefined])
})

test('text is sent as MarkdownV2, as a reply, into its topic; what is refused of that is left out', async () => {
  await using all = await open({ environment: { TELEGRAM_REPLY_TO_MODE: 'first' } })
  let turns = 0
  const again = async () => void turns++
  const send: Connection['send'] = (to, part, how, signal) => {
    turns++
    return all.connection.send(to, part, { ...how, again }, signal)
  }
  const asked = all.service.write({ text: 'hi' })
  const sent = await send(
    chat,
    { type: 'text', text: '**Yes.** 1+1=2!' },
    { ...options, replyTo: String(asked) },
    never,
  )
  assert.deepEqual([all.service.messages[0]?.text, all.service.messages[0]?.replyTo], ['Yes. 1+1=2!', asked])
  assert.equal(all.service.messages[0]?.entities[0]?.type, 'bold')
  all.service.world.topics.set(-20, new Set([5]))
  const group = { platform: 'telegram', chatId: '-20', chatType: 'group' } as const
  await send({ ...group, threadId: '5' }, { type: 'text', text: 'in a topic' }, options, never)
  await send({ ...group, threadId: '6' }, { type: 'text', text: 'it is gone' }, { ...options, replyTo: '999' }, never)
  assert.deepEqual(
    all.service.messages.slice(1).map(({ threadId, replyTo }) => [threadId, replyTo]),
    [
      [5, undefined],
      [undefined, undefined],
    ],
  )
  all.service.fail({
    method: 'sendMessage',
    type: 'refuse',
    code: 400,
    description: unparsable,
  })
  await send({ ...chat, chatId: '9' }, { type: 'text', text: '**plain** a_b' }, options, never)
  assert.deepEqual([all.service.messages.at(-1)?.text, all.service.messages.at(-1)?.entities], ['plain a_b', []])
  all.service.world.moved.set(-30, -40)
  await send({ ...group, chatId: '-30' }, { type: 'text', text: 'moved' }, options, never)
  assert.equal(all.service.messages.at(-1)?.chatId, -40)
  const calls = all.service.calls.filter(({ method }) => method === 'sendMessage').length
  assert.ok(calls > 7, 'some were sent again')
  assert.equal(turns, calls, 'each call has waited for its turn')
  assert.equal((await send(chat, { type: 'text', text: ' \n' }, options, never)).messageId, '')
  const edit = (text: string) => all.connection.editing?.edit(sent, text, never) ?? Promise.resolve()
  await edit('now `this`')
  all.service.fail({ method: 'editMessageText', type: 'refuse', code: 400, description: notModified })
  await edit('now `this`')
  assert.deepEqual([all.service.messages[0]?.text, all.service.messages[0]?.entities[0]?.type], ['now this', 'code'])
  await all.connection.editing?.remove?.(sent, never)
  assert.equal(all.service.messages[0]?.isDeleted, true)
  all.service.fail({
    method: 'editMessageText',
    type: 'refuse',
    code: 400,
    description: 'Bad Request: message to edit not found',
  })
  assert.deepEqual(await codeOf(edit('x')), ['gone', undefined])
})

test('an edit that cannot be read is given again as plain text, which waits for its own turn', async () => {
  await using all = await open()
  let turns = 0
  const how = { again: async () => void turns++ }
  const { editing, buttons } = all.connection
  const changes = [
    (sent: SentRef) => editing?.edit(sent, '**plain** a_b', never, how),
    (sent: SentRef) => buttons?.close(sent, '**plain** a_b', never, how),
    (sent: SentRef) => buttons?.change?.(sent, '**plain** a_b', [], never, how),
  ]
  for (const [at, change] of changes.entries()) {
    const sent = await all.connection.send(
      { ...chat, chatId: `${at + 7}` },
      { type: 'text', text: 'x' },
      options,
      never,
    )
    all.service.fail({ method: 'editMessageText', type: 'refuse', code: 400, description: unparsable })
    await change(sent)
    assert.deepEqual([all.service.messages[at]?.text, all.service.messages[at]?.entities], ['plain a_b', []])
    assert.equal(turns, at + 1)
  }
  const refused = { method: 'editMessageText', type: 'refuse', code: 400, description: unparsable } as const
  all.service.fail(refused)
  const sent = await all.connection.send({ ...chat, chatId: '10' }, { type: 'text', text: 'x' }, options, never)
  const later = new Error('not any more')
  const again = () => Promise.reject(later)
  await assert.rejects(editing?.edit(sent, 'y', never, { again }) ?? Promise.resolve(), later)
  assert.equal(all.service.messages[3]?.text, 'x')
})

test('what the service says comes out as the gateway’s codes', async () => {
  await using all = await open()
  const send = (chatId: string, text = 'x') =>
    codeOf(all.connection.send({ ...chat, chatId }, { type: 'text', text }, options, never))
  const refuse = (code: number, description: string, parameters?: Readonly<Record<string, unknown>>) =>
    all.service.fail({ method: 'sendMessage', type: 'refuse', code, description, ...(parameters && { parameters }) })
  all.service.world.blocked.add(31)
  assert.deepEqual(await send('31'), ['gone', undefined])
  all.service.world.missing.add(32)
  assert.deepEqual(await send('32'), ['gone', undefined])
  refuse(403, "Forbidden: bot can't initiate conversation with a user")
  assert.deepEqual(await send('33'), ['refused', undefined])
  refuse(429, 'Too Many Requests: retry after 17', { retry_after: 17 })
  assert.deepEqual(await send('34'), ['rate-limited', 17_000])
  assert.deepEqual(await send('35', 'x'.repeat(5_000)), ['too-long', undefined])
  refuse(500, 'Internal Server Error')
  assert.deepEqual(await send('36'), ['uncertain', undefined])
  refuse(401, 'Unauthorized')
  assert.deepEqual(await send('37'), ['unauthorised', undefined])
  refuse(409, 'Conflict: x')
  assert.deepEqual(await send('38'), ['conflict', undefined])
  all.service.fail({ method: 'sendMessage', type: 'drop-after' })
  assert.deepEqual(await send('39'), ['uncertain', undefined])
  const nowhere = platform.connect({ ...all.settings, apiRoot: 'http://127.0.0.1:9' }, all.host, never)
  assert.deepEqual(await codeOf(nowhere), ['unreachable', undefined])
})

test('files are sent by their kind, with captions; a picture that is none goes as a file', async () => {
  await using all = await open()
  const put = async (name: string, bytes: Buffer | string) => {
    await writeFile(all.home.path(name), bytes)
    return all.home.path(name)
  }
  const send = (kind: 'image' | 'audio' | 'voice' | 'video' | 'document', path: string, caption?: string) =>
    all.connection.send(
      { ...chat, chatId: String(100 + all.service.messages.length) },
      { type: 'file', kind, path, ...(caption !== undefined && { caption }) },
      options,
      never,
    )
  await send('image', await put('a.png', '\u0089PNG'.replace('\u0089', '\u0089')), 'x')
  await send('image', await put('b.png', Buffer.from('\x89PNG\r\n', 'latin1')), '**see** 1.')
  await send('image', await put('c.gif', 'GIF89a'))
  await send('voice', await put('d.ogg', 'OggS'))
  await send('audio', await put('e.mp3', 'ID3'))
  await send('video', await put('f.mp4', 'mp4'))
  await send('document', await put('g.pdf', '%PDF'), 'y'.repeat(2_000))
  assert.deepEqual(
    all.service.messages.map(({ kind }) => kind),
    ['document', 'photo', 'animation', 'voice', 'audio', 'video', 'document'],
  )
  assert.equal(all.service.messages[1]?.text, 'see 1.')
  assert.equal(all.service.messages.at(-1)?.text.length, 1_024)
  assert.equal(all.service.messages.at(-1)?.file?.bytes.toString(), '%PDF')
  assert.deepEqual(await codeOf(send('document', '/nowhere/x')), ['refused', undefined])
})

test('buttons come back with their data, the answer is shown, and the card can be closed', async () => {
  await using all = await open({ environment: { TELEGRAM_REACTIONS: 'yes' } })
  const buttons = [
    { label: 'Allow once', data: 'hd:1:once' },
    { label: 'Deny', data: 'hd:1:deny' },
  ]
  const sent = await all.connection.send(chat, { type: 'text', text: 'May I?', buttons }, options, never)
  const card = all.service.messages[0] ?? assert.fail()
  all.service.press(card, 'Deny', 12)
  await all.service.until(() => all.service.world.callbackAnswers.length === 1)
  assert.deepEqual(all.presses, [{ chat, userId: '12', userName: 'Ann', data: 'hd:1:deny' }])
  assert.equal(all.service.world.callbackAnswers[0]?.text, 'Decided.')
  await all.connection.buttons?.close(sent, 'May I?\n\n⛔ Denied', never)
  assert.deepEqual([card.text, card.buttons], ['May I?\n\n⛔ Denied', []])
  await all.connection.typing?.show(chat, never)
  assert.deepEqual(all.service.world.actions, [{ chatId: 7, action: 'typing' }])
  const asked = String(all.service.write({ text: 'x' }))
  for (const mark of ['working', 'done', undefined] as const) {
    await all.connection.reactions?.react(chat, asked, mark, never)
  }
  assert.deepEqual(
    all.service.world.reactions.map(({ emoji }) => emoji),
    ['👀', '👍', ''],
  )
  await all.service.until(() => all.service.world.commands.length > 0)
  assert.ok(all.service.world.commands.some(({ command }) => command === 'stop'))
})

test('by webhook, only calls with the secret are taken, and what is not stored is brought again', async () => {
  const port = await freePort()
  const environment = {
    TELEGRAM_WEBHOOK_URL: `http://127.0.0.1:${port}/telegram`,
    TELEGRAM_WEBHOOK_PORT: String(port),
    TELEGRAM_WEBHOOK_SECRET: 'made-up_secret',
  }
  await using all = await open({ environment })
  let failures = 1
  all.host.store = async () => {
    if (failures-- > 0) throw new Error('the disk is full')
  }
  all.service.write({ text: 'by webhook' })
  await all.come(1)
  const call = (secret: string, body = '{"update_id":1}') =>
    fetch(environment.TELEGRAM_WEBHOOK_URL, {
      method: 'POST',
      body,
      headers: { 'x-telegram-bot-api-secret-token': secret },
    }).then(({ status }) => status)
  assert.deepEqual(
    [
      await call('wrong'),
      await call('made-up_secret', 'no json'),
      await call('made-up_secret', 'x'.repeat(2_000_000)),
      await call('made-up_secret'),
    ],
    [401, 400, 413, 200],
  )
  assert.deepEqual(all.texts(), ['by webhook'])
  assert.ok(!all.service.calls.some(({ method }) => method === 'getUpdates'))
  // Nothing is asked that would tell of a token that is no good any more.
  all.service.fail({ method: 'sendMessage', type: 'refuse', code: 401, description: 'Unauthorized' })
  const sent = all.connection.send(chat, { type: 'text', text: 'x' }, options, never)
  assert.deepEqual(await codeOf(sent), ['unauthorised', undefined])
  const reason = await all.connection.closed
  assert.ok(reason instanceof PlatformError && reason.code === 'unauthorised', String(reason))
})

test('what is set in part says what is missing', () => {
  const config = configSchema.parse({})
  const reason = (environment: Readonly<Record<string, string>>, own?: Readonly<Record<string, unknown>>) => {
    const setup = platform.read({ ...config, platforms: own ? { telegram: own } : {} } as never, environment)
    return setup.state === 'incomplete' ? setup.reason : setup.state
  }
  assert.equal(reason({}), 'absent')
  assert.match(reason({}, { enabled: true }), /TELEGRAM_BOT_TOKEN/)
  assert.match(reason({ TELEGRAM_BOT_TOKEN: 'your-token-here' }), /example/)
  assert.equal(reason({ TELEGRAM_BOT_TOKEN: '1:x' }, { enabled: false }), 'absent')
  assert.equal(reason({}, { token: '1:x' }), 'ready')
  assert.match(reason({ TELEGRAM_BOT_TOKEN: '1:x', TELEGRAM_WEBHOOK_URL: 'https://a.b/c' }), /TELEGRAM_WEBHOOK_SECRET/)
  assert.match(reason({ TELEGRAM_BOT_TOKEN: '1:x' }, { extra: { base_url: 'no url' } }), /base_url/)
})
