import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script } from '@hermes/testing/scripted-model/answer.ts'
import { openTestGateway } from '../test-gateway.ts'

/** Starts what the person writes in the background, and repeats what it is told of it. */
const script: Script = (request) => {
  if (!request.body.tools) return { text: 'T' }
  const last = request.body.messages?.at(-1)
  if (last?.role === 'tool') return { text: 'Begun.' }
  const said = String(last?.content).replace('[Ann]\n', '')
  if (said.startsWith('[Background process')) return { text: `Heard: ${said}` }
  return { toolCalls: [{ name: 'terminal', arguments: { command: said, background: true, notify_on_complete: true } }] }
}

const open = async (config = '') =>
  openTestGateway(
    await startScriptedAgent({
      script,
      config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
      home: { '.env': 'TEST_ALLOWED_USERS=7\nTEST_HOME_CHANNEL=7\n' },
    }),
  )

test('the end of a command in the background is a message to the agent, whose answer comes to the chat', async () => {
  await using all = await open()
  const group = { source: { chatId: 'g', chatType: 'group', threadId: 't', userName: 'Ann' } as const }
  await all.say('sleep 0.3; echo built; exit 3', group)
  await all.platform.waitForText(/^Heard: \[Background process .* ended with exit code 3[^]*built/)
  const [begun, heard] = all.platform.sent
  assert.equal(begun?.text, 'Begun.')
  assert.deepEqual([heard?.chatId, heard?.replyTo], ['g', undefined])
})

test('with display.background_process_notifications failures alone are told, or nothing', async () => {
  await using all = await open('display: {background_process_notifications: error}')
  await all.say('true')
  await all.say('exit 4', { source: { chatId: 'other' } })
  await all.platform.waitForText(/Heard: .* ended with exit code 4/)
  assert.ok(!all.platform.sent.some(({ text }) => /exit code 0/.test(text)))
})
