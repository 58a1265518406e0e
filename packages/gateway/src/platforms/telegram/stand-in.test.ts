import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { Bot, GrammyError, InlineKeyboard, InputFile } from 'grammy'

test('grammY’s own Bot runs unmodified against the stand-in', async () => {
  await using telegram = await startTelegram()
  const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } })
  bot.command('start', (context) => context.reply('Welcome', { reply_markup: new InlineKeyboard().text('Go', 'go') }))
  bot.on('message:text', (context) => context.reply(`*${context.message.text}*`, { parse_mode: 'MarkdownV2' }))
  bot.on('callback_query:data', (context) => context.answerCallbackQuery({ text: context.callbackQuery.data }))
  bot.on('message:photo', async (context) => {
    const file = await context.getFile()
    await context.replyWithDocument(new InputFile(Buffer.from(file.file_path ?? ''), 'path.txt'), { caption: 'Here' })
  })
  const running = bot.start()
  telegram.write({ text: '/start', entities: [{ type: 'bot_command', offset: 0, length: 6 }] })
  telegram.write({ text: 'hello' })
  await telegram.until(() => telegram.messages.length === 2)
  const [welcome, echo] = telegram.messages
  assert.equal(welcome?.text, 'Welcome')
  assert.deepEqual([echo?.text, echo?.entities[0]?.type], ['hello', 'bold'])
  if (welcome) telegram.press(welcome, 'Go')
  await telegram.until(() => telegram.world.callbackAnswers.length === 1)
  const photo = telegram.addFile('a.jpg', Buffer.from('x'))
  telegram.write({ photo: [{ file_id: photo, file_unique_id: photo, width: 1, height: 1 }] })
  await telegram.until(() => telegram.messages.length === 3)
  assert.match(telegram.messages[2]?.file?.bytes.toString() ?? '', /^files\/file1\/a\.jpg$/)
  await bot.stop()
  await running
})

test('the stand-in refuses what the service refuses', async () => {
  await using telegram = await startTelegram({ penalty: 5 })
  const { api } = new Bot(telegram.token, { client: { apiRoot: telegram.url } })
  const said = async (promise: Promise<unknown>) => {
    const error = await promise.then(
      () => undefined,
      (refusal: unknown) => refusal,
    )
    assert.ok(error instanceof GrammyError, String(error))
    return [error.error_code, error.description, error.parameters.retry_after]
  }
  const markdown = { parse_mode: 'MarkdownV2' } as const
  assert.match(
    String(await said(api.sendMessage(1, 'a.b', markdown))),
    /can't parse entities: Character '\.' is reserved/,
  )
  assert.match(String(await said(api.sendMessage(2, '*a', markdown))), /can't parse entities: Can't find end of bold/)
  assert.match(String(await said(api.sendMessage(3, '_a__b_', markdown))), /can't parse entities/)
  assert.match(String(await said(api.sendMessage(4, 'x'.repeat(4097)))), /message is too long/)
  assert.match(String(await said(api.sendMessage(5, ' '))), /message text is empty/)
  assert.match(String(await said(api.sendMessage(6, 'x', { message_thread_id: 9 }))), /message thread not found/)
  assert.match(
    String(await said(api.sendMessage(7, 'x', { reply_parameters: { message_id: 99 } }))),
    /replied not found/,
  )
  const { message_id: id } = await api.sendMessage(8, 'x')
  assert.match(String(await said(api.editMessageText(8, id, 'x'))), /message is not modified/)
  await api.sendMessage(8, 'x')
  assert.deepEqual(await said(api.sendMessage(8, 'x')), [429, 'Too Many Requests: retry after 5', 5])
  assert.deepEqual(await said(api.sendMessage(8, 'x')), [429, 'Too Many Requests: retry after 10', 10])
  const other = new Bot('1:wrong', { client: { apiRoot: telegram.url } })
  assert.deepEqual((await said(other.api.getMe()))[0], 401)
  const first = said(api.getUpdates({ timeout: 20 }))
  await telegram.until(() => telegram.calls.some(({ method }) => method === 'getUpdates'))
  await api.getUpdates({ timeout: 0 })
  assert.equal((await first)[0], 409)
})
