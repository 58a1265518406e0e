import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { startGateway } from '../../gateway.ts'
import { configuredPlatforms } from '../../life/configured-platforms.ts'

/** The gateway on the stand-in, in a chat that is to have two topics. */
async function open(extra: string, visionAnswer = 'A cat that laughs.') {
  const service = await startTelegram()
  const all = await startScriptedAgent({
    model: 'gpt-4o',
    script: (request) => {
      const messages = request.body.messages ?? []
      if (JSON.stringify(messages).includes('image_url')) return { text: visionAnswer }
      if (!request.body.tools) return { text: 'A title' }
      const last = messages.findLast(({ role }) => role === 'user')?.content
      return { text: `Heard: ${typeof last === 'string' ? last : JSON.stringify(last)}` }
    },
    config: `memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
auxiliary: {vision: {provider: main}}
platforms:
  telegram:
    extra:
      base_url: "${service.url}/bot"
${extra}`,
    home: { '.env': `TELEGRAM_BOT_TOKEN=${service.token}\nTELEGRAM_ALLOWED_USERS=7\nTELEGRAM_HOME_CHANNEL=7\n` },
  })
  const { ready } = await configuredPlatforms(all.context)
  const gateway = await startGateway({ agent: all.context, platforms: ready })
  return {
    service,
    all,
    gateway,
    config: () => readFile(all.home.path('config.yaml'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await all[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

const topics = `      # What we talk about.
      dm_topics:
        - chat_id: 7
          topics:
            - {name: Work, icon_color: 7322096}
            - {name: Home, thread_id: 99}
`

test('topics of direct chats are made once, and their numbers written down', async () => {
  await using t = await open(topics)
  await t.service.until(() => t.service.calls.some(({ method }) => method === 'createForumTopic'))
  const made = t.service.calls.filter(({ method }) => method === 'createForumTopic')
  assert.deepEqual(
    made.map(({ params }) => params),
    [{ chat_id: '7', name: 'Work', icon_color: 7322096 }],
  )
  let text = await t.config()
  while (!/Work[^}]*thread_id/.test(text)) text = await t.config()
  assert.match(text, /# What we talk about\./)
  const { loadConfig } = await import('@hermes/core/config/load.ts')
  const { config } = await loadConfig({ home: t.all.context.home, environment: t.all.context.environment })
  const setup = (await import('./settings.ts')).readSettings(config, t.all.context.environment)
  assert.ok(setup.state === 'ready')
  assert.deepEqual(setup.settings.newTopics, [])
  assert.deepEqual(
    setup.settings.topics.map(({ chatId, name }) => [chatId, name]),
    [
      ['7', 'Work'],
      ['7', 'Home'],
    ],
  )
})

test('a topic that cannot be made keeps nothing from working', async () => {
  await using t = await open(topics.replace('chat_id: 7', 'chat_id: 8'))
  t.service.fail({ method: 'createForumTopic', type: 'refuse', code: 400, description: 'Bad Request: not a forum' })
  t.service.write({ text: 'hello' })
  await t.service.until(() => t.service.messages.length === 1)
})

test('a sticker is looked at once, and its description told from then on', async () => {
  await using t = await open('')
  // The smallest picture that is one.
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const id = t.service.addFile('sticker.webp', png)
  const sticker = { file_id: id, file_unique_id: 'u1', emoji: '😀', set_name: 'Cats', type: 'regular' }
  for (const count of [1, 2]) {
    t.service.write({ sticker })
    await t.service.until(() => t.service.messages.length === count)
    assert.match(t.service.messages.at(-1)?.text ?? '', /sticker 😀 of the set "Cats"[^]*It shows: A cat that laughs\./)
  }
  assert.equal(t.service.calls.filter(({ method }) => method === 'getFile').length, 1)
  const cache = JSON.parse(await readFile(t.all.home.path('sticker_cache.json'), 'utf8'))
  assert.deepEqual([cache.u1.description, cache.u1.emoji, cache.u1.set_name], ['A cat that laughs.', '😀', 'Cats'])
  t.service.write({ sticker: { ...sticker, file_unique_id: 'u2', is_animated: true } })
  await t.service.until(() => t.service.messages.length === 3)
  assert.doesNotMatch(t.service.messages.at(-1)?.text ?? '', /It shows/)
})
