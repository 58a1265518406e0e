import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createPairingStore } from '@hermes/gateway/access/pairing-store.ts'
import { type TemporaryHome, temporaryHome } from '@hermes/testing'
import { runForTest } from './auth/run-for-test.ts'
import { command } from './pairing.ts'

const pairing = (home: TemporaryHome, ...argv: readonly string[]) =>
  runForTest(command, argv, { environment: home.environment })

test('people are let in by their code, listed, and put out again', async () => {
  await using home = await temporaryHome()
  assert.match((await pairing(home, 'list')).stdout, /Nobody waits/)
  const store = createPairingStore({ dir: home.dir, path: (...parts) => home.path(...parts) }, Date.now)
  const asked = await store.request('telegram', '42', 'Ann\u001b[2J')
  assert.ok(asked.type === 'code')
  const waits = await pairing(home, 'list')
  assert.match(waits.stdout, new RegExp(`^waits +telegram +${asked.code} {2}Ann.*\\(42\\), 0 min ago`))
  assert.ok(!waits.stdout.includes('\u001b'))
  const approved = await pairing(home, 'approve', 'telegram', asked.code.toLowerCase())
  assert.match(approved.stdout, /✓ Ann.* may speak to the agent on telegram now/)
  assert.deepEqual(JSON.parse((await pairing(home, 'list', '--json')).stdout).pending, [])
  assert.match((await pairing(home, 'list')).stdout, /^let in +telegram +Ann/)
  assert.equal((await pairing(home, 'revoke', 'telegram', '42')).code, 0)
})

test('a wrong code or person is told with exit code 1, a missing one with 2', async () => {
  await using home = await temporaryHome()
  const wrong = await pairing(home, 'approve', 'telegram', 'ABCDEFGH')
  assert.deepEqual([wrong.code, /older than an hour/.test(wrong.stderr)], [1, true])
  assert.equal((await pairing(home, 'revoke', 'telegram', '1')).code, 1)
  assert.equal((await pairing(home, 'approve', 'telegram')).code, 2)
  assert.equal((await pairing(home, 'clear-pending')).stdout, '✓ 0 codes taken back.\n')
})

test('the fifth wrong code says until when nobody gets a new one', async () => {
  await using home = await temporaryHome()
  const told = []
  for (let n = 0; n < 5; n++) told.push((await pairing(home, 'approve', 'telegram', `WRNG234${n}`)).stderr)
  assert.deepEqual(
    told.map((text) => /nobody gets a new code there until \d\d:\d\d\./.test(text)),
    [false, false, false, false, true],
  )
})

test('a platform that there is not is told, counts as no wrong code, and settings that are wrong hinder nothing', async () => {
  await using home = await temporaryHome({ 'config.yaml': 'agent: {max_turns: many}\n' })
  const store = createPairingStore({ dir: home.dir, path: (...parts) => home.path(...parts) }, Date.now)
  const [asked, old] = [await store.request('telegram', '42', 'Ann'), await store.request('whatsapp', '43', 'Bob')]
  assert.ok(asked.type === 'code' && old.type === 'code')
  assert.equal((await pairing(home, 'approve', 'Telegram', asked.code)).code, 0)
  // A code of the other program's platform can still be approved.
  assert.equal((await pairing(home, 'approve', 'whatsapp', old.code)).code, 0)
  assert.equal((await pairing(home, 'revoke', 'telegram', '42')).code, 0)
  await writeFile(home.path('config.yaml'), '')
  const before = await readFile(home.path('platforms', 'pairing', '_rate_limits.json'), 'utf8')
  const wrong = await pairing(home, 'approve', 'telegramm', 'ABCDEFGH')
  assert.deepEqual([wrong.code, /no platform "telegramm", only .*telegram/.test(wrong.stderr)], [2, true])
  assert.equal(await readFile(home.path('platforms', 'pairing', '_rate_limits.json'), 'utf8'), before)
})
