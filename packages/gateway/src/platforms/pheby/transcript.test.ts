import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { TranscriptMessage } from '@hermes/core/models/transcript.ts'
import type { Session } from '@hermes/core/sessions/store.ts'
import { transcriptOf } from './transcript.ts'

const user = (content: string): TranscriptMessage => ({ role: 'user', content })
const assistant = (content: string): TranscriptMessage => ({ role: 'assistant', content, toolCalls: [] })
const summary = user('[CONTEXT COMPACTION — REFERENCE ONLY]\nThey said hello.')

test('what compactions have taken out of a conversation is in its transcript, each message once, and no summary', async () => {
  await using agent = await startScriptedAgent()
  const { sessions } = agent.context
  const texts = async (session: Session, wanted = 500) =>
    (await transcriptOf(session, wanted, agent.context)).map(({ message }) => message.content)
  let session = await sessions.create({ source: 'pheby' })
  const said: string[] = []
  const say = async (message: TranscriptMessage) => {
    await sessions.append(session.id, message)
    said.push(message.content)
  }
  for (let n = 0; n < 4; n++) {
    await say(user(`question ${n}`))
    await say(assistant(`answer ${n}`))
  }
  await say(user('yes'))
  session = await sessions.compact(session.id, [
    user('question 0'),
    assistant('answer 0'),
    summary,
    assistant('answer 3'),
    user('yes'),
  ])
  assert.deepEqual(await texts(session), said)
  await say(assistant('going on'))
  await say(user('yes'))
  await say(assistant('answer 0'))
  assert.deepEqual(await texts(session), said)
  session = await sessions.compact(session.id, [summary, user('yes'), assistant('answer 0')])
  await say(user('and now?'))
  assert.deepEqual(await texts(session), said)
  assert.deepEqual(await texts(session, 2), ['yes', 'answer 0', 'and now?'], 'no further back than is wanted')
})

test('a session that was made of another one otherwise stands for itself', async () => {
  await using agent = await startScriptedAgent()
  const { sessions } = agent.context
  const parent = await sessions.create({ source: 'pheby' })
  await sessions.append(parent.id, user('before'))
  const branch = await sessions.branch(parent.id)
  await sessions.append(branch.id, user('after'))
  const texts = (await transcriptOf(branch, 500, agent.context)).map(({ message }) => message.content)
  assert.deepEqual(texts, ['before', 'after'])
})
