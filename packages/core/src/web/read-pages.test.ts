import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '@hermes/testing/web-services/site.ts'
import { startTavily } from '@hermes/testing/web-services/tavily.ts'
import { systemClock } from '../agent/clock.ts'
import type { Environment } from '../agent/context.ts'
import { configSchema } from '../config/schema.ts'
import { silentLogger } from '../log/logger.ts'
import { startDnsServer } from '../security/network/dns-server.fixture.ts'
import { createGuardedFetch } from '../security/network/guarded-fetch.ts'
import type { ResolveHost } from '../security/network/resolve-host.ts'
import { createRedactor } from '../security/redact.ts'
import { readPages } from './read-pages.ts'
import { webSessionOf } from './web-session.ts'

const never = new AbortController().signal

/** What pages are read with, by these settings. */
function sources(
  settings: object,
  { environment = {}, resolve }: { environment?: Environment; resolve?: ResolveHost },
) {
  const config = configSchema.parse(settings)
  const home = { dir: '/nowhere', path: (...parts: string[]) => parts.join('/') }
  const redactor = createRedactor({ enabled: true })
  const guarded = createGuardedFetch({ home, environment, settings: config.security, ...(resolve && { resolve }) })
  const agent = { config, environment, home, log: silentLogger, redactor }
  return { agent, guarded, web: webSessionOf({ web: {} }, systemClock()) }
}

test('a name that means another address at each look leads to nothing on this machine', async () => {
  await using site = await startSite({ '/': '<p>inner</p>' })
  for (const publicAt of [0, 1]) {
    await using dns = await startDnsServer((_name, count) => [count === publicAt ? '93.184.216.34' : '127.0.0.1'])
    const [read] = await readPages([`http://flip.example:${site.port}/`], sources({}, { resolve: dns.resolve }), never)
    assert.ok(read?.type === 'failed')
    assert.match(read.error, /flip\.example \(127\.0\.0\.1\) is not a public address/)
    assert.equal(dns.asked.length, publicAt === 0 ? 2 : 1)
  }
  assert.equal(site.paths.length, 0)
})

test('a page that the service does not get, or all of them when it is down, is fetched by ourselves', async () => {
  const hay = 'http://93.184.216.34/hay'
  // As the proxy of the environment it stands for everything.
  await using site = await startSite({ [hay]: '<title>Hay</title><p>By ourselves.</p>' })
  const page = { url: 'http://93.184.216.34/known', title: 'Known', text: 'By the service.' }
  await using tavily = await startTavily([page])
  const environment = { TAVILY_API_URL: tavily.url, TAVILY_API_KEY: tavily.key, http_proxy: site.url }
  const texts = async (urls: readonly string[]) => {
    const read = await readPages(urls, sources({}, { environment }), never)
    return read.map((one) => (one.type === 'page' ? one.page.text : one.error))
  }
  assert.deepEqual(await texts([page.url, hay]), ['By the service.', 'By ourselves.'])
  tavily.misbehave({ type: 'status', status: 500 })
  assert.deepEqual(await texts([page.url, hay]), ['93.184.216.34 answered with status 404', 'By ourselves.'])
  assert.deepEqual(site.paths.toSorted(), [hay, hay, page.url])
})

test('reading stops at once when it is cancelled', async () => {
  await using site = await startSite({ '/slow': { hangs: true } })
  const abort = new AbortController()
  const reason = new Error('stopped')
  const settings = { security: { allow_private_urls: true } }
  const reading = readPages([`${site.url}/slow`], sources(settings, {}), abort.signal)
  while (site.paths.length === 0) await new Promise((resolve) => setImmediate(resolve))
  abort.abort(reason)
  await assert.rejects(reading, reason)
})

test('secrets that a page holds are masked', async () => {
  const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  await using site = await startSite({ '/': `<title>${key}</title><p>The <em>key</em> is ${key}.</p>` })
  const read = await readPages([`${site.url}/`], sources({ security: { allow_private_urls: true } }, {}), never)
  assert.ok(read[0]?.type === 'page')
  assert.ok(!JSON.stringify(read).includes(key))
  assert.match(read[0].page.text, /The \*key\* is «secret:/)
})
