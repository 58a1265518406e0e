import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import type { SentMessage } from '../platforms/test-platform.ts'
import { openTestGateway } from '../test-gateway.ts'

async function open(answer: (n: number) => ScriptedAnswer, config = '') {
  let asked = 0
  const script: Script = (request) => (request.body.tools ? answer(asked++) : { text: 'A title' })
  const all = await startScriptedAgent({
    script,
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n' },
  })
  return openTestGateway(all, { editing: true })
}

const fileOf = (sent: readonly SentMessage[]) =>
  sent.flatMap(({ part }) => (part.type === 'file' ? part.path : []))[0] ?? ''

test('an endless answer comes as its beginning and a file, also while it is shown as it comes', async () => {
  const pieces = Array.from({ length: 1_000 }, (_, at) => `${at}: ${'word '.repeat(at < 10 ? 5 : 400)}\n`)
  const whole = pieces.join('').trim()
  for (const config of ['', 'streaming: {enabled: true, edit_interval: 0.01}']) {
    await using all = await open(() => ({ text: pieces }), config)
    await all.platform.write('go')
    const sent = await all.platform.waitForSent(11)
    await all.idle()
    assert.equal(sent.length, 11)
    assert.ok(sent.every(({ text }) => text.length <= 1_000))
    assert.equal(await readFile(fileOf(sent), 'utf8'), whole)
    assert.match(sent[9]?.text ?? '', /is in the file answer_/)
  }
})

test('what is said between tool calls is one message at most', async () => {
  const calls = [{ name: 'todo', arguments: {} }]
  for (const config of ['', 'streaming: {enabled: true, edit_interval: 0.01}']) {
    await using all = await open(
      (n) => (n === 0 ? { text: 'So much to say. '.repeat(5_000), toolCalls: calls } : { text: 'Done.' }),
      config,
    )
    await all.platform.write('go')
    await all.platform.waitForText(/^So much to say[^▉]*…$/)
    await all.platform.waitForText(/^Done\.$/)
    await all.idle()
    assert.ok([...all.platform.sent, ...all.platform.edits].every(({ text }) => text.length <= 1_000))
  }
})

test('a part that is under way when it is taken back is not tried again', async () => {
  await using all = await open(() => ({ text: 'Word after word. '.repeat(400) }))
  const { platform } = all
  const released = Promise.withResolvers<void>()
  platform.hold = released.promise.then(() => {
    throw new PlatformError('rate-limited', 'too many', { retryAfterMs: 0 })
  })
  platform.hold.catch(() => undefined)
  await platform.write('go')
  await all.idle()
  await platform.waitForHeld(1)
  await platform.write('/stop')
  platform.hold = undefined
  released.resolve()
  await platform.waitForSent(1)
  assert.equal(await all.say('/stop'), 'Nothing is running.')
  assert.deepEqual(
    platform.sent.map(({ text }) => text),
    ['⏹ The rest of the answer does not come any more (6 messages).', 'Nothing is running.'],
  )
})

test('/stop takes back what of an answer has not come, of its own conversation, and nothing else', async () => {
  await using all = await open(() => ({ text: 'Word after word. '.repeat(400) }))
  const { platform } = all
  const released = Promise.withResolvers<void>()
  platform.hold = released.promise
  await platform.write('go')
  await platform.write('go', { source: { chatId: '8', userId: '8' } })
  await all.idle()
  await platform.waitForHeld(2)
  await platform.write('/stop')
  platform.hold = undefined
  released.resolve()
  await platform.waitForText(/The rest of the answer/)
  const other = async () => {
    const texts = platform.sent.filter(({ chatId }) => chatId === '8')
    return texts.some(({ text }) => text.endsWith('(7/7)')) ? texts.length : undefined
  }
  for (let sent = platform.sent.length; (await other()) === undefined; sent++) await platform.waitForSent(sent + 1)
  const own = platform.sent.filter(({ chatId }) => chatId === '7').map(({ text }) => text)
  assert.match(own[0] ?? '', /\(1\/7\)$/)
  assert.deepEqual(own.slice(1), ['⏹ The rest of the answer does not come any more (6 messages).'])
  assert.equal(await other(), 7)
  assert.equal(await all.say('/stop'), 'Nothing is running.')
  await all.restart()
  assert.equal(await all.say('/stop'), 'Nothing is running.')
})
