import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { boundedMessages } from './bounded-messages.ts'

const chat = { platform: 'telegram', chatId: '7', chatType: 'dm' } as const

const openAgent = (config = '') => startScriptedAgent({ script: () => ({ text: 'x' }), config })

const textsOf = (messages: Awaited<ReturnType<typeof boundedMessages>>) =>
  messages.flatMap(({ part }) => (part.type === 'text' ? part.text : []))

const fileOf = (messages: Awaited<ReturnType<typeof boundedMessages>>) =>
  messages.flatMap(({ part }) => (part.type === 'file' ? part.path : []))[0] ?? ''

test('an endless answer is its beginning in as many messages as a chat bears, and all of it as a file', async () => {
  await using all = await openAgent()
  const text = 'Word after word. '.repeat(1_000_000)
  const limits = { maxLength: 4_096, maxFileBytes: 50_000_000 }
  const messages = await boundedMessages(
    { key: 'reply:1', chat, text, limits, answers: 'e', replyTo: 'm' },
    all.context,
  )
  const texts = textsOf(messages)
  assert.equal(texts.length, 10)
  for (const one of texts) assert.ok(one.length <= limits.maxLength)
  assert.match(texts.at(-1) ?? '', /✂️ All of it \(17,000,000 characters\) is in the file answer_\w+\.md\. \(10\/10\)$/)
  assert.equal(await readFile(fileOf(messages), 'utf8'), text)
  assert.deepEqual(
    messages.map(({ key, replyTo, answers }) => [key, replyTo, answers]).filter((_, at) => at === 0 || at === 10),
    [
      ['reply:1:0', 'm', 'e'],
      ['reply:1:whole', undefined, 'e'],
    ],
  )
})

test('what a chat bears is settable, also for one platform, and is no more messages where those are large', async () => {
  await using all = await openAgent('display: {max_answer_messages: 3, platforms: {discord: {max_answer_messages: 5}}}')
  const count = async (platform: string, maxLength: number) => {
    const text = 'Word after word. '.repeat(maxLength)
    const limits = { maxLength }
    return textsOf(await boundedMessages({ key: 'k', chat: { ...chat, platform }, text, limits }, all.context)).length
  }
  assert.equal(await count('telegram', 4_096), 3)
  assert.equal(await count('discord', 2_000), 5)
  assert.equal(await count('email', 500_000), 1)
})

test('an answer that a chat bears is all there and no file; one that is longer by little is not cut for nothing', async () => {
  await using all = await openAgent()
  for (const words of [1, 100, 150]) {
    const text = Array.from({ length: words }, (_, at) => `word ${at}`).join(' ')
    const messages = await boundedMessages({ key: 'k', chat, text, limits: { maxLength: 160 } }, all.context)
    assert.equal(
      textsOf(messages)
        .map((one) => one.replace(/ \(\d+\/\d+\)$/, ''))
        .join(' '),
      text,
    )
    assert.equal(fileOf(messages), '')
  }
})

test('where a platform takes no files, or none can be written, the last message says what is left out, and where it is', async () => {
  await using all = await openAgent()
  const text = '```js\nlet x = 1\n'.concat('x++\n'.repeat(20_000))
  const message = { key: 'k', chat, text, elsewhere: 'hermes sessions export 1 FILE' }
  const end = /\n```\n\n✂️ Cut here: this has 80,016 characters\. All of it: hermes sessions export 1 FILE \(10\/10\)$/
  const without = await boundedMessages({ ...message, limits: { maxLength: 500, maxFileBytes: 0 } }, all.context)
  assert.equal(without.length, 10)
  assert.match(textsOf(without).at(-1) ?? '', end)
  await mkdir(all.home.path('cache'), { recursive: true })
  await writeFile(all.home.path('cache', 'documents'), 'no folder')
  const full = await boundedMessages({ ...message, limits: { maxLength: 500 } }, all.context)
  assert.equal(full.length, 10)
  assert.match(textsOf(full).at(-1) ?? '', end)
})

test('a file is no larger than its platform takes, and ends with a whole sign', async () => {
  await using all = await openAgent()
  const text = '漢字'.repeat(20_000)
  const limits = { maxLength: 500, maxFileBytes: 1_000 }
  const messages = await boundedMessages({ key: 'k', chat, text, limits }, all.context)
  assert.match(textsOf(messages).at(-1) ?? '', /✂️ The first part of it \(40,000 characters\) is in the file/)
  assert.equal(await readFile(fileOf(messages), 'utf8'), `${'漢字'.repeat(166)}漢`)
})
