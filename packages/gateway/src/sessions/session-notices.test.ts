import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openGatewayDatabase } from '../store/gateway-database.ts'
import { createChatSessions } from './chat-sessions.ts'
import { watchExpiry } from './expired-sessions.ts'
import { sessionNotices } from './session-notices.ts'

const source = { platform: 'test', account: 'bot', chatId: '7', chatType: 'dm', userId: '7' } as const
const hour = 3_600_000

test('a chat whose session is over by itself is told why, and what should stay of it is kept once', async () => {
  await using all = await startScriptedAgent({
    config: 'session_reset: {mode: idle, idle_minutes: 120}',
    script: () => ({ text: 'Nothing.' }),
  })
  let now = Date.now()
  const agent = { ...all.context, clock: { now: () => now, timeZone: all.context.clock.timeZone } }
  const db = await openGatewayDatabase(all.home)
  const sessions = createChatSessions(db, () => agent)
  await using expiry = watchExpiry({ db, sessions, agent: () => agent })
  const first = await sessions.forMessage('key', source)
  assert.match((await sessionNotices(first, agent)).join(), /\/sethome/)
  const onMobile = { ...first, source: { ...source, platform: 'mobile' } }
  assert.deepEqual(await sessionNotices(onMobile, agent), [], 'a bot takes all that it is told for the answer')
  for (const text of ['one', 'two', 'three']) await all.turn(first.sessionId, text)
  assert.equal(await expiry.sweep(), 0)
  now += 3 * hour
  assert.equal(await expiry.sweep(), 1)
  assert.equal(await expiry.sweep(), 0)
  const next = await sessions.forMessage('key', source)
  assert.notEqual(next.sessionId, first.sessionId)
  const [notice, ...more] = await sessionNotices(next, agent)
  assert.match(notice ?? '', /since nothing was said for 2 h\..*\/resume/)
  assert.deepEqual(more, [])
  db.close()
})
