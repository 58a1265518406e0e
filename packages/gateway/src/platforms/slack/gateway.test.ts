import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { buttonsOf } from '@hermes/testing/slack/blocks.ts'
import { shownText } from '@hermes/testing/slack/mrkdwn.ts'
import { startSlack } from '@hermes/testing/slack/server.ts'
import type { SlackOptions } from '@hermes/testing/slack/server.ts'
import { startGateway } from '../../gateway.ts'
import { configuredPlatforms } from '../../life/configured-platforms.ts'

interface Given extends SlackOptions {
  readonly script: (request: RecordedRequest) => ScriptedAnswer
  readonly config?: string
  readonly environment?: string
  readonly work?: Readonly<Record<string, string>>
}

/** The whole gateway on Slack's stand-in. */
async function open({ script, config = '', environment = 'SLACK_ALLOW_ALL_USERS=true', work, ...options }: Given) {
  const service = await startSlack(options)
  const all = await startScriptedAgent({
    script: (request) => (request.body.tools ? script(request) : { text: 'A title' }),
    config: `memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
platforms: {slack: {extra: {base_url: "${service.url}/api"}}}
${config}`,
    home: {
      '.env': `SLACK_BOT_TOKEN=${service.botToken}\nSLACK_APP_TOKEN=${service.appToken}\nSLACK_HOME_CHANNEL=D1\n${environment}\n`,
    },
    ...(work && { work }),
  })
  const start = async () => {
    const { ready } = await configuredPlatforms(all.context)
    return startGateway({ agent: all.context, platforms: ready })
  }
  let gateway = await start()
  return {
    service,
    all,
    texts: (channel = 'D1') =>
      service.posts.filter((message) => message.channel === channel).map(({ text }) => shownText(text)),
    get gateway() {
      return gateway
    },
    async restart() {
      await gateway[Symbol.asyncDispose]()
      await all.reopen()
      gateway = await start()
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await all[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

function lastUser(request: RecordedRequest): string {
  const content = (request.body.messages ?? []).findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}

const echo: Given['script'] = (request) => ({ text: `You said: ${lastUser(request)}` })

test('a message in a channel is answered in its thread, in mrkdwn, with reactions and a status', async () => {
  await using all = await open({ script: () => ({ text: '**Hello**, 1 < 2!' }) })
  const asked = all.service.write({ channel: 'C1', text: '<@UBOT> hello' })
  await all.service.until(() => all.service.posts.length === 1)
  const [answer] = all.service.posts
  assert.deepEqual([answer?.text, answer?.threadTs], ['*Hello*, 1 &lt; 2!', asked])
  await all.service.until(() => all.service.world.statuses.length > 0)
  assert.deepEqual(all.service.world.statuses[0], { channel: 'C1', threadTs: asked, status: 'is thinking...' })
  await all.service.until(() => all.service.world.reactions.length === 3)
  assert.deepEqual(
    all.service.world.reactions.map(({ ts, name, isAdded }) => [ts === asked, name, isAdded]),
    [
      [true, 'eyes', true],
      [true, 'eyes', false],
      [true, 'white_check_mark', true],
    ],
  )
})

test('in a group of several people each has a conversation, which their commands act on', async () => {
  await using all = await open({
    script: (request) =>
      lastUser(request).includes('wait') ? { text: ['…'], fault: { type: 'stall', afterChunks: 1 } } : echo(request),
  })
  all.service.write({ channel: 'G1', user: 'U1', text: 'wait for me' })
  await all.all.model.arrived(1)
  all.service.write({ channel: 'G1', user: 'U2', text: 'and I?' })
  await all.service.until(() => all.texts('G1').some((text) => text.includes('and I?')))
  all.service.command('/hermes', 'stop', { user_id: 'U1', channel_id: 'G1' })
  await all.service.until(() => all.texts('G1').some((text) => text.includes('Stopped')))
})

test('/hermes stop in a channel ends what its writer asked for in a thread there', async () => {
  await using all = await open({ script: () => ({ text: ['…'], fault: { type: 'stall', afterChunks: 1 } }) })
  all.service.write({ channel: 'C1', text: '<@UBOT> dig' })
  await all.all.model.arrived(1)
  all.service.command('/hermes', 'stop', { user_id: 'U2', channel_id: 'C1' })
  await all.service.until(() => all.texts('C1').includes('Nothing is running.'))
  all.service.command('/hermes', 'stop', { user_id: 'U1', channel_id: 'C1' })
  await all.service.until(() =>
    all.texts('C1').some((text) => /Stopped what you asked for in a thread here: "dig"/.test(text)),
  )
})

test('each thread is a conversation of its own, which needs no further mention, also after a restart', async () => {
  const users = (request: RecordedRequest) => (request.body.messages ?? []).filter(({ role }) => role === 'user').length
  await using all = await open({ script: (request) => ({ text: `turn ${users(request)}: ${lastUser(request)}` }) })
  const one = all.service.write({ channel: 'C1', text: '<@UBOT> first thread' })
  await all.service.until(() => all.service.posts.length === 1)
  const two = all.service.write({ channel: 'C1', text: '<@UBOT> second thread' })
  await all.service.until(() => all.service.posts.length === 2)
  await all.restart()
  all.service.write({ channel: 'C1', text: 'on with the first', threadTs: one })
  await all.service.until(() => all.service.posts.length === 3)
  assert.deepEqual(
    all.service.posts.map(({ text, threadTs }) => [text.replace('[Ann]\n', ''), threadTs]),
    [
      ['turn 1: first thread', one],
      ['turn 1: second thread', two],
      ['turn 2: on with the first', one],
    ],
  )
})

test('long answers to several chats at once come whole, and the service never has to refuse a call', async () => {
  const words = Array.from({ length: 900 }, (_, n) => `word${n} & _x_.${n % 40 === 39 ? '\n\n' : ''}`)
  const chunks = Array.from({ length: 30 }, (_, n) => words.slice(n * 30, n * 30 + 30).join(' ') + ' ')
  await using all = await open({
    config: 'streaming: {enabled: true, edit_interval: 0.1}',
    script: () => ({ text: chunks, chunkDelayMs: 60 }),
  })
  const channels = ['D1', 'G1', 'C1']
  for (const channel of channels) all.service.write({ channel, text: '<@UBOT> tell me all' })
  const numbers = (text: string) => [...text.matchAll(/word(\d+)/g)].map(([, n]) => Number(n))
  const isWhole = (channel: string) => numbers(all.texts(channel).join('\n')).length >= words.length
  await all.service.until(() => channels.every(isWhole))
  for (const channel of channels) {
    assert.deepEqual(
      numbers(all.texts(channel).join('\n')),
      words.map((_, n) => n),
    )
  }
  assert.deepEqual(all.service.tiers.refused, [])
  assert.ok(
    all.service.posts.some(({ earlier }) => earlier.length > 0),
    'it was shown while it came',
  )
})

test('what comes twice is answered once, in order', async () => {
  await using all = await open({ script: echo, config: 'display: {busy_input_mode: queue}', ackMs: 300 })
  const stamps = ['one', 'two', 'three'].map((text) => all.service.write({ text }))
  await all.service.until(() => all.service.posts.length === 3)
  await all.restart()
  for (const ts of stamps) {
    all.service.give({ type: 'message', channel: 'D1', channel_type: 'im', user: 'U1', text: 'again', ts })
  }
  all.service.write({ text: 'four' })
  await all.service.until(() => all.texts().includes('You said: four'))
  assert.deepEqual(
    all.texts(),
    ['one', 'two', 'three', 'four'].map((text) => `You said: ${text}`),
  )
})

test('consent is asked for by buttons, which are gone when it is decided', async () => {
  await using all = await open({
    environment: 'SLACK_ALLOWED_USERS=U1',
    work: { 'build/x': '' },
    script: (request) =>
      (request.body.messages ?? []).at(-1)?.role === 'tool'
        ? { text: 'Removed.' }
        : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build' } }] },
  })
  const asked = all.service.write({ channel: 'C1', text: '<@UBOT> clean up' })
  const card = () => all.service.posts.find(({ text }) => /needs your consent/.test(text))
  await all.service.until(() => buttonsOf(card()?.blocks ?? []).length > 0)
  const shown = card() ?? assert.fail()
  assert.equal(shown.threadTs, asked)
  all.service.press(shown, 'Allow once', 'U2')
  await all.service.until(() => all.service.world.ephemerals.length === 1)
  all.service.press(shown, 'Allow once')
  await all.service.until(() => all.texts('C1').includes('Removed.'))
  await all.service.until(() => all.service.world.ephemerals.length === 2)
  assert.deepEqual(
    all.service.world.ephemerals.map(({ user, text }) => [user, text]),
    [
      ['U2', 'You may not decide this.'],
      ['U1', 'Decided.'],
    ],
  )
  await all.service.until(() => buttonsOf(shown.blocks).length === 0)
  assert.match(shown.text, /rm -rf build[\s\S]*✅ Allowed once/)
})

test('a slash command is answered at once, while a turn hangs', async () => {
  await using all = await open({ script: () => ({ text: 'never', delayMs: 60_000 }) })
  all.service.write({ text: 'hello' })
  await all.service.until(() => all.all.model.requests.length > 0)
  all.service.command('/hermes', 'stop')
  await all.service.until(() => all.service.posts.length > 0)
  assert.match(all.texts()[0] ?? '', /stop/i)
})

test('commands, skills and quick commands are named as they are written in Slack', async () => {
  await using all = await open({ script: echo, config: 'quick_commands: {up: {type: exec, command: echo it is up}}' })
  const skill = all.all.home.path('skills', 'poems', 'haiku')
  await mkdir(skill, { recursive: true })
  await writeFile(join(skill, 'SKILL.md'), '---\nname: haiku\ndescription: Writes a haiku\n---\nWrite one.\n')
  const ask = async (text: string) => {
    const before = all.service.posts.length
    all.service.command('/hermes', text)
    await all.service.until(() => all.service.posts.length > before)
    return all.texts()[before] ?? ''
  }
  assert.match(await ask('help'), /^\/hermes new: [\s\S]*\n\/hermes stop: /)
  await all.service.until(() => /\n\/hermes haiku: Writes a haiku/.test(all.texts().join('\n')))
  assert.match(await ask('help up'), /^\/hermes up: a command of your own$/)
  assert.equal(await ask('up'), 'it is up')
  assert.match(await ask('haiku about rain'), /invoked the skill "haiku"[\s\S]*about rain/)
  assert.equal(await ask('upward we go'), 'You said: upward we go')
})

test('a stranger gets a code for pairing in a direct chat alone', async () => {
  await using all = await open({ script: echo, environment: '' })
  all.service.write({ channel: 'C1', text: '<@UBOT> let me in' })
  all.service.command('/hermes', 'help', { channel_id: 'C1', channel_name: 'general' })
  all.service.write({ text: 'let me in' })
  await all.service.until(() => all.service.posts.length === 1)
  const code = /approve slack ([A-Z2-9]{8})/.exec(all.texts()[0] ?? '')?.[1] ?? ''
  await all.gateway.pairing.approve('slack', code)
  all.service.write({ text: 'now?' })
  await all.service.until(() => all.texts().includes('You said: now?'))
  assert.deepEqual(all.texts('C1'), [])
})

test('a service that cannot be reached for a while loses nothing', async () => {
  await using all = await open({ script: (request) => ({ text: `You said: ${lastUser(request)}`, delayMs: 100 }) })
  all.service.write({ text: 'hello' })
  await all.service.until(() => all.all.model.requests.length > 0)
  all.service.isReachable = false
  while (all.gateway.busy > 0) await new Promise((resolve) => setImmediate(resolve))
  all.service.isReachable = true
  await all.service.until(() => all.service.posts.length > 0)
  assert.match(all.texts()[0] ?? '', /^You said: hello/)
})
