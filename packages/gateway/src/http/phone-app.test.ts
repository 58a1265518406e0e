import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { servePhoneApp } from './phone-app.ts'

const isBuilt = existsSync(join(import.meta.dirname, '../../../../dist/app/index.html'))

/** What the page may connect to. */
const connectable = (answer: { readonly headers: Headers }) =>
  /connect-src ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1]

async function open() {
  const server = createServer((request, response) => {
    void servePhoneApp(request, response, 'pheby').then((isServed) => isServed || response.writeHead(418).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    get: (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { redirect: 'manual', ...init }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('the page is told which protocol is spoken, and nothing beside its own files is served', async () => {
  await using all = await open()
  assert.deepEqual(await (await all.get('/app/config.json')).json(), { protocol: 'pheby' })
  assert.equal((await all.get('/app')).headers.get('location'), '/app/')
  for (const path of ['/app/none.js', '/app/..%2f..%2fpackage.json', '/app/constructor', '/app/hermes.mjs']) {
    assert.equal((await all.get(path)).status, 404, path)
  }
  assert.equal((await all.get('/app/', { method: 'POST' })).status, 405)
  assert.equal((await all.get('/apple')).status, 418)
})

test(
  'the page and its parts come with a policy that lets nothing else run',
  { skip: !isBuilt && 'not built' },
  async () => {
    await using all = await open()
    const page = await all.get('/app/?x=1')
    assert.match(page.headers.get('content-type') ?? '', /text\/html/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/)
    const html = await page.text()
    for (const [, name = ''] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      assert.equal((await all.get(`/app/${name}`)).status, 200, name)
    }
    const manifest = (await (await all.get('/app/manifest.webmanifest')).json()) as {
      icons: { src: string; type: string }[]
    }
    for (const { src, type } of manifest.icons) {
      assert.equal((await all.get(`/app/${src}`)).headers.get('content-type'), type, src)
    }
    assert.doesNotMatch(html, /<script(?![^>]*src=)|style="/)
  },
)

test('the page may connect to the host that it came from, and to no other, whatever a request claims', async () => {
  await using all = await open()
  const given = async (headers: Readonly<Record<string, string>>) => {
    const { port } = new URL((await all.get('/app/config.json')).url)
    const asked = request({ port, host: '127.0.0.1', path: '/app/config.json', headers }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    return connectable({
      headers: new Headers({ 'content-security-policy': String(answer.headers['content-security-policy']) }),
    })
  }
  for (const host of ['phone.example:8787', '127.0.0.1:8620', '[::1]:8620', 'localhost']) {
    assert.equal(await given({ host }), `'self' ws://${host} wss://${host}`)
  }
  assert.equal(
    await given({ host: '127.0.0.1:8787', 'x-forwarded-host': 'home.example' }),
    "'self' ws://127.0.0.1:8787 wss://127.0.0.1:8787 ws://home.example wss://home.example",
  )
  for (const host of ['*', 'a b', "x' *", 'a;b', '*.example']) {
    assert.equal(await given({ host }), "'self'", host)
  }
})
