import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { createPairingStore } from './pairing-store.ts'

async function open(files: Readonly<Record<string, string>> = {}) {
  const home = await temporaryHome(files)
  let now = Date.parse('2026-05-01T12:00:00Z')
  const of = { dir: home.dir, path: (...parts: string[]) => home.path(...parts) }
  return {
    home,
    store: createPairingStore(of, () => now),
    pass: (seconds: number) => void (now += seconds * 1000),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}

test('a stranger gets a code, its owner approves it, and it works once', async () => {
  await using all = await open()
  const asked = await all.store.request('telegram', '7', 'Ann')
  assert.ok(asked.type === 'code')
  assert.match(asked.code, /^[A-HJ-NP-Z2-9]{8}$/)
  assert.deepEqual(
    (await all.store.pending()).map(({ platform, userId, userName }) => [platform, userId, userName]),
    [['telegram', '7', 'Ann']],
  )
  assert.equal(await all.store.approve('discord', asked.code), undefined)
  assert.deepEqual(await all.store.approve('telegram', ` ${asked.code.toLowerCase()} `), {
    platform: 'telegram',
    userId: '7',
    userName: 'Ann',
  })
  assert.equal(await all.store.isApproved('telegram', '7'), true)
  assert.equal(await all.store.isApproved('telegram', 'constructor'), false)
  assert.equal(await all.store.approve('telegram', asked.code), undefined)
  assert.equal(await all.store.revoke('telegram', '7'), true)
  assert.equal(await all.store.revoke('telegram', '7'), false)
  assert.equal(await all.store.isApproved('telegram', '7'), false)
  const path = all.home.path('platforms', 'pairing', 'telegram-approved.json')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('codes end, people ask seldom, and few codes are open at once', async () => {
  await using all = await open()
  const first = await all.store.request('telegram', '1', 'A')
  assert.equal((await all.store.request('telegram', '1', 'A')).type, 'silence')
  for (const id of ['2', '3']) assert.equal((await all.store.request('telegram', id, '')).type, 'code')
  assert.equal((await all.store.request('telegram', '4', '')).type, 'full')
  assert.equal((await all.store.request('telegram', '4', '')).type, 'silence', 'told once')
  assert.equal((await all.store.request('discord', '1', '')).type, 'code', 'each platform by itself')
  all.pass(3601)
  assert.ok(first.type === 'code')
  assert.equal(await all.store.approve('telegram', first.code), undefined)
  assert.equal((await all.store.request('telegram', '4', '')).type, 'code')
  assert.equal(await all.store.clearPending(), 1)
})

test('after five wrong codes no new ones are made for an hour', async () => {
  await using all = await open()
  for (let n = 0; n < 5; n++) assert.equal(await all.store.approve('telegram', 'AAAAAAAA'), undefined)
  assert.equal((await all.store.request('telegram', '1', '')).type, 'full')
  all.pass(3601)
  assert.equal((await all.store.request('telegram', '1', '')).type, 'code')
})

test('files of the Python Hermes are read, in its older folder too, and what is unknown in them stays', async () => {
  await using all = await open({
    'pairing/telegram-approved.json': '{"5": {"user_name": "Bo", "approved_at": 1750000000.5, "note": "x"}}',
  })
  const path = all.home.path('pairing', 'telegram-approved.json')
  assert.equal(await all.store.isApproved('telegram', '5'), true)
  const asked = await all.store.request('telegram', '6', '')
  assert.ok(asked.type === 'code')
  await all.store.approve('telegram', asked.code)
  assert.equal(JSON.parse(await readFile(path, 'utf8'))['5'].note, 'x')
  await writeFile(path, '{broken')
  assert.equal(await all.store.isApproved('telegram', '5'), false)
  // What was in it is kept aside when it is written anew.
  assert.ok(await all.store.invite('telegram'))
  const code = (await all.store.invitations())[0]?.code ?? ''
  assert.equal(await all.store.accept('telegram', code, { userId: '8', userName: '' }), true)
  assert.equal(await readFile(`${path}.damaged`, 'utf8'), '{broken')
  assert.equal(await all.store.isApproved('telegram', '8'), true)
  assert.deepEqual(
    (await all.store.approved()).map(({ userId }) => userId),
    ['8'],
  )
})

test('strangers who asked long ago take no room', async () => {
  await using all = await open()
  for (let id = 0; id < 20; id++) await all.store.request('telegram', String(id), '')
  for (let code = 0; code < 6; code++) await all.store.approve('telegram', `WRONG${code}`)
  all.pass(601)
  await all.store.request('telegram', 'last', '')
  const limits: unknown = JSON.parse(await readFile(all.home.path('platforms', 'pairing', '_rate_limits.json'), 'utf8'))
  assert.deepEqual(Object.keys(Object(limits)).toSorted(), ['_failures:telegram', '_lockout:telegram', 'telegram:last'])
})

test('a clock that is set back keeps nobody from asking, and no platform locked', async () => {
  await using all = await open()
  assert.equal((await all.store.request('telegram', '1', '')).type, 'code')
  for (let n = 0; n < 5; n++) await all.store.approve('discord', 'AAAAAAAA')
  all.pass(-7_200)
  assert.equal((await all.store.request('telegram', '1', '')).type, 'code')
  assert.equal((await all.store.request('discord', '1', '')).type, 'code')
})

test('who writes the code of an invitation is let in, once and within an hour', async () => {
  await using all = await open()
  const { store, pass } = all
  const ann = { userId: '7', userName: 'Ann' }
  const code = (await store.invite('telegram')) ?? ''
  assert.match(code, /^[A-HJ-NP-Z2-9]{8}$/)
  assert.deepEqual(
    (await store.invitations()).map((one) => [one.platform, one.code]),
    [['telegram', code]],
  )
  assert.equal(await store.accept('discord', code, ann), false)
  assert.equal(await store.accept('telegram', `my code is ${code}`, ann), false)
  assert.equal(await store.accept('telegram', ` /start ${code.toLowerCase()} `, ann), true)
  assert.equal(await store.isApproved('telegram', '7'), true)
  assert.equal((await store.approved())[0]?.userName, 'Ann')
  assert.equal(await store.accept('telegram', code, { userId: '8', userName: '' }), false)
  const late = (await store.invite('telegram')) ?? ''
  pass(3600)
  assert.equal(await store.accept('telegram', late, { userId: '8', userName: '' }), false)
  assert.deepEqual(await store.invitations(), [])
  const path = all.home.path('platforms', 'pairing', 'telegram-invitations.json')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('who guesses invitations is not listened to, others are; open ones are few and can be taken back', async () => {
  await using all = await open()
  const code = (await all.store.invite('telegram')) ?? ''
  const guesser = { userId: '666', userName: '' }
  for (let n = 0; n < 5; n++) assert.equal(await all.store.accept('telegram', 'ABCDEFGH', guesser), false)
  assert.equal(await all.store.accept('telegram', code, guesser), false)
  assert.equal(await all.store.accept('telegram', code, { userId: '7', userName: '' }), true)
  for (let n = 0; n < 10; n++) assert.notEqual(await all.store.invite('telegram'), undefined)
  assert.equal(await all.store.invite('telegram'), undefined)
  assert.notEqual(await all.store.invite('discord'), undefined)
  assert.equal(await all.store.clearPending(), 11)
  assert.deepEqual(await all.store.invitations(), [])
})
