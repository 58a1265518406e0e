import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { WorkObserver } from '@hermes/core/agent/work-observer.ts'
import { startOtlpCollector } from '@hermes/testing/otlp-collector/server.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import { openTestGateway } from '../test-gateway.ts'

/** A gateway whose doings are written down, as `kind platform outcome`. */
async function open({ environment = 'TEST_ALLOW_ALL_USERS=true', config = '' } = {}) {
  const seen: string[] = []
  const observer: WorkObserver = {
    begin: (work) => ({
      run: (task) => task(),
      end({ status, code }) {
        if (work.kind === 'delivery') seen.push(['delivery', work.platform, status, code].filter(Boolean).join(' '))
        if (work.kind === 'turn') seen.push(`turn ${work.face} ${status}`)
      },
    }),
    note(note) {
      if (note.kind === 'message') seen.push(`message ${note.platform} ${note.outcome}`)
      if (note.kind === 'platform-state') seen.push(`state ${note.platform} ${note.state}`)
    },
  }
  const all = await startScriptedAgent({
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: { '.env': `${environment}\nTEST_HOME_CHANNEL=7\n` },
    context: { component: 'gateway', observers: [observer] },
    script: () => ({ text: 'words of the answer' }),
  })
  const gateway = await openTestGateway(all)
  return { seen, gateway, all }
}

test('who watches is told of messages, turns, deliveries and the state of platforms', async () => {
  const { seen, gateway } = await open()
  await using _closing = gateway
  gateway.platform.failNext(new PlatformError('gone', 'There is no such chat.'))
  await gateway.platform.write('words of a person')
  await gateway.idle()
  await gateway.platform.write('more words')
  // The answer, and that the first one was given up.
  await gateway.platform.waitForSent(2)
  await gateway.idle()
  while (seen.filter((line) => line === 'delivery test sent').length < 2)
    await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(seen.slice(0, 2), ['state test connecting', 'state test connected'])
  const counted = Object.groupBy(seen.slice(2), (line) => line)
  assert.equal(counted['message test queued']?.length, 2)
  assert.equal(counted['turn test completed']?.length, 2)
  assert.equal(counted['delivery test dead gone']?.length, 1)
  assert.equal(counted['delivery test sent']?.length, 2)
})

test('strangers are counted, too', async () => {
  const { seen, gateway } = await open({ environment: '' })
  await using _closing = gateway
  await gateway.platform.write('let me in')
  assert.ok(seen.includes('message test refused'))
})

test('the gateway’s log tells what happens by part, and repeats no words of people', async () => {
  const { gateway, all } = await open()
  await using _closing = gateway
  await gateway.platform.write('words of a person')
  await gateway.platform.waitForSent(1)
  await gateway.idle()
  const path = all.home.path('logs', 'gateway.log')
  const isThere = async () => (await readFile(path, 'utf8')).includes('message delivered')
  while (!(await isThere())) await new Promise((resolve) => setImmediate(resolve))
  const log = await readFile(path, 'utf8')
  assert.match(log, / INFO gateway\.test: platform connected\n/)
  assert.match(log, / INFO gateway\.test: message received \{"chatType":"dm","outcome":"queued"\}\n/)
  assert.match(log, / INFO gateway\.test: message delivered \{"id":\d+,"durationMs":\d+\}\n/)
  assert.doesNotMatch(log, / agent: /)
  const whole = await readFile(all.home.path('logs', 'agent.log'), 'utf8')
  assert.match(whole, / INFO \[\S+\] agent: turn begins \{"face":"test","model":"scripted-model"\}\n/)
  assert.match(whole, / INFO \[\S+\] agent: turn finished /)
  assert.doesNotMatch(whole, /words of/)
})

test('a delivery is a trace of its own, whatever turn has set it going', async () => {
  await using collector = await startOtlpCollector()
  const config = `telemetry: {otlp: {enabled: true, endpoint: "${collector.url}"}}`
  const { gateway } = await open({ config })
  await using _closing = gateway
  await gateway.platform.write('words of a person')
  const spans = await collector.until('send test', 'invoke_agent hermes')
  const [send, turn] = ['send test', 'invoke_agent hermes'].map((name) => spans.find((one) => one.name === name))
  assert.deepEqual([send?.parentSpanId, turn?.parentSpanId], [undefined, undefined])
  assert.notEqual(send?.traceId, turn?.traceId)
  assert.deepEqual([send?.attributes['messaging.system'], send?.attributes['hermes.status']], ['test', 'sent'])
  assert.doesNotMatch(JSON.stringify(spans), /words of/)
})
