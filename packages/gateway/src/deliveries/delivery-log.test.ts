import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { temporaryHome } from '@hermes/testing'
import { openHome } from '@hermes/core/config/home.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import { openTestGateway } from '../test-gateway.ts'
import { readDeliveries, retryDelivery } from './delivery-log.ts'

async function open() {
  const all = await startScriptedAgent({
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n' },
    script: () => ({ text: 'words of the answer' }),
  })
  return { home: all.context.home, gateway: await openTestGateway(all) }
}

test('what was given up is listed with why, its words only when asked for, and goes out when it is tried again', async () => {
  const { home, gateway } = await open()
  await using _closing = gateway
  const all = { count: 10 }
  const until = async (states: readonly string[]) => {
    const now = async () => (await readDeliveries(home, all)).map(({ state }) => state).join()
    while ((await now()) !== states.join()) await new Promise((resolve) => setImmediate(resolve))
  }
  gateway.platform.failNext(new PlatformError('refused', 'The bot was blocked.'))
  await gateway.platform.write('one')
  await until(['dead'])
  await gateway.platform.write('two')
  await until(['dead', 'sent'])

  const [dead, sent] = await readDeliveries(home, all)
  assert.deepEqual(
    [dead?.platform, dead?.chatId, dead?.kind, dead?.error, dead?.text],
    ['test', '7', 'text', 'refused: The bot was blocked.', undefined],
  )
  assert.deepEqual([sent?.kind, sent?.messageId, sent?.text], ['unknown', '1', undefined])
  const shown = await readDeliveries(home, { ...all, isFailed: true, withTexts: true })
  assert.deepEqual(
    shown.map(({ id, text }) => [id, text]),
    [[dead?.id, 'words of the answer']],
  )
  assert.deepEqual(await readDeliveries(home, { ...all, platform: 'other' }), [])
  assert.deepEqual(
    (await readDeliveries(home, { count: 1 })).map(({ id }) => id),
    [sent?.id],
  )

  assert.equal(await retryDelivery(home, sent?.id ?? 0, Date.now()), 'unknown')
  assert.equal(await retryDelivery(home, dead?.id ?? 0, Date.now()), 'queued')
  await until(['sent', 'sent'])
  assert.equal(gateway.platform.sent.length, 2)
  assert.equal(await retryDelivery(home, dead?.id ?? 0, Date.now()), 'unknown')
})

test('where nothing was ever to go out there is nothing, and nothing is made', async () => {
  await using temporary = await temporaryHome()
  const home = openHome(temporary.environment)
  assert.deepEqual(await readDeliveries(home, { count: 5 }), [])
  assert.equal(await retryDelivery(home, 1, 0), 'unknown')
})
