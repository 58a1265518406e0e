import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { startGateway } from '../gateway.ts'
import { configuredPlatforms } from '../life/configured-platforms.ts'
import { openTestGateway } from '../test-gateway.ts'

async function open({ menus = true }: { readonly menus?: boolean } = {}) {
  const all = await startScriptedAgent({ home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nOPENAI_API_KEY=sk-made-up\n' } })
  const gateway = await openTestGateway(all, { buttons: true, menus })
  const { platform } = gateway
  return {
    gateway,
    all,
    platform,
    labels: () => platform.buttons.map(({ label }) => label),
    /** Presses, and resolves when the message has changed. */
    async press(label: string) {
      const before = platform.edits.length
      assert.equal(await platform.press(label), '')
      while (platform.edits.length === before) await new Promise((resolve) => setImmediate(resolve))
      return platform.edits.at(-1)?.text ?? ''
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

test('the model is picked by buttons: a provider, pages of its models, back, and one of them', async () => {
  await using t = await open()
  assert.match(await t.gateway.say('/model'), /Choose a provider:$/)
  const provider = t.labels().find((label) => label.startsWith('openai ('))
  assert.ok(provider, t.labels().join())
  assert.match(await t.press(provider), /choose a model/)
  const [first] = t.labels()
  assert.equal(t.platform.buttons.length > 8, true)
  await t.press('›')
  assert.notEqual(t.labels()[0], first)
  await t.press('Back')
  assert.ok(t.labels().includes(provider))
  await t.press(provider)
  assert.match(await t.press(first ?? ''), new RegExp(`${first}[^]*For this conversation`))
  assert.deepEqual(t.labels(), [])
  assert.match(await t.gateway.say('/model'), new RegExp(String(first)))
})

test('a menu is its asker’s alone, is cancelled without a change, and does nothing once it is closed', async () => {
  await using t = await open()
  await t.gateway.say('/reasoning')
  const cancel = t.platform.buttons.find(({ label }) => label === 'Cancel')
  assert.ok(cancel)
  const group = { chatId: '-5', chatType: 'group' } as const
  await t.gateway.say('/reasoning', { source: group })
  assert.equal(await t.platform.press('high', '8'), 'You may not decide this.')
  await t.gateway.say('/reasoning')
  const buttons = t.platform.buttons
  assert.match(await t.press('Cancel'), /Nothing was changed/)
  assert.ok(!buttons.some(({ label }) => t.labels().includes(label)))
  assert.equal(t.all.context.config.agent.reasoning_effort, '')
})

test('a button that is pressed twice does it once, and chooses nothing of what follows', async () => {
  await using t = await open()
  await t.gateway.say('/model')
  const provider = t.labels().find((label) => label.startsWith('openai ('))
  assert.ok(provider, t.labels().join())
  const presses = [t.platform.press(provider), t.platform.press(provider), t.platform.press(provider)]
  assert.deepEqual(await Promise.all(presses), ['', '', ''])
  while (t.platform.edits.length === 0 || t.gateway.gateway.busy > 0)
    await new Promise((resolve) => setImmediate(resolve))
  assert.equal(t.platform.edits.length, 1)
  assert.match(t.platform.edits[0]?.text ?? '', /choose a model/)
})

test('a choice does what the command does with it', async () => {
  await using t = await open()
  await t.gateway.say('/personality')
  assert.match(await t.press('concise'), /Personality: concise/)
  assert.match(await t.gateway.say('/reasoning'), /^Reasoning: as the model does/)
  assert.match(await t.press('high'), /Reasoning: high/)
})

test('an earlier conversation is gone on with by its button', async () => {
  await using t = await open()
  await t.gateway.say('the first one')
  await t.gateway.idle()
  await t.gateway.say('/new')
  await t.gateway.say('the second one')
  await t.gateway.idle()
  await t.gateway.say('/resume')
  const first = t.labels().find((label) => label.includes('first')) ?? t.labels()[1]
  assert.match(await t.press(first ?? ''), /^Now in /)
})

test('where buttons cannot be changed, choices are a text', async () => {
  await using t = await open({ menus: false })
  assert.match(await t.gateway.say('/model'), /Change it: \/model PROVIDER\/MODEL/)
  assert.equal(t.platform.buttons.length, 0)
})

test('on Telegram the choices are a keyboard of two in a row', async () => {
  await using service = await startTelegram()
  await using all = await startScriptedAgent({
    config: `platforms: {telegram: {extra: {base_url: "${service.url}/bot"}}}`,
    home: { '.env': `TELEGRAM_BOT_TOKEN=${service.token}\nTELEGRAM_ALLOW_ALL_USERS=true\n` },
  })
  const { ready } = await configuredPlatforms(all.context)
  await using _gateway = await startGateway({ agent: all.context, platforms: ready })
  service.write({ text: '/reasoning' })
  await service.until(() => service.messages.length === 1)
  const [card] = service.messages
  assert.ok(card)
  const sent = service.calls.find(({ method }) => method === 'sendMessage')?.params['reply_markup']
  const keyboard = typeof sent === 'string' ? JSON.parse(sent) : sent
  assert.ok(keyboard.inline_keyboard[0].length === 2)
  service.press(card, 'low')
  await service.until(() => /Reasoning: low/.test(service.messages[0]?.text ?? ''))
  assert.equal(service.messages[0]?.buttons?.length ?? 0, 0)
})
