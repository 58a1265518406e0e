import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMobileGateway } from './test-mobile-gateway.ts'

const hello = { t: 'hello', v: 1, token: 'the-token', device: { id: 'phone-1' } } as const

test('who is not let in gets a fatal error that says why, and 1008', async () => {
  await using all = await openMobileGateway()
  await using hurried = await openMobileGateway({ timing: { helloMs: 300 } })
  const cases = {
    auth_timeout: undefined,
    version_mismatch: JSON.stringify({ ...hello, v: 2 }),
    auth_failed: JSON.stringify({ ...hello, token: 'another' }),
  }
  const later = JSON.stringify({ t: 'hello', v: 3, credentials: {}, phone: 7 })
  for (const [code, first] of [...Object.entries(cases), ['version_mismatch', later] as const]) {
    const device = await (first === undefined ? hurried : all).device({ isSilent: true })
    if (first !== undefined) device.send(first)
    const error = await device.next('error')
    assert.deepEqual([error.code, error.fatal], [code, true])
    assert.equal(error.message.includes('another'), false)
    assert.equal((await device.closed).code, 1008)
    assert.equal(device.frames.length, 1)
  }
  const firsts = ['', 'x', '{"t":"ping","ts":1}', '{"t":"hello","v":1}', Buffer.from([1, 2, 3])]
  for (const [at, first] of firsts.entries()) {
    const device = await all.device({ isSilent: true, socket: { headers: { 'x-forwarded-for': `10.0.0.${at}` } } })
    device.send(first)
    assert.equal((await device.next('error')).code, 'auth_failed')
    assert.equal((await device.closed).code, 1008)
  }
})

test('five wrong tokens lock an address out, also with the right one; a proxy tells addresses apart', async () => {
  await using all = await openMobileGateway()
  const from = (address: string, token: string) =>
    all.device({ token, socket: { headers: { 'x-forwarded-for': `9.9.9.9, ${address}` } } })
  for (let count = 0; count < 5; count++) {
    const device = await from('10.0.0.1', 'guess')
    assert.equal((await device.next('error')).code, 'auth_failed')
    await device.closed
  }
  const locked = await from('10.0.0.1', 'the-token')
  assert.match((await locked.next('error')).message, /Wait a minute/)
  assert.equal((await locked.closed).code, 1008)
  const early = await Promise.all(
    Array.from({ length: 8 }, () =>
      all.device({ isSilent: true, socket: { headers: { 'x-forwarded-for': '10.0.0.3' } } }),
    ),
  )
  const messages: string[] = []
  for (const device of early) {
    device.send({ t: 'hello', v: 1, token: 'guess', device: { id: 'phone-1' } })
    messages.push((await device.next('error')).message)
  }
  assert.deepEqual(
    messages.map((message) => message.includes('Wait')),
    [false, false, false, false, false, true, true, true],
  )
  await using other = await from('10.0.0.2', 'the-token')
  await other.next('ready')
})

test('a device that is not listed is paired by its code, and goes when it is revoked', async () => {
  await using all = await openMobileGateway({ environment: 'MOBILE_ALLOWED_DEVICES=watch-1, watch-2' })
  await using watch = await all.device({ id: 'watch-2' })
  await watch.next('ready')
  const refused = async () => {
    const device = await all.device()
    const error = await device.next('error')
    assert.deepEqual([error.code, error.fatal], ['device_not_paired', true])
    assert.equal((await device.closed).code, 1008)
    return /approve mobile ([A-Z0-9]{8})/.exec(error.message)?.[1] ?? ''
  }
  const code = await refused()
  assert.equal(await refused(), code, 'the same code at the next try')
  assert.deepEqual(await all.gateway.pairing.approve('mobile', code), {
    platform: 'mobile',
    userId: 'phone-1',
    userName: 'Phone',
  })
  await using device = await all.device()
  assert.equal((await device.next('ready')).session, 'agent:main:mobile:dm:phone-1')
  device.send({ t: 'text', id: '1', text: 'hi' })
  await device.reply()
  await all.gateway.pairing.revoke('mobile', 'phone-1')
  device.send({ t: 'text', id: '2', text: 'still there?' })
  assert.equal((await device.next('error')).code, 'device_not_paired')
  assert.equal((await device.closed).code, 1008)
})

test('pairing can be switched off', async () => {
  await using all = await openMobileGateway({ environment: '', config: 'unauthorized_dm_behavior: ignore\n' })
  const device = await all.device()
  const { code, message } = await device.next('error')
  assert.deepEqual([code, message], ['device_not_paired', 'This device is not allowed.'])
  assert.deepEqual(await all.gateway.pairing.pending(), [])
})

test('a client that is silent for two pings is cut off, one that answers stays', async () => {
  await using all = await openMobileGateway({ timing: { pingMs: 500 } })
  await using alive = await all.device()
  await alive.next('ready')
  const dead = await all.device({ id: 'dead', socket: { autoPong: false } })
  await dead.next('ready')
  assert.equal((await dead.closed).code, 1006)
  assert.equal(alive.socket.readyState, alive.socket.OPEN)
})

test('somebody who was not let in cannot send large frames', async () => {
  await using all = await openMobileGateway()
  const device = await all.device({ isSilent: true })
  device.send('x'.repeat(1024 * 1024))
  assert.equal((await device.next('error')).code, 'too_big')
  assert.equal((await device.closed).code, 1009)
})

test('other paths lead nowhere', async () => {
  await using all = await openMobileGateway()
  const root = all.url.replace('ws:', 'http:').replace('/ws', '')
  assert.equal((await fetch(`${root}/`)).status, 404)
  assert.equal((await fetch(`${root}/avatar/${'a'.repeat(32)}`)).status, 404)
  await assert.rejects(all.device({ url: `${all.url}x` }), /404/)
})

test('the page of the avatar follows its device, knows no token and ends with its connection', async () => {
  await using all = await openMobileGateway()
  await using device = await all.device()
  const { avatar_url: url } = await device.next('ready')
  assert.equal(url.includes('the-token'), false)
  const page = await fetch(url)
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.match(await page.text(), /data-state="idle"/)
  const events = await fetch(`${url}/events`)
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  let seen = ''
  device.send({ t: 'text', id: '1', text: 'hi' })
  while (!/idle[\s\S]+thinking[\s\S]+speaking[\s\S]+idle/.test(seen)) seen += (await reader.read()).value ?? ''
  await reader.cancel()
})

test('a page of another site cannot even try tokens, unless it is named', async () => {
  await using all = await openMobileGateway({
    environment: 'MOBILE_ALLOW_ALL_DEVICES=true\nMOBILE_ALLOWED_ORIGINS=https://app.example.org',
  })
  for (let n = 0; n < 6; n++) {
    const origin = `https://evil-${n}.example`
    await assert.rejects(all.device({ token: 'guess', isSilent: true, socket: { headers: { origin } } }), /403/)
  }
  for (const origin of ['https://app.example.org', new URL(all.url.replace('ws', 'http')).origin]) {
    const device = await all.device({ socket: { headers: { origin } } })
    assert.equal((await device.next('ready')).t, 'ready')
  }
})
