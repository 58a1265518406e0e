import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openHome } from '@hermes/core/config/home.ts'
import type { Home } from '@hermes/core/config/home.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openGatewayDatabase } from '../store/gateway-database.ts'
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

test('what /stop takes back of an answer does not come in its mirrors either, and all else does', async () => {
  const agent = await startScriptedAgent({
    script: () => ({ text: 'Word after word. '.repeat(400) }),
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=1\n' },
  })
  await using all = await openTestGateway(agent)
  const { platform } = all
  const home = openHome(agent.home.environment)
  await changeMirrors(home, () => [
    { from: 'test:7', to: 'test:9' },
    { from: 'test:8', to: 'test:10' },
  ])
  const released = Promise.withResolvers<void>()
  platform.hold = released.promise
  await platform.write('go')
  await platform.write('go', { source: { chatId: '8', userId: '8' } })
  await all.idle()
  // The first message of each chat and of each mirror.
  await platform.waitForHeld(4)
  await platform.write('/stop')
  platform.hold = undefined
  released.resolve()
  const words = (chatId: string) =>
    platform.sent.filter((one) => one.chatId === chatId).flatMap(({ text }) => text.match(/\bWord\b/g) ?? []).length
  await untilSent(home)
  const [own, mirror, other, otherMirror] = ['7', '9', '8', '10'].map(words)
  assert.deepEqual([mirror, other, otherMirror], [own, 400, 400])
  assert.ok(own !== undefined && own > 0 && own < 400, `${own}`)
})

/** Resolves when nothing is to go out any more. */
async function untilSent(home: Home): Promise<void> {
  const db = await openGatewayDatabase(home)
  const open = db.prepare("SELECT count(*) AS open FROM outbox WHERE state IN ('waiting', 'sending')")
  const limit = AbortSignal.timeout(30_000)
  while ((await db.read(() => open.get()?.['open'])) !== 0) await wait(10, undefined, { signal: limit })
  db.close()
}
