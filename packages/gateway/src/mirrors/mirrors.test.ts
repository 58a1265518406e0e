import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openTestGateway } from '../test-gateway.ts'
import { changeMirrors, readMirrors } from './mirrors.ts'

test('answers are shown in the mirrors of their chat, with what was asked; commands and other chats are not', async () => {
  const agent = await startScriptedAgent({
    script: () => ({ text: 'The answer.' }),
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=1\n' },
  })
  await using all = await openTestGateway(agent)
  const home = openHome(agent.home.environment)
  await changeMirrors(home, () => [
    { from: 'test:7', to: 'test:9' },
    { from: 'test:7', to: 'nowhere:1' },
    { from: 'test:9', to: 'test:7' },
  ])
  await all.platform.write('What is it?')
  await all.platform.waitForSent(2)
  await all.idle()
  await all.say('/stop')
  assert.deepEqual(
    all.platform.sent.map(({ chatId, text }) => [chatId, text]),
    [
      ['7', 'The answer.'],
      ['9', '↪ Ann on test: What is it?\n\nThe answer.'],
      ['7', 'Nothing is running.'],
    ],
  )
  await changeMirrors(home, (mirrors) => mirrors.filter(({ to }) => to !== 'test:9'))
  assert.equal((await readMirrors(home)).length, 2)
  assert.equal(await all.say('Again?'), 'The answer.')
  await all.idle()
  assert.equal(all.platform.sent.length, 4)
})

test('a chat gets its answers also where the mirrors cannot be read', async () => {
  const agent = await startScriptedAgent({
    script: () => ({ text: 'The answer.' }),
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=1\n' },
  })
  await using all = await openTestGateway(agent)
  await mkdir(openHome(agent.home.environment).path('gateway_mirrors.json'))
  assert.equal(await all.say('What is it?'), 'The answer.')
})
