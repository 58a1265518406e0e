import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect as connectTo } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import type { TemporaryHome } from '@hermes/testing'
import { discordRates } from '@hermes/testing/discord/limits.ts'
import { startDiscord } from '@hermes/testing/discord/server.ts'
import type { DiscordOptions, DiscordStandIn } from '@hermes/testing/discord/server.ts'
import { ids } from '@hermes/testing/discord/world.ts'
import { isAuthorised } from '../../access/authorise.ts'
import { createPairingStore } from '../../access/pairing-store.ts'
import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { ButtonPress } from '../platform.ts'
import { discord as platform } from './index.ts'
import type { DiscordHost } from './index.ts'

const never = new AbortController().signal
const dm: ChatRef = { platform: 'discord', chatId: ids.dm, chatType: 'dm' }
const general: ChatRef = { platform: 'discord', chatId: ids.general, chatType: 'group' }
const mention = `<@${ids.me}>`
const named = { mentions: [{ id: ids.me, username: 'hermes', bot: true }] }

interface Given {
  readonly environment?: Readonly<Record<string, string>>
  readonly extra?: Readonly<Record<string, unknown>>
  readonly token?: string
  readonly service?: DiscordOptions
  /** Before it connects. */
  readonly prepare?: (service: DiscordStandIn, home: TemporaryHome) => void | Promise<void>
}

