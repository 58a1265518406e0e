import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { fakeAgent } from '../fake-agent.ts'
import { cron } from './cron.ts'
import { slashTestChat } from './slash-test-chat.ts'
import { splitWords } from './split-words.ts'

test('/cron makes, lists, completes and removes jobs as the command does', async () => {
  await using home = await temporaryHome()
  const agent = await fakeAgent(home.dir)
  const { chat, shown } = slashTestChat(agent)
  await cron.run('create "every weekday at 9" "Say hello to Ann"', chat)
  assert.match(shown[0] ?? '', /^Created: [0-9a-f]{12} {2}Say hello to Ann/)
  assert.match(shown[1] ?? '', /^warning: ! No scheduler runs/)
  const id = /[0-9a-f]{12}/.exec(shown[0] ?? '')?.[0] ?? ''
  assert.deepEqual(await cron.complete?.(`pause ${id.slice(0, 4)}`, chat), [
    { value: `pause ${id}`, description: 'Say hello to Ann' },
  ])
  shown.length = 0
  await cron.run('', chat)
  assert.match(shown[0] ?? '', /schedule {7}every weekday at 9/)
  shown.length = 0
  await cron.run(`pause ${id} --reason "away for a week"`, chat)
  assert.match(shown[0] ?? '', /\[paused\][^]*away for a week/)
  shown.length = 0
  await cron.run('remove nothing', chat)
  assert.match(shown[0] ?? '', /^warning: "nothing" is no job/)
  shown.length = 0
  await cron.run(`remove ${id}`, chat)
  assert.match(shown[0] ?? '', /^Removed/)
  await agent.sessions.close()
})

test('quotes hold words together', () => {
  assert.deepEqual(splitWords(`create "every 2h" 'it''s' a\\ b "" x`), ['create', 'every 2h', 'its', 'a b', '', 'x'])
  assert.deepEqual(splitWords('  '), [])
})
