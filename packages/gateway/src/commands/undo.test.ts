import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeLastExchange } from '@hermes/core/sessions/last-exchange.ts'
import type { SessionStore } from '@hermes/core/sessions/store.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openGatewayDatabase } from '../store/gateway-database.ts'
import { createInbox } from '../store/inbox.ts'
import type { Inbox } from '../store/inbox.ts'
import { openTestGateway } from '../test-gateway.ts'

const limit = { timeout: 60_000 }
const source = { platform: 'test', account: 'bot', chatId: '7', chatType: 'dm', userId: '7' } as const
const call = { eventId: 'undo', source, text: '/undo', attachments: [], sentAt: 1 }
const key = 'agent:main:test:dm:7'

async function open() {
  const agent = await startScriptedAgent({
    script: ({ body }) => {
      const said = (body.messages ?? []).filter(({ role }) => role === 'user').map(({ content }) => String(content))
      return { text: body.tools ? said.join(' | ') : 'T' }
    },
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n' },
  })
  const gateway = await openTestGateway(agent)
  const db = await openGatewayDatabase(agent.context.home)
  for (const text of ['one', 'two', 'three']) await gateway.say(text)
  await gateway.idle()
  const [row] = db.prepare('SELECT session_id FROM chat_sessions').all()
  return Object.assign(gateway, {
    db,
    inbox: createInbox(db, () => 1),
    sessionId: String(row?.['session_id']),
    sessions: () => agent.context.sessions,
  })
}

interface Killed {
  readonly inbox: Inbox
  readonly sessions: SessionStore
  readonly sessionId: string
}

/** What a process had done of it when it was killed. */
const steps: Readonly<Record<string, (killed: Killed, id: number) => Promise<void>>> = {
  'before anything was done': async () => {},
  'when nothing was taken back': async ({ inbox, sessions, sessionId }, id) =>
    inbox.begin(id, sessionId, (await sessions.messages(sessionId)).length),
  'when it was taken back': async ({ inbox, sessions, sessionId }, id) => {
    await inbox.begin(id, sessionId, (await sessions.messages(sessionId)).length)
    await removeLastExchange(sessions, sessionId)
  },
}

for (const [when, done] of Object.entries(steps)) {
  test(`/undo of a process that was killed ${when} takes back one exchange`, limit, async () => {
    await using all = await open()
    const entry = await all.inbox.add(call, key)
    await done({ ...all, sessions: all.sessions() }, entry?.id ?? 0)
    all.db.close()
    await all.restart()
    await all.platform.waitForText(/Taken back/)
    assert.equal(await all.say('four'), 'one | two | four')
  })
}

test('/undo that cannot be noted as done takes back one exchange', limit, async () => {
  await using all = await open()
  all.db.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON inbox WHEN NEW.state = 'answered'
    BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  await all.platform.write('/undo')
  await all.idle()
  all.db.exec('DROP TRIGGER refuse')
  all.db.close()
  await all.restart()
  await all.platform.waitForText(/Taken back/)
  assert.equal(await all.say('four'), 'one | two | four')
  await all.idle()
  assert.match(await all.say('/undo'), /Taken back: four/)
})