/** The adapter, connected to a stand-in of its own. */
async function open({ environment = {}, extra = {}, token, service: options, prepare }: Given = {}) {
  const service = await startDiscord(options)
  const home = await temporaryHome()
  const received: InboundMessage[] = []
  const presses: ButtonPress[] = []
  const variables = {
    ...home.environment,
    DISCORD_BOT_TOKEN: token ?? service.token,
    DISCORD_ALLOW_ALL_USERS: 'true',
    DISCORD_AUTO_THREAD: 'false',
    ...environment,
  }
  const pairing = createPairingStore(home, () => Date.now())
  const host: DiscordHost & { store: (message: InboundMessage) => Promise<void> } = {
    home,
    environment: variables,
    clock: systemClock(),
    log: silentLogger,
    courier: { find: async () => undefined, deliver: async () => {} },
    access: {
      isAuthorised: (source) => isAuthorised(source, { environment: variables, pairing, variablePrefix: 'DISCORD' }),
      requestCode: (userId, userName) => pairing.request('discord', userId, userName),
    },
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
  await prepare?.(service, home)
  const config = {
    ...configSchema.parse({}),
    platforms: { discord: { extra: { base_url: service.apiUrl, cdn_url: service.cdnUrl, ...extra } } },
  }
  const setup = platform.read(config as never, variables)
  assert.equal(setup.state, 'ready', JSON.stringify(setup))
  const read = setup.state === 'ready' ? setup.settings : undefined
  assert.ok(read)
  const settings = { ...read, timing: { ...read.timing, textBatchMs: 500, readyMs: 15_000, retryMs: 20 } }
  const connect = () => platform.connect(settings, host, never)
  const connection = await connect().catch(async (error: unknown) => {
    await service[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
    throw error
  })
  return {
    service,
    home,
    host,
    received,
    presses,
    connection,
    settings,
    connect,
    texts: () => received.map(({ text }) => text),
    come: (count: number) => service.until(() => received.length >= count),
    send: (text: string, to = dm, more: { replyTo?: string; key?: string; again?: () => Promise<unknown> } = {}) =>
      connection.send(to, { type: 'text', text }, { key: text, ...more }, never),
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

test('a message comes in with its chat, its person, its time and what it answers', async () => {
  await using all = await open()
  const id = all.service.write({
    content: 'hello',
    type: 19,
    timestamp: '2026-01-02T03:04:05.678000+00:00',
    referenced_message: { author: { id: ids.ann, username: 'ann' }, content: 'before' },
  })
  all.service.write({ channel: ids.general, user: ids.bob, content: `${mention}, in the lab`, ...named })
  await all.come(2)
  assert.deepEqual(all.received[0], {
    eventId: id,
    messageId: id,
    source: {
      platform: 'discord',
      account: ids.me,
      chatId: ids.dm,
      chatType: 'dm',
      chatName: 'Ann',
      userId: ids.ann,
      userName: 'Ann',
    },
    text: 'hello',
    attachments: [],
    replyToText: 'before',
    sentAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  })
  const { source, text } = all.received[1] ?? assert.fail()
  assert.equal(text, 'in the lab')
  assert.deepEqual(
    [source.chatType, source.chatId, source.chatName, source.chatTopic, source.userName],
    ['group', ids.general, 'Lab / #general', 'All things', 'bob.b'],
  )
})

test('in channels the settings say which messages are for the agent', async () => {
  await using all = await open({
    environment: { DISCORD_FREE_RESPONSE_CHANNELS: ids.other, DISCORD_IGNORED_CHANNELS: '700000000000000009' },
    prepare(service) {
      const inGuild = { guildId: ids.guild, type: 0 }
      service.world.channels.set('700000000000000009', { id: '700000000000000009', name: 'ignored', ...inGuild })
      const thread = { guildId: ids.guild, type: 11 }
      service.world.channels.set('710000000000000001', {
        id: '710000000000000001',
        name: 'free thread',
        parentId: ids.other,
        ...thread,
      })
      service.world.channels.set('710000000000000002', {
        id: '710000000000000002',
        name: 'unknown',
        parentId: ids.general,
        ...thread,
      })
      service.world.channels.set('710000000000000003', {
        id: '710000000000000003',
        name: 'How?',
        parentId: ids.forum,
        ...thread,
      })
    },
  })
  const say = (content: string, channel: string = ids.general, more: Readonly<Record<string, unknown>> = {}) =>
    all.service.write({ channel, content, ...more })
  say('not for it')
  say(`${mention} one`, ids.general, named)
  say('free', ids.other)
  say('someone else is named', ids.other, { mentions: [{ id: ids.bob, username: 'bob.b' }] })
  say('another bot is named', ids.other, { mentions: [{ id: ids.otherBot, username: 'other', bot: true }] })
  say(`${mention} ignored`, '700000000000000009', named)
  say('its role', ids.general, { mention_roles: [all.service.world.guild.botRoleId] })
  say('a reply', ids.general, {
    type: 19,
    referenced_message: { author: { id: ids.me, username: 'hermes' }, content: 'x' },
  })
  say('a pin', ids.other, { type: 6 })
  say('thread of a free channel', '710000000000000001')
  say('unknown thread', '710000000000000002')
  say(`${mention} now known`, '710000000000000002', named)
  await all.service.until(() => all.texts().includes('now known'))
  say('known thread', '710000000000000002')
  say(`${mention} in a forum`, '710000000000000003', named)
  await all.come(8)
  assert.deepEqual(all.texts().toSorted(), [
    'a reply',
    'free',
    'in a forum',
    'its role',
    'known thread',
    'now known',
    'one',
    'thread of a free channel',
  ])
  const forum = all.received.find(({ text }) => text === 'in a forum')?.source
  assert.deepEqual(
    [forum?.chatType, forum?.chatId, forum?.threadId, forum?.chatName, forum?.chatTopic],
    ['thread', '710000000000000003', '710000000000000003', 'Lab / questions / How?', 'Ask here'],
  )
  const threads: unknown = JSON.parse(await readFile(all.home.path('discord_threads.json'), 'utf8'))
  assert.ok(Array.isArray(threads) && threads.includes('710000000000000002'))
})

test('only allowed channels are heard where some are named, and bots by their setting', async () => {
  await using all = await open({
    environment: { DISCORD_ALLOWED_CHANNELS: ids.other, DISCORD_ALLOW_BOTS: 'Mentions', DISCORD_REQUIRE_MENTION: 'no' },
  })
  all.service.write({ channel: ids.general, content: `${mention} elsewhere`, ...named })
  all.service.write({ channel: ids.other, user: ids.otherBot, content: 'a bot talks' })
  all.service.write({ channel: ids.other, user: ids.otherBot, content: `${mention} a bot asks`, ...named })
  all.service.write({ channel: ids.other, content: 'here' })
  await all.come(2)
  assert.deepEqual(all.texts().toSorted(), ['a bot asks', 'here'])
})

test('people are let in by id, unique name or role, never by a display name; strangers of channels get nothing', async () => {
  await using all = await open({
    environment: {
      DISCORD_ALLOW_ALL_USERS: '',
      DISCORD_ALLOWED_USERS: `<@!${ids.ann}>, Ann, @bob.b, role:820000000000000005`,
      DISCORD_REQUIRE_MENTION: 'false',
      DISCORD_AUTO_THREAD: 'true',
    },
    prepare(service) {
      service.world.users.set('1', { id: '1', username: 'mallory', global_name: 'Ann' })
      service.world.users.set('2', { id: '2', username: ids.ann, global_name: null })
      service.world.users.set('3', { id: '3', username: 'carl', global_name: null })
      service.world.roles.set('3', ['820000000000000005'])
    },
  })
  for (const user of [ids.ann, ids.bob, '1', '2', '3']) {
    all.service.write({ channel: ids.general, user, content: `I am ${user}` })
  }
  await all.come(3)
  assert.deepEqual(all.texts().toSorted(), ['I am 3', `I am ${ids.ann}`, `I am ${ids.bob}`])
  const threads = all.service.calls.filter(({ route }) => route.endsWith('/threads'))
  assert.equal(threads.length, 3, 'no thread is made for a stranger')
  all.service.write({ user: '1', content: 'let me in' })
  await all.come(4)
})

test('a message of a channel gets a thread, and its answer, reactions and follow-ups find their places', async () => {
  await using all = await open({
    environment: { DISCORD_AUTO_THREAD: 'true', DISCORD_NO_THREAD_CHANNELS: ids.other },
    extra: { channel_skill_bindings: [{ id: ids.general, skill: 'a', skills: ['b', 'a'] }] },
  })
  const asked = all.service.write({ channel: ids.general, content: `${mention} ${'long '.repeat(40)}`, ...named })
  all.service.write({ channel: ids.other, content: `${mention} here`, ...named })
  await all.come(2)
  const threaded = all.received.find(({ messageId }) => messageId === asked) ?? assert.fail()
  assert.deepEqual(
    [threaded.source.chatType, threaded.source.chatId, threaded.source.threadId],
    ['thread', asked, asked],
  )
  assert.deepEqual(threaded.skills, ['a', 'b'])
  const name = all.service.world.channels.get(asked)?.name ?? ''
  assert.ok(name.length === 80 && name.endsWith('...'), name)
  assert.equal(all.received.find(({ text }) => text === 'here')?.source.chatType, 'group')
  const chat: ChatRef = { platform: 'discord', chatId: asked, chatType: 'thread', threadId: asked }
  await all.send('the answer', chat, { replyTo: asked })
  const [answer] = all.service.messages
  assert.deepEqual([answer?.channelId, answer?.replyTo], [asked, undefined])
  for (const mark of ['working', 'done', undefined] as const) {
    await all.connection.reactions?.react(chat, asked, mark, never)
  }
  assert.deepEqual(
    all.service.world.reactions.map(({ channelId, emoji, act }) => [channelId === ids.general, emoji, act]),
    [
      [true, '👀', 'add'],
      [true, '👀', 'remove'],
      [true, '✅', 'add'],
      [true, '👀', 'remove'],
    ],
  )
  all.service.write({ channel: asked, content: 'and then?' })
  await all.come(3)
  assert.equal(all.received[2]?.source.threadId, asked)
  all.service.world.threadless.add(ids.general)
  all.service.write({ channel: ids.general, content: `${mention} no thread`, ...named })
  await all.come(4)
  assert.equal(all.received[3]?.source.chatId, ids.general)
})

test('files go to the caches; what is too large, elsewhere or gone is told in words', async () => {
  await using all = await open()
  const png = Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1')
  const file = (name: string, bytes: Buffer | string, type: string) =>
    all.service.addFile(name, Buffer.from(bytes), { content_type: type })
  all.service.write({
    content: 'look',
    attachments: [
      file('a.png', png, 'image/png'),
      file('n.md', '# Hi', 'text/markdown; charset=utf-8'),
      file('b.txt', 'two', 'text/plain'),
    ],
  })
  all.service.write({ flags: 8_192, attachments: [file('voice-message.ogg', 'OggS', 'audio/ogg')] })
  all.service.write({ attachments: [{ ...file('big.zip', 'x', 'application/zip'), size: 34_000_000 }] })
  all.service.write({
    attachments: [{ ...file('away.pdf', 'x', 'application/pdf'), url: 'http://127.0.0.1:9/away.pdf' }],
  })
  all.service.write({
    attachments: [{ ...file('gone.pdf', 'x', 'application/pdf'), url: `${all.service.cdnUrl}/attachments/0/gone.pdf` }],
  })
  all.service.write({ sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] })
  all.service.write({ message_snapshots: [{ message: { content: 'from elsewhere' } }] })
  all.service.write({
    poll: {
      question: { text: 'When?' },
      answers: [{ poll_media: { text: 'now' } }, { poll_media: { text: 'later' } }],
    },
  })
  await all.come(8)
  const [look, voice, big, away, gone, sticker, forwarded, poll] = all.received
  assert.deepEqual(
    look?.attachments.map(({ kind, mimeType }) => [kind, mimeType]),
    [
      ['image', 'image/png'],
      ['document', 'text/markdown'],
      ['document', 'text/plain'],
    ],
  )
  assert.deepEqual(await readFile(look?.attachments[0]?.path ?? ''), png)
  assert.deepEqual([voice?.attachments[0]?.kind, voice?.text], ['voice', ''])
  assert.match(big?.text ?? '', /"big\.zip", which is larger than the 32 MB/)
  assert.match(away?.text ?? '', /"away\.pdf", which could not be fetched/)
  assert.match(gone?.text ?? '', /"gone\.pdf", which could not be fetched/)
  assert.match(sticker?.text ?? '', /sticker "Wave"/)
  assert.match(forwarded?.text ?? '', /forwarded a message:\]\nfrom elsewhere/)
  assert.match(poll?.text ?? '', /poll: When\? \(now \/ later\)/)
})

test('a long text that goes on is one message, and the order of a person is kept past slow files', async () => {
  await using all = await open()
  all.service.write({
    attachments: [all.service.addFile('a.txt', Buffer.from('x'), { content_type: 'text/plain' })],
    content: 'file',
  })
  all.service.write({ content: 'x'.repeat(2_000) })
  all.service.write({ content: 'end' })
  all.service.write({ content: 'next' })
  await all.come(3)
  assert.deepEqual(
    all.texts().map((text) => text.length),
    [4, 2_003, 4],
  )
})

test('a broken connection is resumed; what comes again is known, what came meanwhile is there', async () => {
  await using all = await open()
  all.service.write({ content: 'one' })
  await all.come(1)
  all.service.gateway.repeats = 10
  all.service.gateway.drop()
  all.service.write({ content: 'two' })
  await all.come(2)
  all.service.gateway.drop(4_000)
  all.service.write({ content: 'three' })
  await all.come(3)
  all.service.gateway.say('reconnect')
  all.service.write({ content: 'four' })
  await all.come(4)
  const identified = () => all.service.gateway.heard.filter(({ op }) => op === 2).length
  assert.equal(identified(), 1)
  all.service.gateway.say('invalid')
  const away = all.service.keep({ content: 'five' })
  await all.come(5)
  assert.equal(identified(), 2)
  assert.deepEqual(all.texts(), ['one', 'two', 'three', 'four', 'five'])
  assert.equal(all.received[4]?.messageId, away)
})

test('what was written while nothing ran is read at the next start, once, and not what is older than a day', async () => {
  await using all = await open()
  all.service.write({ content: 'before' })
  all.service.write({ channel: ids.other, content: 'not for it' })
  all.service.write({ channel: ids.general, content: `${mention} in a channel`, ...named })
  await all.come(2)
  await all.connection[Symbol.asyncDispose]()
  all.service.keep({ content: 'while away' })
  all.service.keep({ content: 'long ago', timestamp: '2020-01-01T00:00:00.000Z' })
  all.service.keep({ channel: ids.general, content: 'still not for it' })
  all.service.keep({ channel: ids.general, content: `${mention} also away`, ...named })
  await using again = await all.connect()
  assert.equal(again.account, ids.me)
  await all.come(4)
  assert.deepEqual(all.texts().slice(2).toSorted(), ['also away', 'while away'])
  assert.ok(
    !all.service.calls.some(
      ({ params, route }) => route.startsWith('GET /channels/:channel/messages') && params['channel'] === ids.other,
    ),
  )
})

test('however much was written while nothing ran, all of it is read, in order', async () => {
  await using all = await open()
  all.service.write({ content: 'before' })
  await all.come(1)
  await all.connection[Symbol.asyncDispose]()
  const missed = Array.from({ length: 230 }, (_, n) => `message ${n}`)
  for (const content of missed) all.service.keep({ content })
  await using _again = await all.connect()
  await all.come(231)
  assert.deepEqual(all.texts().slice(1), missed)
})

test('a message in a place that is closed to us is left', async () => {
  await using all = await open()
  const failed: unknown[] = []
  Object.assign(all.host, { log: { ...silentLogger, error: (...said: unknown[]) => void failed.push(said) } })
  const place = all.service.world.channels.get(ids.general) ?? assert.fail()
  all.service.world.channels.set('555', { ...place, id: '555' })
  all.service.keep({ channel: '555', content: `${mention} hello`, ...named })
  all.service.world.channels.delete('555')
  all.service.gateway.dispatch('MESSAGE_CREATE', all.service.world.written.at(-1) ?? {})
  const isAsked = ({ params, route }: (typeof all.service.calls)[number]) =>
    route === 'GET /channels/:channel' && params['channel'] === '555'
  await all.service.until(() => all.service.calls.some(isAsked))
  all.service.write({ content: 'and here?' })
  await all.come(1)
  assert.deepEqual(failed, [])
})

test('a message that cannot be stored is tried again until it can', async () => {
  await using all = await open()
  let failures = 1
  all.host.store = async () => {
    if (failures-- > 0) throw new Error('the disk is full')
  }
  all.service.write({ content: 'first' })
  all.service.write({ content: 'second' })
  await all.come(2)
  assert.deepEqual(all.texts(), ['first', 'second'])
})

test('a service that answers no beats is left, and one that cannot be reached ends the connection', async () => {
  await using all = await open({ service: { heartbeatMs: 300 } })
  all.service.gateway.isDeaf = true
  await all.service.until(() => all.service.gateway.heard.some(({ op }) => op === 6))
  all.service.gateway.isDeaf = false
  all.service.isReachable = false
  const reason = await all.connection.closed
  assert.ok(reason instanceof PlatformError && reason.code === 'unreachable', String(reason))
})

test('a wrong token, a missing intent and an unreachable service are told apart, and no error holds the token', async () => {
  assert.deepEqual(await codeOf(open({ token: 'made-up-token.of.another' })), ['unauthorised', undefined])
  const noIntent = open({ prepare: (service) => void (service.gateway.forbidden = 1 << 15) })
  await assert.rejects(noIntent, /"Message Content Intent"/)
  assert.deepEqual(await codeOf(open({ prepare: (service) => void (service.gateway.forbidden = 1 << 15) })), [
    'refused',
    undefined,
  ])
  const gone = await startDiscord()
  await gone[Symbol.asyncDispose]()
  assert.deepEqual(await codeOf(open({ extra: { base_url: gone.apiUrl } })), ['unreachable', undefined])
  await using all = await open()
  all.service.gateway.drop(4_004)
  const reason = await all.connection.closed
  assert.ok(reason instanceof PlatformError && reason.code === 'unauthorised', String(reason))
})

test('all goes through the proxy of its own that is set', async () => {
  const passed: string[] = []
  let port = 0
  const proxy = createServer().on('connect', (request, stream: Socket) => {
    passed.push(request.url ?? '')
    const onward = connectTo(port, '127.0.0.1', () => {
      stream.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      onward.pipe(stream).pipe(onward)
    })
    onward.on('error', () => stream.destroy())
    stream.on('error', () => onward.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  try {
    await using all = await open({
      environment: { DISCORD_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
      extra: { base_url: 'http://discord.test/api', cdn_url: 'http://cdn.discord.test' },
      prepare(service) {
        port = Number(new URL(service.apiUrl).port)
        service.gateway.url = 'ws://gateway.discord.test'
      },
    })
    const file = all.service.addFile('a.txt', Buffer.from('bytes'), { content_type: 'text/plain' })
    const url = String(file['url']).replace(all.service.cdnUrl, 'http://cdn.discord.test')
    all.service.write({ content: 'hello', attachments: [{ ...file, url }] })
    await all.come(1)
    assert.equal(all.received[0]?.attachments.length, 1)
    await writeFile(all.home.path('b.txt'), 'sent')
    const part = { type: 'file', kind: 'document', path: all.home.path('b.txt') } as const
    await all.connection.send(dm, part, { key: 'k' }, never)
    assert.equal(all.service.messages[0]?.files[0]?.bytes.toString(), 'sent')
    const hosts = ['discord.test:80', 'gateway.discord.test:80', 'cdn.discord.test:80']
    assert.ok(
      hosts.every((host) => passed.includes(host)),
      passed.join(),
    )
  } finally {
    proxy.close()
  }
})

test('text is sent in Discord’s Markdown, as a reply, once for one key, and mentions everybody never', async () => {
  await using all = await open()
  const asked = all.service.write({ content: 'hi' })
  const sent = await all.send('#### Deep\n**Yes.** @everyone', dm, { replyTo: asked, key: 'k1' })
  const again = await all.send('#### Deep\n**Yes.** @everyone', dm, { replyTo: asked, key: 'k1' })
  assert.equal(again.messageId, sent.messageId)
  const [message] = all.service.messages
  assert.deepEqual([message?.content, message?.replyTo], ['**Deep**\n**Yes.** @everyone', asked])
  assert.deepEqual(message?.body['allowed_mentions'], { parse: ['users'], replied_user: true })
  await all.send('what it answers is gone', general, { replyTo: '999' })
  const pin = all.service.write({ channel: ids.general, content: '', type: 6 })
  let waits = 0
  await all.send('a notice cannot be answered', general, { replyTo: pin, again: async () => waits++ })
  assert.equal(waits, 1, 'what is sent again waits for its turn')
  assert.deepEqual(
    all.service.messages.slice(1).map(({ replyTo }) => replyTo),
    [undefined, undefined],
  )
  assert.equal((await all.send(' \n')).messageId, '')
  await all.connection.editing?.edit(sent, 'now *this*', never)
  assert.equal(all.service.messages[0]?.content, 'now *this*')
  await all.connection.editing?.remove?.(sent, never)
  assert.equal(all.service.messages[0]?.isDeleted, true)
  assert.deepEqual(await codeOf(all.connection.editing?.edit(sent, 'x', never) ?? Promise.resolve()), [
    'gone',
    undefined,
  ])
  await all.connection.typing?.show(general, never)
  assert.deepEqual(all.service.world.typing, [ids.general])
})

test('what the service says comes out as the gateway’s codes', async () => {
  await using all = await open()
  const route = 'POST /channels/:channel/messages'
  const send = (text = 'x', to = dm) => codeOf(all.send(text, to))
  const refuse = (status: number, code: number, message = '') =>
    all.service.fail({ route, type: 'refuse', status, code, message })
  assert.deepEqual(await send('x', { ...general, chatId: '700000000000000099' }), ['gone', undefined])
  refuse(403, 50_013, 'Missing Permissions')
  assert.deepEqual(await send(), ['refused', undefined])
  refuse(403, 50_001, 'Missing Access')
  assert.deepEqual(await send(), ['gone', undefined])
  assert.deepEqual(await send('y'.repeat(2_001)), ['too-long', undefined])
  all.service.world.blocked.add(ids.dm)
  assert.deepEqual(await send(), ['refused', undefined])
  all.service.world.blocked.clear()
  refuse(500, 0)
  assert.deepEqual(await send(), ['uncertain', undefined])
  all.service.fail({ route, type: 'page', status: 502 })
  assert.deepEqual(await send(), ['uncertain', undefined])
  all.service.fail({ route, type: 'drop-after' })
  assert.deepEqual(await send('once'), ['uncertain', undefined])
  await all.send('once')
  assert.equal(all.service.messages.filter(({ content }) => content === 'once').length, 1)
  refuse(401, 0)
  assert.deepEqual(await send(), ['unauthorised', undefined])
})

test('limits hold: an empty bucket is waited for, a refusal is told with its time, and a global one closes all', async () => {
  const buckets = { ...discordRates.buckets, messages: { calls: 2, ms: 300 } }
  await using all = await open({ service: { rates: { perSecond: 50, buckets } } })
  const route = 'POST /channels/:channel/messages'
  for (let n = 0; n < 5; n++) await all.send(`message ${n}`, general)
  assert.deepEqual(all.service.refusals, [], 'nothing is sent that would be refused')
  all.service.fail({ route, type: 'limit', retryAfter: 17.5, isGlobal: false })
  assert.deepEqual(await codeOf(all.send('x')), ['rate-limited', 17_500])
  const before = all.service.calls.length
  const [code, wait] = await codeOf(all.send('y'))
  assert.deepEqual([code, Number(wait) > 1_000, all.service.calls.length], ['rate-limited', true, before])
  await all.connection.typing?.show(dm, never)
  all.service.fail({ route, type: 'limit', retryAfter: 9, isGlobal: true })
  assert.deepEqual(await codeOf(all.send('z', { ...general, chatId: ids.other })), ['rate-limited', 9_000])
  assert.equal((await codeOf(all.connection.typing?.show(dm, never) ?? Promise.resolve()))[0], 'rate-limited')
})

test('files are sent with captions, Opus as a voice message, and what is too large is told', async () => {
  await using all = await open()
  const put = async (name: string, bytes: Buffer | string) => {
    await writeFile(all.home.path(name), bytes)
    return all.home.path(name)
  }
  const send = (kind: 'image' | 'voice' | 'document', path: string, caption?: string) =>
    all.connection.send(
      { ...general, chatId: all.service.messages.length < 3 ? ids.general : ids.other },
      { type: 'file', kind, path, ...(caption !== undefined && { caption }) },
      { key: path },
      never,
    )
  // Two seconds of Opus: a page's position counts steps of which 48,000 are a second.
  const page = Buffer.alloc(27)
  page.write('OggS')
  page.writeBigInt64LE(96_000n, 6)
  const opus = Buffer.concat([Buffer.from('OggS\0\0'), Buffer.alloc(21), Buffer.from('OpusHead'), page])
  await send('image', await put('a.png', 'PNG'), '**see**')
  await send('voice', await put('b.ogg', opus))
  await send('voice', await put('c.mp3', 'ID3'))
  assert.deepEqual(
    all.service.messages.map(({ content, files, body }) => [content, files[0]?.name, body['flags']]),
    [
      ['**see**', 'a.png', undefined],
      ['', 'voice-message.ogg', 8_192],
      ['', 'c.mp3', undefined],
    ],
  )
  const [about] = (all.service.messages[1]?.body['attachments'] ?? []) as readonly { duration_secs: number }[]
  assert.equal(about?.duration_secs, 2)
  all.service.fail({
    route: 'POST /channels/:channel/messages',
    type: 'refuse',
    status: 403,
    code: 50_173,
    message: 'no voice',
  })
  await send('voice', await put('d.ogg', opus))
  assert.deepEqual(all.service.messages[3]?.files[0]?.name, 'd.ogg')
  assert.deepEqual(await codeOf(send('document', await put('big.bin', Buffer.alloc(11 * 1024 * 1024)))), [
    'too-long',
    undefined,
  ])
  assert.deepEqual(await codeOf(send('document', '/nowhere/x')), ['refused', undefined])
})

test('buttons come back with their data, the answer is shown to who pressed, and the card can be closed', async () => {
  await using all = await open()
  const buttons = Array.from({ length: 7 }, (_, n) => ({
    label: n === 6 ? 'x'.repeat(90) : `Choice ${n}`,
    data: `hd:1:${n}`,
  }))
  const sent = await all.connection.send(general, { type: 'text', text: 'May I?', buttons }, { key: 'card' }, never)
  const card = all.service.messages[0] ?? assert.fail()
  assert.equal(card.buttons.length, 7)
  all.service.press(card, 'Choice 2', ids.bob)
  await all.service.until(() => all.service.world.answers.length === 1)
  assert.deepEqual(all.presses, [{ chat: general, userId: ids.bob, userName: 'bob.b', data: 'hd:1:2' }])
  const [answer] = all.service.world.answers
  assert.deepEqual([answer?.content, answer?.isEphemeral], ['Decided.', true])
  await all.connection.buttons?.close(sent, 'May I?\n\n⛔ Denied', never)
  assert.deepEqual([card.content, card.buttons], ['May I?\n\n⛔ Denied', []])
})

test('the gateway’s commands are Discord’s, set only where they changed, and calls come as messages, once', async () => {
  await using all = await open({ environment: { DISCORD_IGNORED_CHANNELS: ids.other } })
  await all.service.until(() => all.service.world.commandWrites === 1)
  const names = all.service.world.commands.map(({ name }) => name)
  assert.ok(['stop', 'new', 'reload-mcp'].every((name) => names.includes(name)))
  const id = all.service.command('model', { name: 'some/model', global: true }, { channel: ids.general })
  all.service.command('status', {})
  all.service.command('status', {}, { channel: ids.other })
  await all.come(2)
  assert.deepEqual(all.texts().toSorted(), ['/model some/model --global', '/status'])
  const model = all.received.find(({ text }) => text.startsWith('/model'))
  assert.deepEqual([model?.eventId, model?.messageId, model?.source.chatType], [id, undefined, 'group'])
  await all.service.until(() => all.service.world.answers.filter(({ isDeleted }) => isDeleted).length === 2)
  assert.ok(all.service.world.answers.every(({ type, isEphemeral }) => type === 5 && isEphemeral))
  await all.service.until(() =>
    all.service.world.answers.some(({ content }) => /not answer in this channel/.test(content)),
  )
  const asked = () =>
    all.service.calls.filter(({ route }) => route === 'GET /applications/:application/commands').length
  await all.connection[Symbol.asyncDispose]()
  await using again = await all.connect()
  assert.equal(again.account, ids.me)
  await all.service.until(() => asked() === 2)
  all.service.write({ content: 'after' })
  await all.come(3)
  assert.equal(all.service.world.commandWrites, 1)
})

test('buttons of a message can be changed, and the channels of text are listed', async () => {
  await using all = await open()
  const first = [{ label: 'One', data: 'hm:1:0' }]
  const sent = await all.connection.send(dm, { type: 'text', text: 'Choose', buttons: first }, { key: 'k' }, never)
  const next = ['Two', 'Three'].map((label, at) => ({ label, data: `hm:1:${at}` }))
  await all.connection.buttons?.change?.(sent, 'Choose again', next, never)
  const card = all.service.messages.at(-1) ?? assert.fail()
  assert.deepEqual([card.content, card.buttons.map(({ label }) => label)], ['Choose again', ['Two', 'Three']])
  const listed = (await all.connection.channels?.list(never)) ?? []
  assert.deepEqual(
    listed.find(({ id }) => id === ids.general),
    { id: ids.general, name: 'general', type: 'channel', guild: 'Lab' },
  )
})

test('what is set in part says what is missing', () => {
  const config = configSchema.parse({})
  const reason = (environment: Readonly<Record<string, string>>, own?: Readonly<Record<string, unknown>>) => {
    const setup = platform.read({ ...config, platforms: own ? { discord: own } : {} } as never, environment)
    return setup.state === 'incomplete' ? setup.reason : setup.state
  }
  assert.equal(reason({}), 'absent')
  assert.match(reason({}, { enabled: true }), /DISCORD_BOT_TOKEN/)
  assert.match(reason({ DISCORD_BOT_TOKEN: 'your-token-here' }), /example/)
  assert.equal(reason({ DISCORD_BOT_TOKEN: 'x' }, { enabled: false }), 'absent')
  assert.equal(reason({}, { token: 'x' }), 'ready')
  assert.match(reason({ DISCORD_BOT_TOKEN: 'x', DISCORD_PROXY: 'ftp://a' }), /DISCORD_PROXY/)
  assert.match(reason({ DISCORD_BOT_TOKEN: 'x' }, { extra: { base_url: 'no url' } }), /base_url/)
})
