import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { buttonsOf } from '@hermes/testing/slack/blocks.ts'
import { signed } from '@hermes/testing/slack/delivery.ts'
import { startSlack } from '@hermes/testing/slack/server.ts'
import type { SlackOptions } from '@hermes/testing/slack/server.ts'
import type { InboundMessage, MessageSource } from '../../messages/inbound-message.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { ButtonPress, Connection } from '../platform.ts'
import type { SlackHost } from './connect.ts'
import { slack as platform } from './index.ts'
import type { SlackTiming } from './settings.ts'

const never = new AbortController().signal
const chat: ChatRef = { platform: 'slack', chatId: 'D1', chatType: 'dm' }
const options = { key: 'k' }
const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

interface Given extends SlackOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly extra?: Readonly<Record<string, unknown>>
  readonly timing?: Partial<SlackTiming>
  readonly token?: string
  /** Threads that have a conversation. */
  readonly sessions?: readonly string[]
  readonly isAuthorised?: (source: MessageSource) => boolean
  readonly prepare?: (service: Awaited<ReturnType<typeof startSlack>>) => void
}

/** The adapter, connected to a stand-in of its own. */
async function open(given: Given = {}) {
  const service = await startSlack(given)
  given.prepare?.(service)
  const home = await temporaryHome()
  const received: InboundMessage[] = []
  const presses: ButtonPress[] = []
  const variables = {
    ...home.environment,
    SLACK_BOT_TOKEN: given.token ?? service.botToken,
    SLACK_APP_TOKEN: service.appToken,
    ...given.environment,
  }
  const sessions = new Set(given.sessions)
  const host: SlackHost & { store: (message: InboundMessage) => Promise<void> } = {
    home,
    environment: variables,
    clock: systemClock(),
    log: silentLogger,
    courier: { find: async () => undefined, deliver: async () => {} },
    chats: {
      sessions: {
        // The adapter asks no more of it than whether it is there.
        inChat: async ({ threadId }) => (sessions.has(threadId ?? '') ? ({} as never) : undefined),
      },
    },
    access: { isAuthorised: async (source) => given.isAuthorised?.(source) ?? true },
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
    platforms: { slack: { extra: { base_url: `${service.url}/api`, ...given.extra } } },
  }
  const setup = platform.read(config as never, variables)
  assert.equal(setup.state, 'ready', JSON.stringify(setup))
  const read = setup.state === 'ready' ? setup.settings : assert.fail()
  const settings = { ...read, timing: { ...read.timing, retryMs: 20, downloadRetryMs: 5, ...given.timing } }
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
    sessions,
    received,
    presses,
    connection,
    settings,
    connect,
    texts: () => received.map(({ text }) => text),
    come: (count: number) => service.until(() => received.length >= count),
    settle: () => service.until(() => service.deliverer.pending === 0),
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

test('a message comes in with its chat and its person, in readable text', async () => {
  await using all = await open()
  const ts = all.service.write({
    text: 'a &lt; b: <https://a.b/?x&amp;y|see> <@U2> <#C1|general> <mailto:a@b.c|a@b.c>',
  })
  await all.come(1)
  const { sentAt, ...message } = all.received[0] ?? assert.fail()
  assert.ok(Math.abs(sentAt - Date.now()) < 5_000)
  assert.deepEqual(message, {
    eventId: ts,
    messageId: ts,
    source: {
      platform: 'slack',
      account: 'T1',
      chatId: 'D1',
      chatType: 'dm',
      chatName: 'Ann',
      userId: 'U1',
      userName: 'Ann',
    },
    text: 'a < b: see (https://a.b/?x&y) @Ben #general a@b.c',
    attachments: [],
  })
  all.service.write({ text: 'in a thread', threadTs: ts })
  await all.come(2)
  all.service.write({ text: 'among a few', channel: 'G1' })
  await all.come(3)
  assert.deepEqual(
    all.received.slice(1).map(({ source }) => [source.chatType, source.threadId]),
    [
      ['dm', ts],
      ['dm', undefined],
    ],
  )
})

test('in channels a mention is needed, or a thread that is the agent’s; each message begins a thread of its own', async () => {
  await using all = await open({ environment: { SLACK_FREE_RESPONSE_CHANNELS: 'C5' }, sessions: ['known'] })
  const place = all.service.world.channels.get('C1') ?? assert.fail()
  all.service.world.channels.set('C5', { ...place, id: 'C5', name: 'free' })
  const say = (text: string, more: Readonly<Record<string, unknown>> = {}) => {
    return all.service.write({ channel: 'C1', text, ...more })
  }
  say('not for it')
  say('<@UBOTANY> is another')
  const one = say('hey <@UBOT> one')
  say('<@UBOT|hermes>, two')
  await all.come(2)
  const thread = say('not for it either')
  say('three', { threadTs: one })
  say('nobody', { threadTs: thread })
  say('four', { threadTs: 'known' })
  say('five', { channel: 'C5' })
  const own = await all.connection.send(
    { ...chat, chatId: 'C1', chatType: 'group' },
    { type: 'text', text: 'News' },
    options,
    never,
  )
  say('six', { threadTs: own.messageId })
  const begun = say('begun by others')
  await all.connection.send(
    { ...chat, chatId: 'C1', chatType: 'group', threadId: begun },
    { type: 'text', text: 'x' },
    options,
    never,
  )
  say('seven', { threadTs: begun })
  say('<@UBOT>')
  await all.come(8)
  await all.settle()
  const said = all.texts().toSorted()
  assert.deepEqual(said, ['@UBOT', 'five', 'four', 'hey one', 'seven', 'six', 'three', 'two'])
  const first = all.received.find(({ text }) => text === 'hey one')
  assert.deepEqual([first?.source.chatType, first?.source.chatName, first?.source.threadId], ['group', 'general', one])
})

test('without need of a mention all are heard; a setting that is no word changes nothing', async () => {
  await using loose = await open({ environment: { SLACK_REQUIRE_MENTION: 'off' }, extra: { reply_in_thread: false } })
  loose.service.write({ channel: 'C1', text: 'heard' })
  await loose.come(1)
  assert.equal(loose.received[0]?.source.threadId, undefined)
  await using strict = await open({ environment: { SLACK_REQUIRE_MENTION: 'perhaps' } })
  strict.service.write({ channel: 'C1', text: 'not heard' })
  await strict.settle()
  assert.deepEqual(strict.texts(), [])
})

test('edits, deletions, joins, mentions a second time and our own messages are acknowledged and nothing more', async () => {
  await using all = await open()
  const base = { type: 'message', channel: 'D1', channel_type: 'im', ts: '1.1' }
  for (const event of [
    { ...base, subtype: 'message_changed', hidden: true, message: { text: 'edited', user: 'U1' } },
    { ...base, subtype: 'message_deleted', hidden: true, deleted_ts: '1.0' },
    { ...base, subtype: 'channel_join', user: 'U1', text: 'joined' },
    { ...base, user: 'UBOT', bot_id: 'BBOT', text: 'our own' },
    { ...base, bot_id: 'BBOT', subtype: 'bot_message', text: 'our own' },
    { type: 'app_mention', channel: 'C1', user: 'U1', text: '<@UBOT> hi', ts: '1.2' },
    { type: 'reaction_added', user: 'U1', reaction: 'eyes' },
    { type: 'message', ts: 5 },
    { ...base, ts: '1.0', user: 'U1', text: '' },
  ]) {
    all.service.give(event)
  }
  all.service.give({ ...base, user: 'U1', text: 'a message' })
  await all.settle()
  assert.deepEqual(all.texts(), ['a message'])
  assert.equal(all.service.deliverer.acknowledged.length, 10)
})

test('other bots are heard as the settings say, and never without end', async () => {
  const bot = { bot_id: 'B9', user: 'U9' }
  await using none = await open()
  none.service.write({ text: 'from a bot', ...bot })
  await none.settle()
  assert.deepEqual(none.texts(), [])
  await using mentions = await open({ environment: { SLACK_ALLOW_BOTS: 'Mentions' } })
  mentions.service.write({ channel: 'C1', text: 'not named', ...bot })
  mentions.service.write({ channel: 'C1', text: '<@UBOT> named', ...bot })
  await mentions.settle()
  assert.deepEqual(mentions.texts(), ['named'])
  await using everyone = await open({ environment: { SLACK_ALLOW_BOTS: 'all' } })
  for (let n = 0; n < 20; n++) everyone.service.write({ text: `say ${n}`, ...bot })
  await everyone.settle()
  assert.equal(everyone.received.length, 6)
  everyone.service.write({ text: 'a person' })
  everyone.service.write({ text: 'and a bot', ...bot })
  await everyone.come(8)
})

test('an event is acknowledged when it is stored, comes again until it is, and is taken once', async () => {
  await using all = await open({ ackMs: 150 })
  let failures = 2
  all.host.store = async () => {
    if (failures-- > 0) throw new Error('the disk is full')
  }
  all.service.write({ text: 'stored at last' })
  await all.settle()
  assert.deepEqual(all.texts(), ['stored at last'])
  assert.equal(all.service.deliverer.acknowledged[0]?.tries, 3)
  const ts = all.service.write({ text: 'twice' })
  all.service.give({ type: 'message', channel: 'D1', channel_type: 'im', user: 'U1', text: 'twice', ts })
  await all.settle()
  assert.deepEqual(all.texts(), ['stored at last', 'twice'])
})

test('what takes long is kept on disk and acknowledged in time, also over the end of the process', async () => {
  await using all = await open({ timing: { ackMs: 30 } })
  const files = [all.service.addFile('a.txt', 'text/plain', 'hello')]
  all.service.fail({ method: 'download', type: 'delay', ms: 400 })
  all.service.write({ text: 'look', files })
  await all.settle()
  assert.deepEqual(all.texts(), [], 'acknowledged before it is here')
  const folder = all.home.path('platforms', 'slack', 'pending')
  assert.equal((await readdir(folder)).length, 1)
  await all.come(1)
  assert.equal(all.received[0]?.attachments.length, 1)
  all.service.fail({ method: 'download', type: 'delay', ms: 60_000 })
  const root = all.service.write({ channel: 'C1', text: '<@UBOT> hi' })
  await all.settle()
  all.service.write({ channel: 'C1', text: 'cut short', files, threadTs: root })
  await all.settle()
  await all.connection[Symbol.asyncDispose]()
  assert.deepEqual(all.texts(), ['look', 'hi'])
  await using _again = await all.connect()
  await all.come(3)
  assert.deepEqual(all.texts(), ['look', 'hi', 'cut short'])
  while ((await readdir(folder)).length > 0) await new Promise((resolve) => setImmediate(resolve))
})

test('messages of a person stay in order, though one has files and the next does not', async () => {
  await using all = await open()
  all.service.fail({ method: 'download', type: 'delay', ms: 150 })
  all.service.write({ text: 'one', files: [all.service.addFile('a.txt', 'text/plain', 'x')] })
  all.service.write({ text: 'two' })
  all.service.write({ text: 'elsewhere', channel: 'G1' })
  await all.come(3)
  assert.deepEqual(all.texts(), ['elsewhere', 'one', 'two'])
})

test('a connection that is ended by the service is followed by the next; what came in between is not lost', async () => {
  await using all = await open({ ackMs: 200 })
  for (const reason of ['warning', 'refresh_requested'] as const) {
    all.service.disconnect(reason)
    all.service.write({ text: reason })
  }
  await all.come(2)
  assert.deepEqual(all.texts().toSorted(), ['refresh_requested', 'warning'])
  all.service.disconnect('link_disabled')
  const reason = await all.connection.closed
  assert.ok(reason instanceof PlatformError)
  assert.equal(reason.code, 'refused')
})

test('a service that stays away ends the connection', async () => {
  await using all = await open()
  all.service.isReachable = false
  const reason = await all.connection.closed
  assert.ok(reason instanceof PlatformError && ['unreachable', 'uncertain'].includes(reason.code), String(reason))
})

test('what is known of a thread is told once, at the first word in it', async () => {
  await using all = await open()
  const root = all.service.write({ channel: 'C1', text: 'We need <@U2>’s plan' })
  all.service.write({ channel: 'C1', user: 'U2', text: 'Here: &lt;plan&gt;', threadTs: root })
  await all.connection.send(
    { ...chat, chatId: 'C1', chatType: 'group', threadId: root },
    { type: 'text', text: 'a bot’s' },
    options,
    never,
  )
  const before = all.received.length
  all.service.write({ channel: 'C1', text: '<@UBOT> what do you think?', threadTs: root })
  await all.come(before + 1)
  assert.equal(all.received.at(-1)?.text, 'what do you think?')
  assert.match(
    all.received.at(-1)?.background ?? '',
    /before, oldest first.*\n\[thread parent\] Ann: We need @Ben’s plan\nBen: Here: <plan>\n\[.*\]$/,
  )
  all.service.write({ channel: 'C1', text: '<@UBOT> and now?', threadTs: root })
  await all.come(before + 2)
  const shared = { is_share: true, author_name: 'Ben', text: 'A &amp; B' }
  all.service.write({ channel: 'D1', text: '', attachments: [shared, { text: 'an unfurled link' }] })
  await all.come(before + 3)
  const [next, passedOn] = all.received.slice(-2)
  assert.deepEqual([next?.text, next?.background], ['and now?', undefined])
  assert.equal(passedOn?.background, '[Shared message of Ben:]\nA & B\n[Its end.]')
})

test('files go to the caches; what is too large, elsewhere or not given is told in words; the token stays with Slack', async () => {
  await using all = await open()
  const image = all.service.addFile('a.png', 'image/png', png)
  const voice = { ...all.service.addFile('v.m4a', 'audio/mp4', 'x'), subtype: 'slack_audio' }
  const fake = all.service.addFile('b.png', 'image/png', 'no image')
  const big = { ...all.service.addFile('big.zip', 'application/zip', 'x'), size: 30_000_000 }
  const elsewhere = { ...big, name: 'doc', size: 3, is_external: true, url_private_download: `${all.service.url}/x` }
  const evil = { ...big, name: 'evil', size: 3, url_private_download: 'https://slack.com.evil.test/x', url_private: '' }
  const gone = { ...big, name: 'gone', size: 3, url_private_download: `${all.service.url}/files-pri/F99/gone` }
  all.service.fail({ method: 'download', type: 'status', status: 503 })
  all.service.write({ text: 'look', files: [image, voice, fake, big, elsewhere, evil, gone] })
  await all.come(1)
  const [message] = all.received
  assert.deepEqual(
    message?.attachments.map(({ kind, name }) => [kind, name]),
    [
      ['image', 'a.png'],
      ['voice', 'v.m4a'],
      ['document', 'b.png'],
    ],
  )
  assert.deepEqual(await readFile(message?.attachments[0]?.path ?? ''), png)
  assert.match(
    message?.text ?? '',
    /^look\n\n.*"big.zip", which is larger.*\n\n.*"doc", which is not kept by Slack.*\n\n.*"evil", which is not.*\n\n.*"gone", which could not/,
  )
  assert.ok(all.service.downloads.every(({ authorization }) => authorization === `Bearer ${all.service.botToken}`))
  all.service.fail({ method: 'download', type: 'status', status: 302 })
  all.service.world.teams.set('T1', {
    ...(all.service.world.teams.get('T1') ?? assert.fail()),
    token: 'xoxb-made-up-token-new',
  })
  all.service.write({ text: 'no scope', files: [image] })
  await all.come(2)
  assert.match(all.received[1]?.text ?? '', /"a.png", which could not be fetched/)
})

test('nothing is fetched for people who may not speak to the agent', async () => {
  await using all = await open({ isAuthorised: () => false })
  all.service.write({ text: 'hi', files: [all.service.addFile('a.txt', 'text/plain', 'x')] })
  await all.come(1)
  assert.deepEqual([all.received[0]?.attachments, all.service.downloads], [[], []])
})

test('slash commands become commands, or messages', async () => {
  await using all = await open()
  for (const [command, text] of [
    ['/hermes', 'model x y'],
    ['/hermes', ''],
    ['/hermes', 'compact'],
    ['/hermes', 'what is it?'],
    ['/hermes', '/some-skill now'],
    ['/hermes-stop', ''],
    ['/retry', ''],
  ] as const) {
    all.service.command(command, text)
    const count = all.received.length + 1
    await all.come(count)
  }
  assert.deepEqual(all.texts(), [
    '/model x y',
    '/help',
    '/compact',
    'what is it?',
    '/some-skill now',
    '/stop',
    '/retry',
  ])
  all.service.command('/hermes', 'status', { channel_id: 'C1', channel_name: 'general' })
  await all.come(8)
  assert.deepEqual([all.received[0]?.source.chatType, all.received[7]?.source.chatType], ['dm', 'group'])
  const channel = all.service.world.channels.get('C1') ?? assert.fail()
  channel.hasBot = false
  await all.connection.send(
    { ...chat, chatId: 'C1', chatType: 'group' },
    { type: 'text', text: '**Fine.**' },
    options,
    never,
  )
  assert.deepEqual(
    all.service.world.ephemerals,
    [{ channel: 'C1', user: '', text: '*Fine.*' }],
    'they are answered alone',
  )
})

test('text is sent as mrkdwn, into its thread; an edit replaces it, and a message can go', async () => {
  await using all = await open({ isUnlimited: true, extra: { reply_broadcast: true } })
  const send: Connection['send'] = (...given) => all.connection.send(...given)
  const root = all.service.write({ channel: 'C1', text: '<@UBOT> hi' })
  const group: ChatRef = { platform: 'slack', chatId: 'C1', chatType: 'group', threadId: root }
  const sent = await send(
    group,
    { type: 'text', text: '**Yes.** [a](https://b.c) & <d>' },
    { ...options, replyTo: root },
    never,
  )
  await send(group, { type: 'text', text: 'more' }, options, never)
  assert.deepEqual(
    all.service.posts.map(({ text, threadTs, isBroadcast }) => [text, threadTs, isBroadcast]),
    [
      ['*Yes.* <https://b.c|a> &amp; &lt;d&gt;', root, true],
      ['more', root, false],
    ],
  )
  await all.connection.editing?.edit(sent, 'now `this`', never)
  assert.equal(all.service.posts[0]?.text, 'now `this`')
  assert.deepEqual(await codeOf(all.connection.editing?.edit(sent, 'x'.repeat(4_001), never) ?? Promise.resolve()), [
    'too-long',
    undefined,
  ])
  await send({ ...group, threadId: '1.5' }, { type: 'text', text: 'its thread is gone' }, options, never)
  assert.deepEqual(
    [all.service.posts.at(-1)?.text, all.service.posts.at(-1)?.threadTs],
    ['its thread is gone', undefined],
  )
  assert.equal((await send(group, { type: 'text', text: ' \n' }, options, never)).messageId, '')
  await all.connection.editing?.remove?.(sent, never)
  assert.ok(!all.service.posts.some(({ ts }) => ts === sent.messageId))
  assert.deepEqual(await codeOf(all.connection.editing?.edit(sent, 'x', never) ?? Promise.resolve()), [
    'gone',
    undefined,
  ])
})

test('what the service says comes out as the gateway’s codes', async () => {
  await using all = await open({ isUnlimited: true })
  const send = (chatId = 'D1') =>
    codeOf(all.connection.send({ ...chat, chatId }, { type: 'text', text: 'x' }, options, never))
  const method = 'chat.postMessage'
  const next = async (error: string) => {
    all.service.fail({ method, type: 'refuse', error })
    return (await send())[0]
  }
  assert.equal((await send('C99'))[0], 'gone')
  for (const [error, code] of [
    ['is_archived', 'gone'],
    ['missing_scope', 'refused'],
    ['not_in_channel', 'refused'],
    ['msg_too_long', 'too-long'],
    ['invalid_blocks', 'bad-format'],
    ['token_revoked', 'unauthorised'],
    ['internal_error', 'uncertain'],
  ]) {
    assert.equal(await next(error ?? ''), code, error)
  }
  all.service.fail({ method, type: 'status', status: 502 })
  assert.deepEqual(await send(), ['uncertain', undefined])
  all.service.fail({ method, type: 'drop-after' })
  assert.deepEqual(await send(), ['uncertain', undefined])
  all.service.fail({ method, type: 'limit', retryAfter: 17 })
  assert.deepEqual(await send(), ['rate-limited', 17_000])
  const calls = all.service.calls.length
  assert.equal((await send())[0], 'rate-limited')
  assert.equal(all.service.calls.length, calls, 'nothing is called during a penalty')
  const closed = await startSlack()
  await closed[Symbol.asyncDispose]()
  const environment = { ...all.host.environment, HERMES_GATEWAY_LOCK_DIR: all.home.path('locks') }
  const nowhere = platform.connect(
    { ...all.settings, apiUrl: `${closed.url}/api/` },
    { ...all.host, environment },
    never,
  )
  assert.deepEqual(await codeOf(nowhere), ['unreachable', undefined])
})

test('edits keep below the limit of their method by themselves', async () => {
  await using all = await open()
  const sent = await all.connection.send(chat, { type: 'text', text: 'x' }, options, never)
  const results = []
  for (let n = 0; n < 12; n++)
    results.push(await all.connection.editing?.edit(sent, `${n}`, never).catch((error: unknown) => error))
  const refused = results.filter((result) => result instanceof PlatformError)
  assert.equal(refused.length, 4)
  assert.ok(refused.every(({ code, retryAfterMs }) => code === 'rate-limited' && (retryAfterMs ?? 0) <= 1_500))
  assert.deepEqual(all.service.tiers.refused, [])
})

test('files are sent in three steps, into the thread, with their caption', async () => {
  await using all = await open()
  const root = all.service.write({ text: 'send it' })
  await writeFile(all.home.path('g.pdf'), '%PDF-1')
  await writeFile(all.home.path('empty'), '')
  const send = (name: string) =>
    all.connection.send(
      { ...chat, threadId: root },
      { type: 'file', kind: 'document', path: all.home.path(name), caption: '**see**' },
      options,
      never,
    )
  await send('g.pdf')
  const [file] = [...all.service.world.files.values()]
  assert.deepEqual(
    [file?.name, file?.bytes.toString(), file?.shares],
    ['g.pdf', '%PDF-1', [{ channel: 'D1', threadTs: root, comment: '*see*' }]],
  )
  assert.deepEqual(await codeOf(send('nowhere')), ['refused', undefined])
  assert.deepEqual(await codeOf(send('empty')), ['refused', undefined])
  all.service.fail({ method: 'upload', type: 'status', status: 500 })
  assert.deepEqual(await codeOf(send('g.pdf')), ['unreachable', undefined])
})

test('buttons come back with their data and chat, the answer is shown to who pressed, and the card can be closed', async () => {
  await using all = await open()
  const root = all.service.write({ channel: 'C1', text: '<@UBOT> do it' })
  const place: ChatRef = { platform: 'slack', chatId: 'C1', chatType: 'group', threadId: root }
  const buttons = ['Allow once', 'Deny', 'x'.repeat(200)].map((label, at) => ({ label, data: `hd:1:${at}` }))
  const text = `May I?\n\`\`\`\n${'rm -rf build && '.repeat(250)}\n\`\`\``
  const sent = await all.connection.send(place, { type: 'text', text, buttons }, options, never)
  const card = all.service.posts[0] ?? assert.fail()
  assert.match(card.text, /^May I\?/)
  all.service.press(card, 'Deny', 'U2')
  await all.service.until(() => all.service.world.ephemerals.length === 1)
  assert.deepEqual(all.presses, [{ chat: place, userId: 'U2', userName: 'Ben', data: 'hd:1:1' }])
  assert.deepEqual(all.service.world.ephemerals, [{ channel: 'C1', user: 'U2', text: 'Decided.' }])
  await all.connection.buttons?.close(sent, 'May I?\n\n⛔ Denied', never)
  assert.deepEqual([card.text, buttonsOf(card.blocks)], ['May I?\n\n⛔ Denied', []])
})

test('reactions show the work where the agent was addressed; its status is shown in threads', async () => {
  await using all = await open({ environment: { SLACK_REQUIRE_MENTION: 'false' } })
  const named = all.service.write({ channel: 'C1', text: '<@UBOT> hi' })
  const overheard = all.service.write({ channel: 'C1', text: 'hi all' })
  await all.come(2)
  const place: ChatRef = { platform: 'slack', chatId: 'C1', chatType: 'group', threadId: named }
  for (const mark of ['working', 'working', 'done', undefined] as const)
    await all.connection.reactions?.react(place, named, mark, never)
  await all.connection.reactions?.react(place, overheard, 'working', never)
  assert.deepEqual(
    all.service.world.reactions.map(({ name, isAdded }) => `${isAdded ? '+' : '-'}${name}`),
    ['+eyes', '-eyes', '+white_check_mark'],
  )
  await all.connection.typing?.show(place, never)
  await all.connection.typing?.show(chat, never)
  assert.deepEqual(all.service.world.statuses, [{ channel: 'C1', threadTs: named, status: 'is thinking...' }])
  all.service.fail({ method: 'assistant.threads.setStatus', type: 'refuse', error: 'missing_scope' })
  assert.deepEqual(await codeOf(all.connection.typing?.show(place, never) ?? Promise.resolve()), ['refused', undefined])
  const before = all.service.calls.length
  await all.connection.typing?.show(place, never)
  assert.equal(all.service.calls.length, before, 'what is not allowed is not tried again')
})

test('threads of an assistant know their person and where they were opened', async () => {
  await using all = await open()
  const thread = { user_id: 'U2', channel_id: 'D1', thread_ts: '7.1', context: { channel_id: 'C1' } }
  all.service.give({ type: 'assistant_thread_started', assistant_thread: thread })
  await all.settle()
  all.service.give({ type: 'message', channel: 'D1', channel_type: 'im', text: 'hi', ts: '7.2', thread_ts: '7.1' })
  await all.come(1)
  const { userId, chatTopic, threadId } = all.received[0]?.source ?? assert.fail()
  assert.deepEqual([userId, chatTopic, threadId], ['U2', 'C1', '7.1'])
})

test('several workspaces are told apart; one whose token is not accepted is left out', async () => {
  const second = { id: 'T2', name: 'Home', token: 'xoxb-made-up-token-second', botUserId: 'UBOT2', botId: 'BBOT2' }
  await using all = await open({
    token: 'xoxb-made-up-token-for-tests,xoxb-made-up-token-second, xoxb-made-up-token-bad',
    prepare(service) {
      service.addTeam(second)
      service.world.channels.set('C2', {
        id: 'C2',
        teamId: 'T2',
        name: 'home',
        type: 'channel',
        hasBot: true,
        isArchived: false,
      })
    },
  })
  assert.equal(all.connection.account, 'T1,T2')
  all.service.write({ channel: 'C2', text: '<@UBOT> of the other workspace' })
  all.service.write({ channel: 'C2', text: '<@UBOT2> hi' })
  await all.come(1)
  await all.settle()
  assert.deepEqual(
    all.received.map(({ text, source }) => [text, source.account]),
    [['hi', 'T2']],
  )
  const sent = await all.connection.send(
    { ...chat, chatId: 'C2', chatType: 'group' },
    { type: 'text', text: 'yes' },
    options,
    never,
  )
  assert.equal(all.service.posts.find(({ ts }) => ts === sent.messageId)?.user, 'UBOT2')
})

test('further workspaces are in slack_tokens.json, whose channels are found by asking', async () => {
  await using all = await open()
  await all.connection[Symbol.asyncDispose]()
  all.service.addTeam({
    id: 'T2',
    name: 'Home',
    token: 'xoxb-made-up-token-second',
    botUserId: 'UBOT2',
    botId: 'BBOT2',
  })
  all.service.world.channels.set('C2', {
    id: 'C2',
    teamId: 'T2',
    name: 'home',
    type: 'channel',
    hasBot: true,
    isArchived: false,
  })
  await writeFile(
    all.home.path('slack_tokens.json'),
    JSON.stringify({ T2: { token: 'xoxb-made-up-token-second', team_name: 'Home' } }),
  )
  await using again = await all.connect()
  await again.send({ ...chat, chatId: 'C2', chatType: 'group' }, { type: 'text', text: 'yes' }, options, never)
  assert.equal(all.service.posts[0]?.user, 'UBOT2')
})

test('wrong tokens are refused, and no error holds them; an app token is used by one process', async () => {
  assert.deepEqual(await codeOf(open({ token: 'xoxb-made-up-token-bad' })), ['unauthorised', undefined])
  assert.deepEqual(await codeOf(open({ environment: { SLACK_APP_TOKEN: 'xapp-made-up-token-bad' } })), [
    'unauthorised',
    undefined,
  ])
  await using all = await open()
  const folder = all.home.path('.local', 'state', 'hermes', 'gateway-locks')
  const [name = ''] = (await readdir(folder)).filter((file) => /^slack-app-token-[0-9a-f]{16}\.lock$/.test(file))
  await writeFile(`${folder}/${name}`, JSON.stringify({ pid: process.ppid }))
  assert.deepEqual(await codeOf(all.connect()), ['conflict', undefined])
})

test('by HTTP only what Slack has signed within five minutes is taken, and what is not stored is brought again', async () => {
  const port = 20_000 + (process.pid % 20_000)
  const secret = 'made-up-signing-secret'
  const url = `http://127.0.0.1:${port}/slack/events`
  await using all = await open({
    environment: { SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: secret, SLACK_HTTP_PORT: String(port) },
    prepare: (service) => (service.deliverer.requestUrl = { url, signingSecret: secret }),
  })
  let failures = 1
  all.host.store = async () => {
    if (failures-- > 0) throw new Error('the disk is full')
  }
  all.service.write({ text: 'by HTTP' })
  await all.settle()
  assert.equal(all.service.deliverer.acknowledged[0]?.tries, 2)
  all.service.command('/hermes', 'status')
  await all.come(2)
  await all.connection.send(
    chat,
    { type: 'text', text: 'May I?', buttons: [{ label: 'Yes', data: 'd' }] },
    options,
    never,
  )
  all.service.press(all.service.posts[0] ?? assert.fail(), 'Yes')
  await all.service.until(() => all.presses.length === 1)
  const call = async (body: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return `${response.status} ${await response.text()}`.trim()
  }
  const hello = '{"type":"url_verification","challenge":"abc"}'
  const now = Math.floor(Date.now() / 1000)
  assert.deepEqual(
    [
      await call(hello, signed(hello, secret)),
      await call(hello, signed(hello, 'another')),
      await call(hello, signed(hello, secret, now - 301)),
      await call(hello, signed(hello, secret, now + 301)),
      await call(`${hello} `, signed(hello, secret)),
      await call(hello, {}),
      await call('no json', signed('no json', secret)),
      await call('x'.repeat(2_000_000), {}),
    ],
    ['200 abc', '401', '401', '401', '401', '401', '400', '413'],
  )
  assert.deepEqual(all.texts(), ['by HTTP', '/status'])
})

test('calls go through the proxy that the environment names, where it is not left out', async () => {
  const gone = await startSlack()
  await gone[Symbol.asyncDispose]()
  assert.deepEqual(await codeOf(open({ environment: { HTTP_PROXY: gone.url } })), ['unreachable', undefined])
  await using _past = await open({ environment: { HTTP_PROXY: gone.url, NO_PROXY: '127.0.0.1' } })
})

test('what is set in part says what is missing', () => {
  const config = configSchema.parse({})
  const reason = (environment: Readonly<Record<string, string>>, own?: Readonly<Record<string, unknown>>) => {
    const setup = platform.read({ ...config, platforms: own ? { slack: own } : {} } as never, environment)
    return setup.state === 'incomplete' ? setup.reason : setup.state
  }
  const both = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' }
  assert.equal(reason({}), 'absent')
  assert.match(reason({}, { enabled: true }), /SLACK_BOT_TOKEN/)
  assert.match(reason({ SLACK_APP_TOKEN: 'xapp-1' }), /SLACK_BOT_TOKEN/)
  assert.match(reason({ SLACK_BOT_TOKEN: 'xoxb-1' }), /SLACK_APP_TOKEN.*SLACK_SIGNING_SECRET/)
  assert.match(reason({ ...both, SLACK_BOT_TOKEN: 'xoxb-your-token' }), /SLACK_BOT_TOKEN still holds the example/)
  assert.equal(reason(both, { enabled: false }), 'absent')
  assert.equal(reason({ SLACK_APP_TOKEN: 'xapp-1' }, { token: 'xoxb-1' }), 'ready')
  assert.match(reason(both, { extra: { base_url: 'no url' } }), /base_url/)
})
