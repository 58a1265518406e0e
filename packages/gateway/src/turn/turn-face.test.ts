import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script } from '@hermes/testing/scripted-model/answer.ts'
import type { FaceQuestion, TurnFace } from '../platforms/turn-face.ts'
import { openTestGateway } from '../test-gateway.ts'

/** A gateway whose platform shows turns by their parts, and what it was told. */
async function open(script: Script) {
  const log: string[] = []
  const asked = Promise.withResolvers<FaceQuestion>()
  const face: TurnFace = {
    begin({ eventId, sessionKey }) {
      log.push(`begin ${eventId} ${sessionKey}`)
      return {
        onEvent: ({ type }) => void log.push(type),
        async end({ isCut }) {
          log.push(`end ${isCut ? 'cut' : 'whole'}`)
          return { chat: { platform: 'test', chatId: '7', chatType: 'dm' }, messageId: `draft-${eventId}` }
        },
        settled: ({ status, texts, files }) => void log.push(`settled ${status} ${texts} ${files}`),
      }
    },
    async ask(question) {
      log.push(`ask ${question.request.kind} ${question.timeoutMs}`)
      asked.resolve(question)
    },
    asked: (question, answer) => void log.push(`asked ${question.id} ${JSON.stringify(answer)}`),
  }
  const agent = await startScriptedAgent({
    script,
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\napprovals: {gateway_timeout: 60}\n',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n' },
  })
  const all = await openTestGateway(agent, { face, editing: true, buttons: true })
  return Object.assign(all, { log, asked: asked.promise })
}

test('a face is told of a turn from beginning to end, and the answer goes into the message that it names', async () => {
  await using all = await open((request) => ({ text: request.body.tools ? 'Hello there.' : 'T' }))
  await all.platform.write('hi')
  await all.platform.waitForText(/Hello there/)
  assert.deepEqual(all.platform.edits, [{ messageId: 'draft-1', text: 'Hello there.' }])
  assert.equal(all.platform.sent.length, 0)
  await all.idle()
  const told = all.log.filter((line) => !['usage', 'notice', 'reasoning-delta'].includes(line))
  assert.equal(told[0], 'begin 1 agent:main:test:dm:7')
  assert.equal(told[1], 'turn-start')
  assert.deepEqual(told.slice(-3), ['turn-end', 'end whole', 'settled completed 1 0'])
  assert.equal(await all.say('/status').then((text) => text.length > 0), true)
  const [status] = all.platform.sent
  assert.deepEqual([status?.answers, status?.isNotice], ['2', true])
})

test('a face shows questions itself, and is told how they ended', async () => {
  await using all = await open((request) => {
    if (!request.body.tools) return { text: 'T' }
    const last = request.body.messages?.at(-1)
    return last?.role === 'tool'
      ? { text: 'Done.' }
      : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
  })
  await all.platform.write('clean up')
  const question = await all.asked
  assert.ok(question.request.kind === 'approval')
  assert.equal(question.sessionKey, 'agent:main:test:dm:7')
  assert.equal(all.platform.sent.length, 0, 'no text with buttons beside it')
  assert.equal(await all.say('/deny'), '⛔ Denied.')
  await all.idle()
  assert.deepEqual(
    all.log.filter((line) => line.startsWith('ask')),
    ['ask approval 60000', `asked ${question.id} {"kind":"approval","choice":"deny"}`],
  )
})
