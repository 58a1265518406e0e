import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { startDnsServer } from './dns-server.fixture.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import type { GuardedFetch, GuardedRequest } from './guarded-fetch.ts'
import type { NetworkSettings } from './network-rules.ts'
import type { ResolveHost } from './resolve-host.ts'
import { forbiddenPlaces, localSpellings } from './spellings.fixture.ts'

const home = { dir: '/nowhere', path: (...parts: string[]) => ['/nowhere', ...parts].join('/') }
const never = new AbortController().signal

interface LocalServer extends AsyncDisposable {
  readonly port: number
  readonly requests: readonly IncomingMessage[]
  readonly server: Server
}

async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<LocalServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    listener(request, response)
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    server,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function guarded(
  settings: Partial<NetworkSettings> = {},
  { resolve, environment = {} }: { resolve?: ResolveHost; environment?: Record<string, string> } = {},
): GuardedFetch {
  const blocklist = { enabled: false, domains: [], shared_files: [] }
  return createGuardedFetch({
    home,
    environment,
    settings: { allow_private_urls: false, allowed_private_hosts: [], website_blocklist: blocklist, ...settings },
    resolve: resolve ?? (async () => []),
  })
}

/** What comes of a fetch: the text, or the code of the refusal. */
async function outcome(web: GuardedFetch, request: string | GuardedRequest, signal = never): Promise<string> {
  try {
    await using response = await web.fetch(typeof request === 'string' ? { url: request } : request, signal)
    return `${response.status} ${(await response.bytes()).toString('utf8')}`
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

/** Names under `.test` that lead to this machine by every way there is. */
function leadingHere(name: string): readonly string[] | undefined {
  const special: Readonly<Record<string, readonly string[]>> = {
    'six.test': ['::1'],
    'zero.test': ['0.0.0.0'],
    'mapped.test': ['::ffff:7f00:1'],
    'nat64.test': ['64:ff9b::7f00:1'],
    'mixed.test': ['93.184.216.34', '127.0.0.1'],
    'private.test': ['10.1.2.3'],
    'sixtofour.test': ['2002:7f00:1::'],
    'teredo.test': ['2001::80ff:fffe'],
  }
  return name.endsWith('.test') ? (special[name] ?? ['127.0.0.1']) : undefined
}

test('no spelling of a local address reaches a local server', async (t) => {
  await using four = await serve((_, response) => response.end('reached'))
  await using dns = await startDnsServer(leadingHere)
  const web = guarded({}, { resolve: dns.resolve })
  const spellings = localSpellings(four.port)
  for (const url of [...spellings, ...forbiddenPlaces]) {
    const code = await outcome(web, url)
    assert.match(code, /^(?:invalid|scheme|credentials|private|metadata|dns|port)$/, `${JSON.stringify(url)}: ${code}`)
    const verdict = await web.check(url, never)
    assert.deepEqual([verdict.allowed, !verdict.allowed && verdict.code], [false, code], url)
  }
  assert.equal(four.requests.length, 0)
  assert.ok(spellings.length >= 120)
  t.diagnostic(`${spellings.length} spellings of this machine, ${forbiddenPlaces.length} other places: 0 reached`)
})

test('the server of these tests is reached by its address when the settings allow it', async () => {
  await using server = await serve((_, response) => response.end('reached'))
  for (const allowed of ['127.0.0.1', `127.0.0.1:${server.port}`, '127.0.0.0/8', 'localhost']) {
    const host = allowed === 'localhost' ? allowed : '127.0.0.1'
    const web = guarded({ allowed_private_hosts: [allowed] }, { resolve: async () => ['127.0.0.1'] })
    assert.equal(await outcome(web, `http://${host}:${server.port}/`), '200 reached', allowed)
  }
  const open = guarded({ allow_private_urls: true })
  assert.equal(await outcome(open, `http://2130706433:${server.port}/`), '200 reached')
  assert.equal(await outcome(open, 'http://169.254.169.254/'), 'metadata')
  assert.equal(
    await outcome(guarded({ allowed_private_hosts: ['metadata.google.internal'] }), 'http://metadata.google.internal/'),
    'metadata',
  )
})

test('no redirect reaches a local server', async () => {
  await using secret = await serve((_, response) => response.end('reached'))
  const targets = [...localSpellings(secret.port), ...forbiddenPlaces]
  let status = 302
  await using front = await serve((request, response) => {
    const target = targets[Number(new URL(request.url ?? '', 'http://x').searchParams.get('n'))] ?? ''
    // As the bytes of a header: those of UTF-8.
    const location = Buffer.from(target.replaceAll(/\p{Cc}/gu, ''), 'utf8').toString('latin1')
    response.writeHead(status, { location }).end()
  })
  await using dns = await startDnsServer((name) => (name === 'front.test' ? ['127.0.0.1'] : leadingHere(name)))
  const web = guarded({ allowed_private_hosts: [`front.test:${front.port}`] }, { resolve: dns.resolve })
  for (const [n] of targets.entries()) {
    status = [301, 302, 303, 307, 308][n % 5] ?? 302
    const result = await outcome(web, `http://front.test:${front.port}/?n=${n}`)
    assert.doesNotMatch(result, /reached/, JSON.stringify(targets[n]))
  }
  assert.equal(secret.requests.length, 0)
  assert.ok(front.requests.length >= targets.length)
})

test('a name is looked up once a hop, so that an answer that changes leads nowhere', async () => {
  await using allowed = await serve((_, response) => response.end('allowed'), '127.0.0.2')
  await using secret = await serve((_, response) => response.end('reached'))
  for (const first of ['127.0.0.2', '127.0.0.1']) {
    const second = first === '127.0.0.2' ? '127.0.0.1' : '127.0.0.2'
    await using dns = await startDnsServer((_, count) => [count % 2 === 0 ? first : second])
    const web = guarded({ allowed_private_hosts: ['127.0.0.2/32'] }, { resolve: dns.resolve })
    for (let n = 0; n < 20; n += 1) {
      const result = await outcome(web, `http://rebind-${n}.test:${secret.port}/`)
      assert.equal(result, first === '127.0.0.1' ? 'private' : 'unreachable')
      const other = await outcome(web, `http://again-${n}.test:${allowed.port}/`)
      assert.equal(other, first === '127.0.0.1' ? 'private' : '200 allowed')
    }
    assert.equal(new Set(dns.asked).size, dns.asked.length, 'one question a name')
  }
  assert.equal(secret.requests.length, 0)
})

test('each hop of a redirect is looked up and judged again', async () => {
  await using front = await serve((request, response) => {
    response.writeHead(302, { location: `http://${request.headers.host}/again` }).end()
  }, '127.0.0.2')
  await using dns = await startDnsServer((_, count) => [count === 0 ? '127.0.0.2' : '127.0.0.1'])
  const web = guarded({ allowed_private_hosts: ['127.0.0.2/32'] }, { resolve: dns.resolve })
  assert.equal(await outcome(web, `http://flip.test:${front.port}/`), 'private')
  assert.equal(front.requests.length, 1)
})

test('ports of other services are refused unless a setting names them', async () => {
  const web = guarded({}, { resolve: async () => ['93.184.216.34'] })
  for (const port of [
    0, 1, 21, 22, 23, 25, 53, 110, 143, 389, 445, 465, 587, 993, 2375, 3306, 5432, 6379, 11_211, 27_017,
  ]) {
    const verdict = await web.check(`http://example.com:${port}/`, never)
    assert.equal(!verdict.allowed && verdict.code, 'port', String(port))
  }
  for (const port of [80, 443, 3000, 8000, 8080, 8443, 9000]) {
    assert.ok((await web.check(`http://example.com:${port}/`, never)).allowed, String(port))
  }
  const named = guarded(
    { allowed_private_hosts: ['box.test:5432', '10.0.0.1:22'] },
    { resolve: async () => ['10.0.0.1'] },
  )
  assert.ok((await named.check('http://box.test:5432/', never)).allowed)
  assert.ok((await named.check('http://10.0.0.1:22/', never)).allowed)
  assert.ok(!(await named.check('http://box.test:5433/', never)).allowed)
})

test('a body is bounded as it comes and as it is unpacked', async () => {
  const zeros = Buffer.alloc(20_000_000)
  await using server = await serve((request, response) => {
    if (request.url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(zeros))
    else if (request.url === '/twice') {
      response.writeHead(200, { 'content-encoding': 'br, gzip' }).end(gzipSync(brotliCompressSync(zeros)))
    } else if (request.url === '/thrice') response.writeHead(200, { 'content-encoding': 'br, br, gzip' }).end('x')
    else if (request.url === '/broken') response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
    else if (request.url === '/odd') response.writeHead(200, { 'content-encoding': 'compress' }).end('x')
    else if (request.url === '/small') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('small'))
    else response.end(zeros)
  })
  const web = guarded({ allow_private_urls: true })
  const fetching = (path: string) =>
    outcome(web, { url: `http://127.0.0.1:${server.port}${path}`, limits: { maxBytes: 1_000_000 } })
  assert.equal(await fetching('/plain'), 'too-large')
  assert.equal(await fetching('/gzip'), 'too-large')
  assert.equal(await fetching('/twice'), 'too-large')
  assert.equal(await fetching('/thrice'), 'encoding')
  assert.equal(await fetching('/broken'), 'encoding')
  assert.equal(await fetching('/odd'), 'encoding')
  assert.equal(await fetching('/small'), '200 small')
})

test('a server that is silent or slow, or redirects without end, is left', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/silent') return
    if (request.url === '/stalls') return void response.write('one ')
    if (request.url === '/drips') {
      const timer = setInterval(() => response.write('x'), 5)
      response.once('close', () => clearInterval(timer))
      return
    }
    response.writeHead(302, { location: `${request.url}x` }).end()
  })
  const web = guarded({ allow_private_urls: true })
  const fetching = (path: string, limits: GuardedRequest['limits']) =>
    outcome(web, { url: `http://127.0.0.1:${server.port}${path}`, limits })
  assert.equal(await fetching('/silent', { totalMs: 60 }), 'timeout')
  assert.equal(await fetching('/stalls', { totalMs: 60 }), 'timeout')
  assert.equal(await fetching('/drips', { totalMs: 60 }), 'timeout')
  const before = server.requests.length
  assert.equal(await fetching('/loop', { maxRedirects: 3 }), 'redirect')
  assert.equal(server.requests.length - before, 4)
})

