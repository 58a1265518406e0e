import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { buttonsOf } from '@hermes/testing/slack/blocks.ts'
import { startSlack } from '@hermes/testing/slack/server.ts'
import type { SlackOptions, SlackStandIn } from '@hermes/testing/slack/server.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { Connection } from '../platform.ts'
import { slack as platform } from './index.ts'
import { chat, codeOf, never, openBed, options } from './test-bed.ts'
import type { Given } from './test-bed.ts'

const open = (given: Given<SlackStandIn> & SlackOptions = {}) =>
  openBed(given, { startService: () => startSlack(given), temporaryHome })

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
  const direct = await send({ ...chat, chatId: 'U1' }, { type: 'text', text: 'to a person' }, options, never)
  await all.connection.editing?.edit(direct, 'to a person, edited', never)
  assert.deepEqual([all.service.posts.at(-1)?.channel, all.service.posts.at(-1)?.text], ['D1', 'to a person, edited'])
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

test('buttons of a message can be changed, and the channels that the app is in are listed', async () => {
  await using all = await open()
  const first = [{ label: 'One', data: 'hm:1:0' }]
  const sent = await all.connection.send(chat, { type: 'text', text: 'Choose', buttons: first }, options, never)
  const next = ['Two', 'Three'].map((label, at) => ({ label, data: `hm:1:${at}` }))
  await all.connection.buttons?.change?.(sent, 'Choose again', next, never)
  const card = all.service.posts[0] ?? assert.fail()
  assert.equal(card.text, 'Choose again')
  assert.equal(buttonsOf(card.blocks).length, 2)
  assert.deepEqual(await all.connection.channels?.list(never), [
    { id: 'C1', name: 'general', type: 'channel', guild: 'Work' },
  ])
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
