import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import { openTestGateway } from '../test-gateway.ts'

async function open(environment: string) {
  const all = await startScriptedAgent({
    script: (request) => ({ text: request.body.tools ? 'The answer.' : 'T' }),
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n',
    home: { '.env': `TEST_ALLOW_ALL_USERS=true\n${environment}` },
  })
  return openTestGateway(all)
}

const told = /⚠️ A message did not go out and was given up:\n- test 7: 1 \(refused: blocked\)[^]*--retry \d+/
const blocked = () => new PlatformError('refused', 'blocked')

test('the owner is told of what was given up, once, on the home channel; that this did not arrive is told to nobody', async () => {
  await using all = await open('TEST_HOME_CHANNEL=Home\n')
  all.platform.failNext(blocked())
  await all.platform.write('hello')
  await all.platform.waitForText(told)
  assert.equal(all.platform.sent.at(-1)?.chatId, 'Home')
  await all.restart()
  await all.platform.write('again')
  await all.platform.waitForText(/The answer\./)
  await all.idle()
  assert.equal(all.platform.sent.filter(({ text }) => text.startsWith('⚠️')).length, 1)

  await using other = await open('TEST_HOME_CHANNEL=Home\n')
  other.platform.failNext(blocked(), blocked())
  await other.platform.write('hello')
  await other.idle()
  await other.restart()
  await other.platform.write('again')
  await other.platform.waitForText(/The answer\./)
  await other.restart()
  assert.deepEqual(
    other.platform.sent.map(({ text }) => text),
    ['The answer.'],
  )
})

test('without another chat to tell it in, its own is told when it speaks again, also after a restart', async () => {
  for (const environment of ['TEST_HOME_CHANNEL=7\n', '']) {
    await using all = await open(environment)
    all.platform.failNext(blocked(), ...(environment ? [] : [blocked()]))
    await all.platform.write('hello')
    await all.idle()
    await all.restart()
    await all.platform.write('from elsewhere', { source: { chatId: '8', userId: '8' } })
    await all.platform.waitForText(/The answer/)
    assert.ok(!all.platform.sent.some(({ text }) => text.includes('given up')))
    await all.platform.write('hello again')
    await all.platform.waitForText(environment ? told : /given up:\n- test 7: \d/)
    assert.equal(all.platform.sent.find(({ text }) => text.includes('given up'))?.chatId, '7')
  }
})
