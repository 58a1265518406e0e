import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { startDiscord } from '@hermes/testing/discord/server.ts'
import { ids } from '@hermes/testing/discord/world.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { startGateway } from '../../gateway.ts'
import { configuredPlatforms } from '../../life/configured-platforms.ts'

interface Given {
  readonly home?: Readonly<Record<string, string>>
  readonly script: (request: RecordedRequest) => ScriptedAnswer
  readonly config?: string
  readonly environment?: string
  readonly work?: Readonly<Record<string, string>>
}

/** The whole gateway on Discord's stand-in. */
async function open({ script, config = '', environment = 'DISCORD_ALLOW_ALL_USERS=true', work, home }: Given) {
  const service = await startDiscord()
  const all = await startScriptedAgent({
    script: (request) => (request.body.tools ? script(request) : { text: 'A title' }),
    config: `memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
platforms: {discord: {extra: {base_url: "${service.apiUrl}", cdn_url: "${service.cdnUrl}"}}}
${config}`,
    home: { ...home, '.env': `DISCORD_BOT_TOKEN=${service.token}\nDISCORD_HOME_CHANNEL=${ids.dm}\n${environment}\n` },
    ...(work && { work }),
  })
  const start = async () => {
    const { ready } = await configuredPlatforms(all.context)
    const started = await startGateway({ agent: all.context, platforms: ready })
    await service.until(() => service.gateway.live === 1)
    return started
  }
  let gateway = await start()
  return {
    service,
    all,
    texts: (channelId: string = ids.dm) =>
      service.messages.filter((message) => message.channelId === channelId).map(({ content }) => content),
    get gateway() {
      return gateway
    },
    async restart() {
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

const mention = `<@${ids.me}>`
const named = { mentions: [{ id: ids.me, username: 'hermes', bot: true }] }

test('a message on Discord is answered there, as a reply, with typing and reactions', async () => {
  await using all = await open({ script: () => ({ text: '**Hello**!' }) })
  const asked = all.service.write({ content: 'hello' })
  await all.service.until(() => all.service.messages.length === 1)
  const [answer] = all.service.messages
  assert.deepEqual([answer?.content, answer?.replyTo], ['**Hello**!', asked])
  await all.service.until(() => all.service.world.typing.length > 0)
  await all.service.until(() => all.service.world.reactions.length === 3)
  assert.deepEqual(
    all.service.world.reactions.map(({ messageId, emoji, act }) => [messageId, emoji, act]),
    [
      [asked, '👀', 'add'],
      [asked, '👀', 'remove'],
      [asked, '✅', 'add'],
    ],
  )
})

test('/stop in a channel ends what its writer asked for in a thread of it', async () => {
  await using all = await open({ script: () => ({ text: ['…'], fault: { type: 'stall', afterChunks: 1 } }) })
  all.service.write({ channel: ids.general, content: `${mention} dig`, ...named })
  await all.all.model.arrived(1)
  all.service.command('stop', {}, { channel: ids.general })
  await all.service.until(() =>
    all.texts(ids.general).some((text) => /Stopped what you asked for in a thread here/.test(text)),
  )
})

test('/thread makes a thread with what is said in it, and tells where there can be none', async () => {
  await using all = await open({ script: echo })
  const { world } = all.service
  all.service.command('thread', { name: 'Trip', message: 'where to?', archive: '60' }, { channel: ids.general })
  await all.service.until(() => world.answers.some(({ content }) => /^<#\d+>$/.test(content ?? '')))
  const thread = [...world.channels.values()].find(({ name }) => name === 'Trip') ?? assert.fail('no thread')
  await all.service.until(() => all.texts(thread.id).length === 1)
  all.service.write({ channel: thread.id, content: 'and back?' })
  await all.service.until(() => all.texts(thread.id).length === 2)
  assert.match(all.texts(thread.id)[1] ?? '', /and back\?/)
  all.service.command('thread', { name: 'Here' })
  await all.service.until(() =>
    world.answers.some(({ content }) => /no threads in direct messages/.test(content ?? '')),
  )
  world.threadless.add(ids.general)
  all.service.command('thread', { name: 'There' }, { channel: ids.general })
  await all.service.until(() => world.answers.some(({ content }) => /did not let me/.test(content ?? '')))
})

test('a question in a channel is answered in a thread, where the conversation goes on without mentions', async () => {
  await using all = await open({ script: echo })
  const asked = all.service.write({ channel: ids.general, content: `${mention} what now?`, ...named })
  await all.service.until(() => all.texts(asked).length === 1)
  assert.match(all.texts(asked)[0] ?? '', /^You said: \[Ann\]\nwhat now\?$/)
  all.service.write({ channel: asked, user: ids.bob, content: 'and I?' })
  await all.service.until(() => all.texts(asked).length === 2)
  assert.match(all.texts(asked)[1] ?? '', /\[bob\.b\]\nand I\?/)
  assert.deepEqual(all.texts(ids.general), [])
})

test('long answers to several chats at once come whole, fences unbroken, and nothing is refused', async () => {
  const lines = Array.from({ length: 150 }, (_, n) => `line${n} ${'x'.repeat(20)}`)
  const whole = `Here:\n\`\`\`js\n${lines.join('\n')}\n\`\`\`\nDone.`
  const chunks = Array.from({ length: 30 }, (_, n) =>
    whole.slice((n * whole.length) / 30, ((n + 1) * whole.length) / 30),
  )
  await using all = await open({
    config: 'streaming: {enabled: true, edit_interval: 0.1}\ndiscord: {auto_thread: false, require_mention: false}',
    script: () => ({ text: chunks, chunkDelayMs: 40 }),
  })
  const channels = [ids.dm, ids.general, ids.other]
  for (const channel of channels) all.service.write({ channel, content: 'tell me all' })
  const numbers = (channel: string) =>
    [
      ...all
        .texts(channel)
        .join('\n')
        .matchAll(/line(\d+) /g),
    ].map(([, n]) => Number(n))
  await all.service.until(() => channels.every((one) => /Done\./.test(all.texts(one).at(-1) ?? '')))
  for (const channel of channels) {
    assert.deepEqual(
      numbers(channel),
      lines.map((_, n) => n),
    )
    for (const text of all.texts(channel)) {
      assert.ok(text.length <= 2_000)
      assert.equal([...text.matchAll(/^```/gm)].length % 2, 0, text)
    }
  }
  assert.deepEqual(all.service.refusals, [])
  assert.ok(
    all.service.messages.some(({ earlier }) => earlier.length > 0),
    'it was shown while it came',
  )
})

test('consent is asked for by buttons, which are gone when it is decided', async () => {
  await using all = await open({
    environment: 'DISCORD_ALLOWED_USERS=@ann\nDISCORD_AUTO_THREAD=false',
    work: { 'build/x': '' },
    script: (request) =>
      (request.body.messages ?? []).at(-1)?.role === 'tool'
        ? { text: 'Removed.' }
        : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build' } }] },
  })
  all.service.write({ channel: ids.general, content: `${mention} clean up`, ...named })
  const card = () => all.service.messages.find(({ content }) => /needs your consent/.test(content))
  await all.service.until(() => (card()?.buttons.length ?? 0) > 0)
  const asked = card() ?? assert.fail()
  all.service.press(asked, 'Allow once', ids.bob)
  await all.service.until(() => all.service.world.answers.length === 1)
  all.service.press(asked, 'Allow once')
  await all.service.until(() => all.texts(ids.general).includes('Removed.'))
  await all.service.until(() => all.service.world.answers.length === 2)
  assert.deepEqual(
    all.service.world.answers.map(({ content }) => content),
    ['You may not decide this.', 'Decided.'],
  )
  await all.service.until(() => asked.buttons.length === 0)
  assert.match(asked.content, /rm -rf build[\s\S]*✅ Allowed once/)
})

test('a choice by a button changes its message, and tells nothing beside it', async () => {
  await using all = await open({ script: () => ({ text: 'Done.' }) })
  all.service.write({ content: '/reasoning' })
  await all.service.until(() => all.service.messages.length === 1)
  const card = all.service.messages[0] ?? assert.fail()
  all.service.press(card, 'low')
  await all.service.until(() => /Reasoning: low/.test(card.content))
  assert.deepEqual(card.buttons, [])
  await all.service.until(() => all.service.world.answers.length > 0)
  assert.deepEqual(
    all.service.world.answers.map(({ type, content }) => [type, content]),
    [[6, '']],
  )
})

test('skills are slash commands, too', async () => {
  const skill = '---\nname: csv-tools\ndescription: Works with tables.\n---\nBe exact.\n'
  await using all = await open({ script: echo, home: { 'skills/data/csv-tools/SKILL.md': skill } })
  const { world } = all.service
  await all.service.until(() => world.commandWrites === 1)
  const last = world.commands.at(-1)
  assert.deepEqual([last?.name, last?.description], ['csv-tools', 'Works with tables.'])
  all.service.command('csv-tools', { args: 'look' })
  await all.service.until(() => all.texts().some((text) => /Be exact/.test(text)))
})

test('a slash command is answered while a turn runs, and a stranger gets a code', async () => {
  await using all = await open({
    script: () => ({ text: 'late', delayMs: 120_000 }),
    environment: `DISCORD_ALLOWED_USERS=${ids.bob}`,
  })
  all.service.write({ content: 'let me in' })
  await all.service.until(() => all.service.messages.length === 1)
  const code = /approve discord ([A-Z2-9]{8})/.exec(all.texts()[0] ?? '')?.[1] ?? ''
  await all.gateway.pairing.approve('discord', code)
  all.service.write({ content: 'think long' })
  await all.service.until(() => all.all.model.requests.length > 0)
  all.service.command('stop', {})
  // The turn itself would take longer than that.
  await all.service.until(() => all.texts().length >= 2)
  assert.match(all.texts()[1] ?? '', /[Ss]top/)
})

test('nothing that strangers send is kept', async () => {
  await using all = await open({ script: echo, environment: 'DISCORD_ALLOWED_USERS=42' })
  const file = all.service.addFile('n.md', Buffer.from('# Hi'), { content_type: 'text/markdown' })
  all.service.write({ content: 'look', attachments: [file] })
  await all.service.until(() => all.texts().length === 1)
  assert.match(all.texts()[0] ?? '', /hermes pairing approve discord/)
  assert.equal(existsSync(all.all.context.home.path('cache', 'documents')), false)
})

test('what comes again after a broken connection, or while the gateway was away, is answered once', async () => {
  await using all = await open({ script: echo, config: 'display: {busy_input_mode: queue}' })
  all.service.write({ content: 'one' })
  await all.service.until(() => all.texts().length === 1)
  all.service.gateway.repeats = 20
  all.service.gateway.drop()
  all.service.write({ content: 'two' })
  await all.service.until(() => all.texts().length === 2)
  await all.gateway[Symbol.asyncDispose]()
  all.service.keep({ content: 'three' })
  await all.restart()
  await all.service.until(() => all.texts().length === 3)
  assert.deepEqual(
    all.texts(),
    ['one', 'two', 'three'].map((text) => `You said: ${text}`),
  )
})