test('a fetch that is stopped ends with the reason of its signal', async () => {
  await using server = await serve((_, response) => response.write('one '))
  const web = guarded({ allow_private_urls: true })
  const stop = new AbortController()
  const response = await web.fetch({ url: `http://127.0.0.1:${server.port}/` }, stop.signal)
  const reason = new Error('stopped')
  const reading = response.bytes()
  stop.abort(reason)
  await assert.rejects(reading, reason)
  await assert.rejects(web.fetch({ url: `http://127.0.0.1:${server.port}/` }, stop.signal), reason)
})

test('credentials and what was posted do not follow a redirect to another site', async () => {
  await using other = await serve((request, response) => response.end(JSON.stringify(request.headers)))
  await using server = await serve((request, response) => {
    const [, status, place] = (request.url ?? '').split('/')
    const location = place === 'here' ? '/0/end' : `http://127.0.0.1:${other.port}/`
    if (status === '0') response.end(`${request.method} ${JSON.stringify(request.headers)}`)
    else response.writeHead(Number(status), { location, 'set-cookie': 'a=b' }).end()
  })
  const web = guarded({ allow_private_urls: true })
  const headers = { authorization: 'Bearer abc', cookie: 'c=d', 'x-api-key': 'k', accept: 'text/html' }
  const url = `http://127.0.0.1:${server.port}`
  const elsewhere = await outcome(web, { url: `${url}/302/there`, headers })
  assert.doesNotMatch(elsewhere, /abc|c=d|a=b|x-api-key|referer/)
  assert.match(elsewhere, /text\/html/)
  const here = await outcome(web, { url: `${url}/302/here`, headers })
  assert.match(here, /Bearer abc.*|c=d/)
  assert.doesNotMatch(here, /a=b/)
  const post = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x=1' } as const
  assert.equal(await outcome(web, { url: `${url}/307/there`, ...post }), 'redirect')
  assert.match(await outcome(web, { url: `${url}/307/here`, ...post }), /^200 POST .*content-type/)
  assert.match(await outcome(web, { url: `${url}/303/here`, ...post }), /^200 GET (?!.*content-type)/)
})

