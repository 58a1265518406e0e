import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { startSlack } from '@hermes/testing/slack/server.ts'
import type { SlackOptions, SlackStandIn } from '@hermes/testing/slack/server.ts'
import { chat, never, openBed, options } from './test-bed.ts'
import type { Given } from './test-bed.ts'

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

const open = (given: Given<SlackStandIn> & SlackOptions = {}) =>
  openBed(given, { startService: () => startSlack(given), temporaryHome })

test('a message comes in with its chat and its person, in readable text', async () => {
  await using all = await open()
  const ts = all.service.write({
    text: 'a &lt; b: <https://a.b/?x&amp;y|see> <@U2> <#C1|general> <mailto:a@b.c|a@b.c>',
  })
  await all.come(1)
  const { sentAt, ...message } = all.received[0] ?? assert.fail()
  assert.ok(Math.abs(sentAt - Date.now()) < 60_000)
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
      ['group', undefined],
    ],
  )
})

test('pasted code keeps its spaces, with and without the agent’s name', async () => {
  await using all = await open()
  const code = 'def f():\n    if x:\n\treturn  1'
  all.service.write({ text: code })
  await all.come(1)
  all.service.write({ text: `look <@UBOT>, ${code}`, channel: 'C1' })
  await all.come(2)
  assert.deepEqual(all.texts(), [code, `look ${code}`])
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

test('messages of a person stay in order, though one has files and the next does not', async () => {
  await using all = await open()
  all.service.fail({ method: 'download', type: 'delay', ms: 150 })
  all.service.write({ text: 'one', files: [all.service.addFile('a.txt', 'text/plain', 'x')] })
  all.service.write({ text: 'two' })
  all.service.write({ text: 'elsewhere', channel: 'G1' })
  await all.come(3)
  assert.deepEqual(all.texts(), ['elsewhere', 'one', 'two'])
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
