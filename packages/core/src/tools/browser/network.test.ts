import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDnsServer } from '../../security/network/dns-server.fixture.ts'
import { networkRules } from '../../security/network/network-rules.ts'
import { startGuardProxy } from '../../browser/local/guard-proxy.ts'
import { request } from 'node:http'
import { browserBed, noChromium, refOf, startSite } from '@hermes/testing/browser-services/browser-bed.ts'
import { browserClick } from './click.ts'
import { browserConsole } from './console.ts'
import { browserNavigate } from './navigate.ts'
import { browserSnapshot } from './snapshot.ts'

test('addresses that may not be opened are refused before anything is sent', { skip: noChromium }, async () => {
  await using site = await startSite({ '/': 'private' })
  await using bed = await browserBed({ browser: '', environment: { OPENAI_API_KEY: 'sk-made-up-0123456789' } })
  bed.context.redactor.addKnown([{ name: 'OPENAI_API_KEY', value: 'sk-made-up-0123456789' }])
  for (const url of [
    site.url,
    `http://localhost:${site.port}/`,
    `http://2130706433:${site.port}/`,
    `http://[::ffff:127.0.0.1]:${site.port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'chrome://settings',
    'javascript:alert(1)',
    'https://example.com/?key=sk-made-up-0123456789',
    'https://example.com/?key=sk%2Dmade%2Dup%2D0123456789',
    'https://example.com/?token=«secret:OPENAI_API_KEY»',
  ]) {
    const refused = await bed.run(browserNavigate, { url })
    assert.equal(refused.success, false, url)
    assert.doesNotMatch(refused.error, /made-up/)
  }
  assert.deepEqual(site.asked, [])
})

test('a page cannot reach what may not be reached, in whatever way it asks', { skip: noChromium }, async () => {
  await using secret = await startSite({ '/': 'secret' })
  const target = `http://127.0.0.1:${secret.port}`
  await using site = await startSite({
    '/': `<title>Bad</title>
      <img src="${target}/image"><iframe src="${target}/frame"></iframe><script src="${target}/script"></script>
      <link rel="stylesheet" href="${target}/style"><link rel="prefetch" href="${target}/prefetch"><link rel="icon" href="${target}/icon">
      <video src="${target}/video"></video><object data="${target}/object"></object><script>
      fetch('${target}/fetch', { mode: 'no-cors' }).catch(() => undefined)
      navigator.sendBeacon('${target}/beacon', 'x')
      new WebSocket('ws://127.0.0.1:${secret.port}/socket')
      new WebSocket('ws://localhost:${secret.port}/socket-by-name')
      new EventSource('${target}/events')
      fetch('/redirect').catch(() => undefined)
      const work = 'fetch("${target}/worker", { mode: "no-cors" }).catch(() => undefined)'
      new Worker(URL.createObjectURL(new Blob([work])))
      new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${secret.port}' }] }).createDataChannel('x')
      </script>`,
    '/links': `<a href="${target}/link">Link</a><form action="${target}/form" method="post"><button>Send</button></form>
      <a href="${target}/tab" target="_blank">Tab</a><a href="/redirect">Redirect</a>`,
    '/redirect': (_, response) => response.writeHead(302, { location: `${target}/redirected` }).end(),
    '/moves': `<script>location = '${target}/moved'</script>`,
    '/refresh': `<meta http-equiv="refresh" content="0; url=${target}/refreshed">`,
  })
  // Only the page's own server may be reached.
  await using bed = await browserBed({
    browser: '',
    config: `security: {allowed_private_hosts: ["127.0.0.1:${site.port}"]}`,
  })
  const page = await bed.run(browserNavigate, { url: site.url })
  assert.equal(page.title, 'Bad', page.error)
  const tried = await bed.run(browserConsole, {
    expression: `await fetch('${target}/console').then(() => 'got', () => 'no')`,
  })
  assert.notEqual(tried.result, 'secret')
  for (const name of ['Link', 'Send', 'Redirect', 'Tab']) {
    const { snapshot } = await bed.run(browserNavigate, { url: `${site.url}/links` })
    const clicked = await bed.run(browserClick, { ref: refOf(snapshot, `"${name}"`) })
    assert.equal(clicked.success, false, name)
    assert.match(clicked.error, /not a public address/, name)
  }
  for (const path of ['/redirect', '/moves', '/refresh']) {
    const moved = await bed.run(browserNavigate, { url: site.url + path })
    const seen = await bed.run(browserSnapshot, {})
    assert.doesNotMatch(JSON.stringify([moved, seen]), /secret"/, path)
  }
  assert.deepEqual(secret.asked, [])
})

test('a name that means another address after the check leads nowhere', async () => {
  await using secret = await startSite({ '/': 'secret' })
  await using dns = await startDnsServer((_, count) => (count === 0 ? ['93.184.216.34'] : ['127.0.0.1']))
  const home = { dir: '/nowhere', path: () => '/nowhere' }
  const settings = {
    allow_private_urls: false,
    allowed_private_hosts: [],
    website_blocklist: { enabled: true, domains: ['blocked.example'], shared_files: [] },
  }
  await using proxy = await startGuardProxy(networkRules(settings, { home, resolve: dns.resolve }), {})
  const ask = (url: string, timeout = 30_000) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const sent = request({ port: proxy.port, host: '127.0.0.1', path: url, headers: { host: 'x' }, timeout })
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (more: string) => (text += more))
      response.once('end', () => resolve(`${response.statusCode} ${text}`))
    })
    sent.once('timeout', () => sent.destroy())
    sent.once('error', () => resolve('no answer'))
    sent.end()
    return promise
  }
  // The first look-up gives an address at which nothing of ours is; the second one must not be trusted.
  assert.notEqual(await ask(`http://flips.example:${secret.port}/`, 500), '200 secret')
  assert.match(await ask(`http://flips.example:${secret.port}/`), /^403 .*not a public address/)
  assert.match(await ask('http://blocked.example/'), /^403 .*website rule/)
  assert.deepEqual(secret.asked, [])
})
