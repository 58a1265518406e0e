import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { RecordedRequest } from '@hermes/testing'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { scriptedConfig, startHermes } from './run-hermes.ts'
import type { RunningHermes } from './run-hermes.ts'

/** What was said, or what a restart interrupted. */
function lastNumber({ body }: RecordedRequest): string {
  const texts = (body.messages ?? []).flatMap(({ role, content }) => (role === 'user' ? JSON.stringify(content) : []))
  return texts.flatMap((text) => text.match(/message \d+/g) ?? []).at(-1) ?? 'nothing'
}

async function open() {
  const service = await startTelegram()
  const model = await startScriptedModel((request) => ({
    text: request.body.tools ? `Answer to ${lastNumber(request)}` : 'A title',
    delayMs: 30,
  }))
  const home = await temporaryHome({
    ...scriptedConfig(
      model.url,
      `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\ndisplay: {busy_input_mode: queue}
platforms: {telegram: {extra: {base_url: "${service.url}/bot"}}}\n`,
    ),
    '.env': `TELEGRAM_BOT_TOKEN=${service.token}\nTELEGRAM_ALLOWED_USERS=7,8,9\nTELEGRAM_HOME_CHANNEL=7\n`,
  })
  let running: RunningHermes | undefined
  return {
    service,
    start() {
      running = startHermes(['gateway', 'run'], home.environment, { cwd: home.dir })
      return running
    },
    answers: (chatId: number) =>
      service.messages
        .filter((message) => message.chatId === chatId)
        .map(({ text }) => text.replace(/\n\n\(Perhaps sent twice.*\)$/, '')),
    async [Symbol.asyncDispose]() {
      running?.kill('SIGKILL')
      await running?.ended
      await service[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('the built gateway answers on Telegram and ends in order', { timeout: 170_000 }, async () => {
  await using all = await open()
  const gateway = all.start()
  all.service.write({ text: 'message 1' })
  await all.service.until(() => all.service.messages.length === 1)
  assert.deepEqual(all.answers(7), ['Answer to message 1'])
  gateway.kill('SIGTERM')
  const { stdout, stderr } = await gateway.ended
  assert.match(stdout + stderr, /The gateway runs for Telegram[\s\S]*The gateway has stopped/)
  assert.ok(!(stdout + stderr).includes(all.service.token))
  assert.doesNotMatch(stderr, /Warning/)
})

test('kill -9 again and again loses no message and keeps the order of each chat', { timeout: 170_000 }, async () => {
  await using all = await open()
  const chats = [7, 8, 9]
  const [each, kills] = [4, 4]
  let gateway = all.start()
  for (let n = 0; n < each; n++) {
    for (const chatId of chats) all.service.write({ chatId, userId: chatId, text: `message ${n}` })
    await wait(150)
  }
  for (let n = 0; n < kills; n++) {
    const before = all.service.messages.length
    await all.service.until(() => all.service.messages.length > before)
    gateway.kill('SIGKILL')
    await gateway.ended
    gateway = all.start()
  }
  await all.service.until(
    () => chats.every((chatId) => all.answers(chatId).includes(`Answer to message ${each - 1}`)),
    60_000,
  )
  for (const chatId of chats) {
    // What the kill caught between sending and noting it may come a second time, and says so.
    const once = all.answers(chatId).filter((text, at, texts) => text !== texts[at - 1])
    assert.deepEqual(
      once,
      Array.from({ length: each }, (_, n) => `Answer to message ${n}`),
    )
  }
  await all.service.until(() => all.service.pending === 0)
  gateway.kill('SIGTERM')
  await gateway.ended
})
