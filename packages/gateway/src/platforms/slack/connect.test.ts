import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { temporaryHome } from '@hermes/testing'
import { freePort } from '@hermes/testing/free-ports.ts'
import { signed } from '@hermes/testing/slack/delivery.ts'
import { startSlack } from '@hermes/testing/slack/server.ts'
import type { SlackOptions, SlackStandIn } from '@hermes/testing/slack/server.ts'
import { PlatformError } from '../platform-error.ts'
import { slack as platform } from './index.ts'
import { chat, codeOf, never, openBed, options } from './test-bed.ts'
import type { Given } from './test-bed.ts'

const open = (given: Given<SlackStandIn> & SlackOptions = {}) =>
  openBed(given, { startService: () => startSlack(given), temporaryHome })

test('an event is acknowledged when it is stored, comes again until it is, and is taken once', async () => {
  await using all = await open({ ackMs: 300 })
  let failures = 2
  all.host.store = async () => {
    if (failures-- > 0) throw new Error('the disk is full')
  }
  all.service.write({ text: 'stored at last' })
  await all.settle()
  assert.deepEqual(all.texts(), ['stored at last'])
  assert.ok((all.service.deliverer.acknowledged[0]?.tries ?? 0) >= 3)
  const ts = all.service.write({ text: 'twice' })
  all.service.give({ type: 'message', channel: 'D1', channel_type: 'im', user: 'U1', text: 'twice', ts })
  await all.settle()
  assert.deepEqual(all.texts(), ['stored at last', 'twice'])
})

test('what takes long is kept on disk and acknowledged in time, also over the end of the process', async () => {
  await using all = await open({ timing: { ackMs: 30 } })
  const files = [all.service.addFile('a.txt', 'text/plain', 'hello')]
  all.service.fail({ method: 'download', type: 'delay', ms: 2_000 })
  all.service.write({ text: 'look', files })
  await all.settle()
  assert.deepEqual(all.texts(), [], 'acknowledged before it is here')
  assert.equal(all.service.deliverer.acknowledged[0]?.tries, 1)
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

test('a token that is no good any more ends the connection of its only workspace', async () => {
  await using all = await open()
  all.service.fail({ method: 'chat.postMessage', type: 'refuse', error: 'token_revoked' })
  const send = all.connection.send(
    { ...chat, chatId: 'C1', chatType: 'group' },
    { type: 'text', text: 'x' },
    options,
    never,
  )
  assert.deepEqual(await codeOf(send), ['unauthorised', undefined])
  const reason = await all.connection.closed
  assert.ok(reason instanceof PlatformError && reason.code === 'unauthorised', String(reason))
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
  const port = await freePort()
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
      await call(hello, signed(hello, secret, now - 330)),
      await call(hello, signed(hello, secret, now + 330)),
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
