import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { openHome } from '../config/home.ts'
import { type AuthFile, createAuthFile } from './auth-file.ts'
import { manualClock } from './manual-clock.ts'
import { openTestPool } from './test-pool.ts'

const fixtures = process.env['HERMES_FIXTURES'] ?? resolve(import.meta.dirname, '../../../../../shared/fixtures')
const fixture = join(fixtures, 'upstream-home', 'auth.json')

function open(environment: Readonly<Record<string, string>>): { file: AuthFile; notices: string[] } {
  const notices: string[] = []
  const file = createAuthFile({
    home: openHome(environment),
    clock: manualClock(),
    onNotice: (message) => void notices.push(message),
  })
  return { file, notices }
}

test('a missing file is an empty one, and reading makes none', async () => {
  await using home = await temporaryHome()
  const { file } = open(home.environment)
  assert.deepEqual((await file.read()).credential_pool, {})
  assert.deepEqual(await readdir(home.dir), [])
})

test("upstream's file is read, and a change keeps everything else in it", async (t) => {
  const exists = await stat(fixture).catch(() => undefined)
  if (!exists) return t.skip('the fixture home of upstream is not on this machine')
  await using home = await temporaryHome()
  await cp(fixture, home.path('auth.json'))
  await chmod(home.path('auth.json'), 0o644)
  const before: unknown = JSON.parse(await readFile(fixture, 'utf8'))
  const { pool } = openTestPool(home.environment)
  const labels = (await pool.list('openrouter')).map(({ label, state }) => `${label}: ${state.name}`)
  assert.deepEqual(labels, ['key aaa: ok', 'key bbb: ok'])
  await pool.file.update((draft) => {
    draft['of_a_later_version'] = true
  })
  const after = JSON.parse(await readFile(home.path('auth.json'), 'utf8')) as Record<string, unknown>
  const { of_a_later_version: added, updated_at: updated, ...rest } = after
  assert.equal(added, true)
  assert.match(String(updated), /^2026-01-02T03:04:05\.\d+\+00:00$/)
  const { updated_at: _, ...old } = before as Record<string, unknown>
  assert.deepEqual(rest, old)
  assert.equal((await stat(home.path('auth.json'))).mode & 0o777, 0o600)
  return undefined
})

test('unknown keys and unreadable entries stay at every level', async () => {
  const content = {
    version: 7,
    future: { deep: [1, { x: null }] },
    providers: { nous: { access_token: 'made-up', extra: { a: 1 } }, zai: { detected_endpoint: { base_url: 'x' } } },
    active_provider: null,
    credential_pool: {
      openrouter: [{ id: 'aaaaaa', access_token: 'made-up-key', odd: ['kept'], request_count: 'many' }, { no: 'id' }],
    },
    suppressed_sources: { anthropic: ['claude_code'] },
  }
  await using home = await temporaryHome({ 'auth.json': JSON.stringify(content) })
  const { pool } = openTestPool(home.environment)
  const lease = await pool.acquire('openrouter', new AbortController().signal)
  await lease.report({ code: 'payment', status: 402 })
  const after = JSON.parse(await readFile(home.path('auth.json'), 'utf8')) as typeof content
  const [first, second] = after.credential_pool.openrouter
  assert.deepEqual([first?.odd, second], [['kept'], { no: 'id' }])
  assert.deepEqual({ ...after, credential_pool: 0, updated_at: 0 }, { ...content, credential_pool: 0, updated_at: 0 })
})

test('the oldest form is read as the sign-in to Nous', async () => {
  const old = { systems: { nous_portal: { access_token: 'made-up-token', refresh_token: 'made-up-refresh' } } }
  await using home = await temporaryHome({ 'auth.json': JSON.stringify(old) })
  const { file } = open(home.environment)
  const document = await file.read()
  assert.equal(document.providers['nous']?.['access_token'], 'made-up-token')
  assert.equal(document.active_provider, 'nous')
})

for (const [name, text] of [
  ['that is no JSON', '{"credential_pool": {"openrouter": [{"access_token": "made-up-sec'],
  ['of another form', '{"credential_pool": ["made-up-secret"]}'],
] as const) {
  test(`a file ${name} is set aside by the first change, with a notice, and never lost`, async () => {
    await using home = await temporaryHome({ 'auth.json': text })
    const { file, notices } = open(home.environment)
    assert.deepEqual((await file.read()).credential_pool, {})
    await file.read()
    assert.equal(notices.length, 1, 'told once')
    assert.equal(await readFile(home.path('auth.json'), 'utf8'), text, 'reading leaves it alone')
    await file.update((draft) => {
      draft.active_provider = 'nous'
    })
    const aside = (await readdir(home.dir)).find((entry) => entry.startsWith('auth.json.damaged-'))
    assert.equal(await readFile(home.path(String(aside)), 'utf8'), text)
    assert.equal(JSON.parse(await readFile(home.path('auth.json'), 'utf8')).active_provider, 'nous')
    assert.equal(notices.length, 2)
    assert.ok(notices[1]?.includes(String(aside)), notices[1])
    assert.ok(!notices.join().includes('made-up'), 'no secret is told')
  })
}

test('a change that changes nothing writes nothing, and one that fails leaves the file as it was', async () => {
  await using home = await temporaryHome()
  const { file } = open(home.environment)
  await file.update(() => undefined)
  await assert.rejects(
    file.update((draft) => {
      draft.active_provider = 'nous'
      throw new Error('no')
    }),
    { message: 'no' },
  )
  await assert.rejects(stat(home.path('auth.json')), { code: 'ENOENT' })
})

test('changes of several processes at once are all kept', async () => {
  await using home = await temporaryHome()
  const code = (name: string): string => `
    import { createAuthFile } from ${JSON.stringify(import.meta.resolve('./auth-file.ts'))}
    import { openHome } from ${JSON.stringify(import.meta.resolve('../config/home.ts'))}
    const clock = { now: () => Date.now(), timeZone: 'UTC' }
    const file = createAuthFile({ home: openHome(process.env), clock, onNotice: (text) => { throw new Error(text) } })
    for (let i = 0; i < 15; i++) await file.update((draft) => { draft.providers['${name}-' + i] = {} })`
  const children = ['a', 'b', 'c'].map((name) =>
    spawn(process.execPath, ['--input-type=module', '--eval', code(name)], {
      env: { ...home.environment, NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  const exits = await Promise.all(children.map((child) => once(child, 'exit')))
  assert.deepEqual(
    exits.map(([exit]) => exit),
    [0, 0, 0],
  )
  const { file } = open(home.environment)
  assert.equal(Object.keys((await file.read()).providers).length, 45)
})

test('what another program writes is seen at the next reading', async () => {
  await using home = await temporaryHome()
  const { file } = open(home.environment)
  await file.read()
  await writeFile(home.path('auth.json'), JSON.stringify({ active_provider: 'anthropic' }))
  assert.equal((await file.read()).active_provider, 'anthropic')
  assert.equal(await file.read(), await file.read(), 'and is the same object for as long as nothing changes')
})
