import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { startGateway } from '../../gateway.ts'
import { configuredPlatforms } from '../../life/configured-platforms.ts'

interface Given {
  readonly home?: Readonly<Record<string, string>>
  readonly script: (request: RecordedRequest) => ScriptedAnswer
  readonly config?: string
  readonly environment?: string
  readonly work?: Readonly<Record<string, string>>
}

/** The whole gateway on Telegram's stand-in. */
async function open({ script, config = '', environment = 'TELEGRAM_ALLOW_ALL_USERS=true', work, home }: Given) {
  const service = await startTelegram()
  const all = await startScriptedAgent({
    script: (request) => (request.body.tools ? script(request) : { text: 'A title' }),
    config: `memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
platforms: {telegram: {extra: {base_url: "${service.url}/bot"}}}
${config}`,
    home: { ...home, '.env': `TELEGRAM_BOT_TOKEN=${service.token}\nTELEGRAM_HOME_CHANNEL=7\n${environment}\n` },
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
    texts: (chatId = 7) => service.messages.filter((message) => message.chatId === chatId).map(({ text }) => text),
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

test('a message on Telegram is answered there, as a reply, in Markdown', async () => {
  await using all = await open({
    config: 'telegram: {reactions: true}',
    script: () => ({ text: '**Hello**, 1.5 times!' }),
  })
  const asked = all.service.write({ text: 'hello' })
  await all.service.until(() => all.service.messages.length === 1)
  const [answer] = all.service.messages
  assert.deepEqual([answer?.text, answer?.replyTo, answer?.entities[0]?.type], ['Hello, 1.5 times!', asked, 'bold'])
  await all.service.until(() => all.service.world.actions.length > 0)
  await all.service.until(() => all.service.world.reactions.length === 2)
  assert.deepEqual(
    all.service.world.reactions.map(({ messageId, emoji }) => [messageId, emoji]),
    [
      [asked, '👀'],
      [asked, '👍'],
    ],
  )
})

test('skills are in the menu of commands, and are called from there', async () => {
  const skill = '---\nname: csv-tools\ndescription: Works with tables of every kind, and draws them.\n---\nBe exact.\n'
  await using all = await open({ script: echo, home: { 'skills/data/csv-tools/SKILL.md': skill } })
  const { commands } = all.service.world
  await all.service.until(() => commands.length > 0)
  const last = { command: 'csv_tools', description: 'Works with tables of every kind, and dr…' }
  assert.deepEqual([commands[0]?.command, commands.at(-1)], ['new', last])
  all.service.write({ text: '/csv_tools look' })
  await all.service.until(() => all.texts().some((text) => /Be exact/.test(text)))
})

test('long answers to several chats at once come whole, and the service never has to refuse one', async () => {
  const words = Array.from({ length: 2_000 }, (_, n) => `word${n} _x_.${n % 40 === 39 ? '\n\n' : ''}`)
  const long = words.join(' ')
  assert.ok(long.length > 20_000)
  const chunks = Array.from({ length: 40 }, (_, n) => words.slice(n * 50, n * 50 + 50).join(' ') + ' ')
  await using all = await open({
    config: 'streaming: {enabled: true, edit_interval: 0.1}',
    script: () => ({ text: chunks, chunkDelayMs: 60 }),
  })
  const chats = [7, 8, 9, -30]
  for (const chatId of chats) all.service.write({ chatId, userId: Math.abs(chatId), text: 'tell me all' })
  const numbers = (text: string) => [...text.matchAll(/word(\d+)/g)].map(([, n]) => Number(n))
  const isWhole = (chatId: number) => numbers(all.texts(chatId).join('\n')).length >= words.length
  await all.service.until(() => chats.every(isWhole))
  for (const chatId of chats) {
    assert.deepEqual(
      numbers(all.texts(chatId).join('\n')),
      words.map((_, n) => n),
    )
    assert.match(all.texts(chatId).at(-1) ?? '', /\((\d)\/\1\)$/)
  }
  assert.deepEqual(all.service.penalties, [])
  const streamed = all.service.messages.filter(({ earlier }) => earlier.length > 0)
  assert.ok(streamed.length > 0, 'it was shown while it came')
})

test('all messages of an answer are replies where that is set', async () => {
  await using all = await open({
    environment: 'TELEGRAM_ALLOW_ALL_USERS=true\nTELEGRAM_REPLY_TO_MODE=all',
    script: () => ({ text: 'many words '.repeat(500) }),
  })
  const asked = all.service.write({ text: 'hello' })
  await all.service.until(() => all.service.messages.length === 2)
  assert.deepEqual(
    all.service.messages.map(({ replyTo }) => replyTo),
    [asked, asked],
  )
})

test('what comes twice, out of order or over broken connections is answered once, in order', async () => {
  await using all = await open({ script: echo, config: 'display: {busy_input_mode: queue}' })
  all.service.isShuffled = true
  all.service.fail({ method: 'getUpdates', type: 'drop-after' }, { method: 'getUpdates', type: 'drop-before' })
  for (const text of ['one', 'two', 'three']) all.service.write({ text })
  await all.service.until(() => all.service.messages.length >= 2)
  all.service.repeat([100, 101, 102])
  all.service.write({ text: 'four' })
  await all.service.until(() => all.texts().includes('You said: four'))
  assert.deepEqual(
    all.texts(),
    ['one', 'two', 'three', 'four'].map((text) => `You said: ${text}`),
  )
})

test('consent is asked for by buttons, which are gone when it is decided', async () => {
  await using all = await open({
    environment: 'TELEGRAM_ALLOWED_USERS=7',
    work: { 'build/x': '' },
    script: (request) =>
      (request.body.messages ?? []).at(-1)?.role === 'tool'
        ? { text: 'Removed.' }
        : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build' } }] },
  })
  all.service.write({ text: 'clean up' })
  const card = () => all.service.messages.find(({ text }) => /needs your consent/.test(text))
  await all.service.until(() => (card()?.buttons.length ?? 0) > 0)
  const asked = card() ?? assert.fail()
  all.service.press(asked, 'Allow once', 66)
  await all.service.until(() => all.service.world.callbackAnswers.length === 1)
  all.service.press(asked, 'Allow once')
  await all.service.until(() => all.texts().includes('Removed.'))
  await all.service.until(() => all.service.world.callbackAnswers.length === 2)
  assert.deepEqual(
    all.service.world.callbackAnswers.map(({ text }) => text),
    ['You may not decide this.', 'Decided.'],
  )
  await all.service.until(() => asked.buttons.length === 0)
  assert.match(asked.text, /rm -rf build[\s\S]*✅ Allowed once/)
})

test('a stranger gets a code for pairing and no answer', async () => {
  await using all = await open({ script: echo, environment: '' })
  all.service.write({ text: 'let me in' })
  await all.service.until(() => all.service.messages.length === 1)
  const code = /approve telegram ([A-Z2-9]{8})/.exec(all.texts()[0] ?? '')?.[1] ?? ''
  await all.gateway.pairing.approve('telegram', code)
  all.service.write({ text: 'now?' })
  await all.service.until(() => all.texts().includes('You said: now?'))
})

test('nothing that strangers send is kept', async () => {
  await using all = await open({ script: echo, environment: 'TELEGRAM_ALLOWED_USERS=42' })
  const file = all.service.addFile('n.md', Buffer.from('# Hi'))
  all.service.write({ document: { file_id: file, file_name: 'n.md', file_size: 4, mime_type: 'text/markdown' } })
  await all.service.until(() => all.texts().length === 1)
  assert.equal(existsSync(all.all.context.home.path('cache', 'documents')), false)
})

test('what came while the gateway was away is answered after its start; what was said is not said again', async () => {
  await using all = await open({ script: echo })
  all.service.write({ text: 'before' })
  await all.service.until(() => all.service.messages.length === 1)
  await all.gateway[Symbol.asyncDispose]()
  all.service.write({ text: 'while away' })
  await all.restart()
  await all.service.until(() => all.service.messages.length === 2)
  assert.deepEqual(all.texts(), ['You said: before', 'You said: while away'])
})

test('a service that cannot be reached for a while loses nothing', async () => {
  await using all = await open({
    script: (request) => ({ text: `You said: ${lastUser(request)}`, delayMs: 100 }),
  })
  all.service.write({ text: 'hello' })
  await all.service.until(() => all.all.model.requests.length > 0)
  all.service.isReachable = false
  while (all.gateway.busy > 0) await new Promise((resolve) => setImmediate(resolve))
  all.service.isReachable = true
  await all.service.until(() => all.service.messages.length > 0)
  assert.match(all.texts()[0] ?? '', /^You said: hello/)
})