test('the answer tells where it came from', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/a') response.writeHead(301, { location: '/b#part' }).end()
    else response.end('b')
  })
  const web = guarded({ allow_private_urls: true })
  await using response = await web.fetch({ url: `http://127.0.0.1:${server.port}/a` }, never)
  assert.equal(response.url, `http://127.0.0.1:${server.port}/b#part`)
  assert.deepEqual(response.redirectedFrom, [`http://127.0.0.1:${server.port}/a`])
})

test('through a proxy a host is judged by its own addresses first', async () => {
  await using proxy = await serve((request, response) => response.end(`by proxy ${request.url}`))
  const environment = { http_proxy: `http://127.0.0.1:${proxy.port}`, no_proxy: 'direct.test' }
  const resolve: ResolveHost = async (name) => (name === 'public.test' ? ['93.184.216.34'] : ['127.0.0.1'])
  const web = guarded({}, { resolve, environment })
  assert.equal(await outcome(web, 'http://public.test/page'), '200 by proxy http://public.test/page')
  assert.equal(await outcome(web, 'http://inner.test/'), 'private')
  assert.equal(await outcome(web, `http://127.0.0.1:${proxy.port}/`), 'private')
  assert.equal(proxy.requests.length, 1)
  const socks = guarded({}, { resolve, environment: { ALL_PROXY: 'socks5://127.0.0.1:1' } })
  assert.equal(await outcome(socks, 'http://public.test/'), 'unreachable')
})

test('a secure connection names the host it was asked for, also through a proxy', async () => {
  const { promise: named, resolve: tell } = Promise.withResolvers<string>()
  const secure = createTlsServer({
    SNICallback: (name, done) => {
      tell(name)
      done(new Error('no certificate here'))
    },
  })
  secure.on('tlsClientError', () => undefined)
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const { port } = secure.address() as AddressInfo
  const web = guarded({ allowed_private_hosts: ['127.0.0.1'] }, { resolve: async () => ['127.0.0.1'] })
  assert.equal(await outcome(web, `https://named.test:${port}/`), 'unreachable')
  assert.equal(await named, 'named.test')
  secure.close()

  await using proxy = await serve((_, response) => response.end())
  const { promise: tunnel, resolve: tellTunnel } = Promise.withResolvers<string | undefined>()
  proxy.server.on('connect', (request, socket) => {
    tellTunnel(request.url)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  const environment = { HTTPS_PROXY: `127.0.0.1:${proxy.port}` }
  const tunnelled = guarded({}, { resolve: async () => ['93.184.216.34'], environment })
  assert.equal(await outcome(tunnelled, 'https://public.test/page'), 'unreachable')
  assert.equal(await tunnel, 'public.test:443')
})
