import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSlack } from '@hermes/testing/slack/server.ts'
import { SocketModeClient } from '@slack/socket-mode'
import { WebClient } from '@slack/web-api'

const quiet = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => 'error' as never,
  setName() {},
}

interface Envelope {
  readonly ack: (response?: Readonly<Record<string, unknown>>) => Promise<void>
  readonly type: string
  readonly body: { readonly event?: { readonly text: string; readonly ts: string }; readonly text?: string }
  readonly retry_num?: number
}

test('Slack’s own clients run unmodified against the stand-in', async () => {
  await using slack = await startSlack()
  const clientOptions = { slackApiUrl: `${slack.url}/api/`, logger: quiet, retryConfig: { retries: 0 } }
  const web = new WebClient(slack.botToken, clientOptions)
  const socket = new SocketModeClient({
    appToken: slack.appToken,
    clientOptions,
    logger: quiet,
    clientPingTimeout: 3_000,
  })
  const said: string[] = []
  socket.on('slack_event', ({ ack, type, body }: Envelope) => {
    said.push(`${type}: ${body.event?.text ?? body.text ?? ''}`)
    void ack()
    if (body.event) {
      void web.apiCall('chat.postMessage', {
        channel: 'D1',
        text: 'May I?',
        thread_ts: body.event.ts,
        blocks: [
          {
            type: 'actions',
            elements: [{ type: 'button', action_id: 'a', value: 'v', text: { type: 'plain_text', text: 'Yes' } }],
          },
        ],
      })
    }
  })
  assert.equal((await web.auth.test()).bot_id, 'BBOT')
  await socket.start()
  const ts = slack.write({ text: 'hello' })
  await slack.until(() => slack.posts.length === 1)
  assert.equal(slack.posts[0]?.threadTs, ts)
  slack.command('/hermes', 'help')
  if (slack.posts[0]) slack.press(slack.posts[0], 'Yes')
  await slack.until(() => slack.deliverer.pending === 0)
  assert.deepEqual(said, ['events_api: hello', 'slash_commands: help', 'interactive: '])
  await web.files.uploadV2({ channel_id: 'D1', thread_ts: ts, file: Buffer.from('x'), filename: 'x.txt' })
  assert.deepEqual(slack.world.files.get('F1')?.shares, [{ channel: 'D1', threadTs: ts }])
  const sent = await web.chat.update({ channel: 'D1', ts: slack.posts[0]?.ts ?? '', text: 'now', blocks: [] })
  assert.equal(sent.text, 'now')
  const replies = await web.conversations.replies({ channel: 'D1', ts })
  assert.deepEqual(
    replies.messages?.map(({ text }) => text),
    ['hello', 'now'],
  )
  await socket.disconnect()
})

test('what is not acknowledged is brought again; a connection is asked to go', async () => {
  await using slack = await startSlack({ ackMs: 400 })
  const clientOptions = { slackApiUrl: `${slack.url}/api/`, logger: quiet, retryConfig: { retries: 0 } }
  const open = () =>
    new SocketModeClient({ appToken: slack.appToken, clientOptions, logger: quiet, autoReconnectEnabled: false })
  const socket = open()
  const tries: (number | undefined)[] = []
  socket.on('slack_event', ({ ack, retry_num: retry }: Envelope) => {
    tries.push(retry)
    if (tries.length === 3) void ack()
  })
  await socket.start()
  slack.write({ text: 'hello' })
  await slack.until(() => slack.deliverer.pending === 0)
  assert.deepEqual(tries, [0, 1, 2])
  const gone = new Promise((resolve) => socket.once('disconnected', resolve))
  slack.disconnect('refresh_requested')
  await gone
  slack.write({ text: 'while away' })
  const next = open()
  const came = new Promise<Envelope>((resolve) => next.once('slack_event', resolve))
  await next.start()
  assert.equal((await came).body.event?.text, 'while away')
  await next.disconnect()
})

test('the stand-in refuses what the service refuses', async () => {
  await using slack = await startSlack({ penalty: 5 })
  const web = new WebClient(slack.botToken, {
    slackApiUrl: `${slack.url}/api/`,
    logger: quiet,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  })
  const said = (promise: Promise<unknown>) =>
    promise.then(
      () => 'ok',
      (error: unknown) => {
        const { code, data, retryAfter } = error as {
          code: string
          data?: { error: string }
          retryAfter?: number
        }
        return code === 'slack_webapi_rate_limited_error' ? `limited ${retryAfter}` : (data?.error ?? code)
      },
    )
  assert.equal(await said(web.apiCall('chat.postMessage', { channel: 'C9', text: 'x' })), 'channel_not_found')
  assert.equal(await said(web.apiCall('chat.postMessage', { channel: 'C1', text: '' })), 'no_text')
  assert.equal(
    await said(web.apiCall('chat.postMessage', { channel: 'C1', text: 'x', thread_ts: '1.2' })),
    'thread_not_found',
  )
  assert.equal(await said(web.reactions.add({ channel: 'C1', timestamp: '1.2', name: 'eyes' })), 'message_not_found')
  const ts = slack.write({ text: 'x' })
  assert.equal(await said(web.chat.update({ channel: 'D1', ts, text: 'y' })), 'cant_update_message')
  const section = { type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3_001) } } as const
  assert.equal(
    await said(web.apiCall('chat.postMessage', { channel: 'D1', text: 'x', blocks: [section] })),
    'invalid_blocks',
  )
  const stranger = new WebClient('xoxb-other', { slackApiUrl: `${slack.url}/api/`, logger: quiet })
  assert.equal(await said(stranger.auth.test()), 'invalid_auth')
  const posts = await Promise.all(
    [1, 2, 3, 4].map((n) => said(web.apiCall('chat.postMessage', { channel: 'G1', text: `${n}` }))),
  )
  assert.deepEqual(posts.toSorted(), ['limited 5', 'ok', 'ok', 'ok'])
  assert.equal(await said(web.apiCall('chat.postMessage', { channel: 'G1', text: 'x' })), 'limited 5')
  assert.deepEqual(slack.tiers.refused.at(-1), { method: 'chat.postMessage', isDuringPenalty: true })
})
