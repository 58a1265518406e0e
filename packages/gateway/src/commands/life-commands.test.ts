import assert from 'node:assert/strict'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { openCheckpoints } from '@hermes/core/checkpoints/open-checkpoints.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { createRestarts, readRestartNotice } from '../life/restarts.ts'
import { openTestGateway } from '../test-gateway.ts'

const signal = new AbortController().signal

function open(config = '') {
  return startScriptedAgent({
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: {
      '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=1\nTELEGRAM_BOT_TOKEN=123456:made-up-token-of-tests\n',
    },
    work: { 'a.txt': 'one\n' },
  })
}

test('/restart asks once for each message, and notes which chat is to be told', async () => {
  await using agent = await open()
  await using all = await openTestGateway(agent)
  assert.match(await all.say('/restart'), /Nothing here would start me again/)
  const home = openHome(agent.home.environment)
  let asked = 0
  const options = { home, drainSeconds: 60, restart: () => void asked++ }
  const source = { platform: 'test', account: 'bot', chatId: '7', chatType: 'dm', threadId: '3', userId: '7' } as const
  const message = { eventId: 'e1', source, text: '/restart', attachments: [], sentAt: 0 }
  assert.equal(await createRestarts({ ...options, before: undefined }).request(message), 'asked')
  const before = await readRestartNotice(home)
  assert.deepEqual([before?.asked.chat_id, before?.asked.thread_id, before?.asked.chat_type], ['7', '3', 'dm'])
  const after = createRestarts({ ...options, before })
  assert.equal(await after.request(message), 'done')
  assert.equal(await after.request({ ...message, eventId: 'e2' }), 'asked')
  assert.equal(asked, 2)
})

test('/rollback lists checkpoints, goes back after consent, and takes the turn out of the conversation', async () => {
  await using agent = await open('checkpoints: {enabled: true}')
  await using all = await openTestGateway(agent)
  assert.match(await all.say('/rollback'), /has not begun yet/)
  await all.say('Change it')
  await all.idle()
  assert.match(await all.say('/rollback'), /No checkpoints of .* yet/)
  const store = await openCheckpoints(agent.work, agent.context)
  await store.take('before write_file: a.txt', [], signal)
  await writeFile(`${agent.work}/a.txt`, 'two\n')
  await writeFile(`${agent.work}/b.txt`, 'made since\n')
  assert.match(await all.say('/rollback'), /1\. before write_file: a\.txt/)
  assert.match(await all.say('/rollback diff 1'), /-one[\s\S]*\+two/)
  assert.match(await all.say('/rollback 9'), /no checkpoint "9"/)
  assert.match(await all.say('/rollback 1'), /remove b\.txt/)
  await all.platform.write('/approve')
  await all.platform.waitForText(/1 file restored, 1 file removed[\s\S]*Out of the conversation, too: Change it/)
  assert.equal(await readFile(`${agent.work}/a.txt`, 'utf8'), 'one\n')
  assert.deepEqual(
    (await readdir(agent.work)).filter((name) => name.endsWith('.txt')),
    ['a.txt'],
  )
})

test('/debug writes a report without secrets, and sends it nowhere', async () => {
  await using agent = await open()
  await using all = await openTestGateway(agent)
  const said = await all.say('/debug')
  const [, path = ''] = /is in (\S+),/.exec(said) ?? []
  const text = await readFile(path, 'utf8')
  assert.match(text, /## Platforms\n\n- test: connected/)
  assert.match(text, /secrets that are set: .*TELEGRAM_BOT_TOKEN/)
  for (const secret of ['made-up-key-123456', 'made-up-token-of-tests']) assert.ok(!text.includes(secret))
  assert.equal(all.platform.sent.length, 1)
})
