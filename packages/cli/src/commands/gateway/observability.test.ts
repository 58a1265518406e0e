import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { openGatewayDatabase } from '@hermes/gateway/store/gateway-database.ts'
import { createOutbox } from '@hermes/gateway/store/outbox.ts'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { gatewayProgram } from './test-program.ts'

test('a gateway lets Prometheus read its metrics where that is asked for', async () => {
  await using model = await startScriptedModel(() => ({ text: 'Here.' }))
  await using home = await temporaryHome({
    'config.yaml': `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456}\n`,
  })
  const key = 'made-up-key-of-the-tests'
  const own = { API_SERVER_KEY: key, API_SERVER_PORT: '0', HERMES_METRICS_PORT: '0' }
  const { argv, env } = await gatewayProgram(home, own)
  const child = spawn(process.execPath, argv(['run']), { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let told = ''
  for await (const text of child.stderr.setEncoding('utf8')) {
    told += String(text)
    if (told.includes('runs for')) break
  }
  const [, api = '', metrics = ''] = /API server \((\S+)\), .*metrics \((\S+)\)/.exec(told) ?? []
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Are you there?' }] })
  await (await fetch(`${api}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  const text = await (await fetch(metrics)).text()
  assert.match(text, /^hermes_turns_total\{platform="api_server",status="completed"\} 1$/m)
  assert.match(text, /^hermes_inbox_messages\{state="waiting"\} 0$/m)
  assert.match(text, /^process_resident_memory_bytes \d+$/m)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('deliveries are shown by the latest, and what was given up is queued again', async () => {
  await using home = await temporaryHome({})
  const db = await openGatewayDatabase(openHome(home.environment))
  const outbox = createOutbox(db, () => Date.now())
  const chat = { platform: 'telegram', chatId: '7', chatType: 'dm' } as const
  await outbox.add(['one', 'two'].map((text) => ({ key: text, chat, part: { type: 'text', text } })))
  await outbox.dead(1, 'gone: no such chat')
  db.close()
  const { run } = await gatewayProgram(home)
  const list = await run('deliveries')
  assert.match(list.stdout, /^ {5}1 {2}\S+ \S+ {2}given up {13}telegram:7 {2}gone: no such chat\n {5}2 .* waits .*\n$/)
  assert.match((await run('deliveries', '--failed', '--text')).stdout, /“one”\n$/)
  const found: unknown = JSON.parse((await run('deliveries', '--json', '-n', '1')).stdout)
  assert.match(JSON.stringify(found), /^\[\{"id":2,"platform":"telegram","chatId":"7","state":"waiting","kind":"text"/)
  assert.match((await run('deliveries', '--retry', '1')).stdout, /1 is queued again/)
  assert.equal((await run('deliveries', '--retry', '1')).code, 1)
  assert.match((await run('deliveries', '--failed')).stdout, /^Nothing of that kind/)
})
