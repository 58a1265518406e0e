import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script } from '@hermes/testing/scripted-model/answer.ts'
import { openTestGateway } from '../test-gateway.ts'

/** Calls `send_message` with what the person writes as JSON, and says what came of it. */
const script: Script = (request) => {
  if (!request.body.tools) return { text: 'T' }
  const messages = request.body.messages ?? []
  const last = messages.at(-1)
  if (last?.role === 'tool') return { text: String(last.content) }
  const said = String(messages.findLast(({ role }) => role === 'user')?.content)
  if (!said.startsWith('{')) {
    const heard = messages.map(({ content }) => /\[Delivered.*/.exec(String(content))?.[0] ?? '')
    return { text: `Heard: ${heard.join('')}` }
  }
  return { toolCalls: [{ name: 'send_message', arguments: JSON.parse(said) }] }
}

test('the agent writes to other chats, whose conversations know of it; strangers need consent', async () => {
  const all = await startScriptedAgent({
    script,
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\ntools: {search: never}',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=8\n' },
    work: { 'a.pdf': 'x' },
  })
  await using gateway = await openTestGateway(all)
  const { platform } = gateway
  await gateway.say('hello', { source: { chatId: '8', userId: '8', chatName: 'Bob' } })
  const send = async (args: object) => {
    const before = platform.sent.length
    await platform.write(JSON.stringify(args))
    await gateway.idle()
    while (!platform.sent.slice(before).some(({ chatId }) => chatId === '7')) await platform.waitForSent(before + 1)
    return platform.sent.slice(before)
  }
  const message = `Good news.\nMEDIA:${all.work}/a.pdf`
  const sent = await send({ target: 'test', message })
  assert.deepEqual(
    sent.slice(0, 2).map(({ chatId, text, part }) => [chatId, text, part.type]),
    [
      ['8', 'Good news.', 'text'],
      ['8', '', 'file'],
    ],
  )
  assert.match(sent.at(-1)?.text ?? '', /"success":true.*"mirrored":true/)
  const told = await gateway.say('what do you know?', { source: { chatId: '8', userId: '8' } })
  assert.match(told, /\[Delivered from test\] Good news\./)
  assert.match((await send({ action: 'list' })).at(-1)?.text ?? '', /"target":"test:8","name":"(?:Bob|Ann)"/)
  assert.match((await send({ target: 'nowhere', message: 'x' })).at(-1)?.text ?? '', /does not run for/)
  await platform.write(JSON.stringify({ target: 'test:999', message: 'psst' }))
  await platform.waitForText(/needs your consent[^]*test:999/)
  await platform.write('/deny')
  await gateway.idle()
  assert.ok(!platform.sent.some(({ chatId }) => chatId === '999'))
})
