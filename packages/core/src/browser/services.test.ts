import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startDebuggedChromium } from '@hermes/testing/browser-services/debugged-chromium.ts'
import { startBrowserbase, startBrowserUse, startFirecrawlBrowsers } from '@hermes/testing/browser-services/services.ts'
import { browserBed, noChromium, refOf, startSite } from '@hermes/testing/browser-services/browser-bed.ts'
import { browserClick } from '../tools/browser/click.ts'
import { browserNavigate } from '../tools/browser/navigate.ts'
import { chooseBackend } from './choose-backend.ts'
import { findChromium } from './local/find-chromium.ts'

const pages = { '/': '<title>Here</title><a href="/next">Next</a>', '/next': '<title>Next</title>' }

test('a browser of a service is begun, used and ended; a limit is told', { skip: noChromium }, async () => {
  await using chromium = await startDebuggedChromium(findChromium(process.env) ?? '')
  await using site = await startSite(pages)
  const { httpUrl, socketUrl } = chromium
  await using base = await startBrowserbase({ cdpUrl: socketUrl, isFreePlan: true })
  await using use = await startBrowserUse({ cdpUrl: httpUrl })
  await using crawl = await startFirecrawlBrowsers({ cdpUrl: socketUrl })
  const environments = {
    browserbase: {
      BROWSERBASE_API_KEY: base.key,
      BROWSERBASE_PROJECT_ID: 'project-1',
      BROWSERBASE_BASE_URL: base.url,
    },
    'browser-use': { BROWSER_USE_API_KEY: use.key, BROWSER_USE_BASE_URL: use.url },
    firecrawl: { FIRECRAWL_API_KEY: crawl.key, FIRECRAWL_API_URL: crawl.url, FIRECRAWL_BROWSER_TTL: '60' },
  }
  const services = { browserbase: base, 'browser-use': use, firecrawl: crawl }
  for (const name of ['browserbase', 'browser-use', 'firecrawl'] as const) {
    const settings = { browser: `allow_private_urls: true, cloud_provider: ${name}`, environment: environments[name] }
    await using bed = await browserBed(settings)
    const { snapshot, title, error } = await bed.run(browserNavigate, { url: site.url })
    assert.equal(title, 'Here', error)
    assert.equal(services[name].running.size, 1)
    assert.equal((await bed.run(browserClick, { ref: refOf(snapshot, 'Next') })).title, 'Next')
    await using second = await browserBed(settings)
    assert.match((await second.run(browserNavigate, { url: site.url })).error, /as many browsers as the plan allows/)
    await bed.session.browser.close()
    assert.equal(services[name].running.size, 0)
    const wrong = Object.fromEntries(
      Object.entries(environments[name]).map(([key, value]) => [key, key.endsWith('_API_KEY') ? 'wrong-key' : value]),
    )
    await using refused = await browserBed({ ...settings, environment: wrong })
    const answer = await refused.run(browserNavigate, { url: site.url })
    assert.match(answer.error, /refuses the key/)
    assert.doesNotMatch(JSON.stringify(answer), /wrong-key/)
  }
})

test('a service that fails or cannot be understood is told, and nothing stays open', { skip: noChromium }, async () => {
  await using crawl = await startFirecrawlBrowsers({ cdpUrl: 'ws://127.0.0.1:9/devtools' })
  await using bed = await browserBed({
    browser: 'allow_private_urls: true, cloud_provider: firecrawl',
    environment: { FIRECRAWL_API_KEY: crawl.key, FIRECRAWL_API_URL: crawl.url },
  })
  const navigate = async () => (await bed.run(browserNavigate, { url: 'http://127.0.0.1:1' })).error
  assert.match(await navigate(), /127\.0\.0\.1:9 cannot be reached/)
  assert.equal(crawl.running.size, 0, 'what was begun and cannot be used is ended')
  crawl.misbehave({ type: 'status', status: 500 })
  assert.match(await navigate(), /status 500/)
  crawl.misbehave({ type: 'garbage' })
  assert.match(await navigate(), /Firecrawl/)
  crawl.misbehave({ type: 'drop' })
  assert.match(await navigate(), /Firecrawl cannot be reached/)
})

test(
  'a running browser is used in a tab of its own, whose requests are held to the rules',
  { skip: noChromium },
  async () => {
    await using chromium = await startDebuggedChromium(findChromium(process.env) ?? '')
    await using secret = await startSite({ '/': 'secret' })
    await using site = await startSite({
      ...pages,
      '/bad': `<img src="http://127.0.0.1:${secret.port}/image"><script>fetch('http://127.0.0.1:${secret.port}/fetch', { mode: 'no-cors' }).catch(() => 1)</script>
      <a href="http://127.0.0.1:${secret.port}/link">Link</a><a href="http://127.0.0.1:${secret.port}/tab" target="_blank">Tab</a>`,
    })
    await using bed = await browserBed({
      browser: '',
      config: `security: {allowed_private_hosts: ["127.0.0.1:${site.port}"]}`,
      environment: { BROWSER_CDP_URL: chromium.httpUrl },
    })
    const tabs = async () => {
      const list = (await (await fetch(`${chromium.httpUrl}/json/list`)).json()) as { type: string }[]
      return list.filter(({ type }) => type === 'page').length
    }
    const before = await tabs()
    const { snapshot, error } = await bed.run(browserNavigate, { url: `${site.url}/bad` })
    assert.ok(snapshot, error)
    assert.equal(await tabs(), before + 1)
    assert.match((await bed.run(browserClick, { ref: refOf(snapshot, '"Link"') })).error, /not a public address/)
    const again = await bed.run(browserNavigate, { url: `${site.url}/bad` })
    await bed.run(browserClick, { ref: refOf(again.snapshot, '"Tab"') })
    assert.deepEqual(secret.asked, [])
    await bed.session.browser.close()
    // A tab is told to close, and does so in its own time.
    for (let tries = 0; tries < 1_200 && (await tabs()) !== before; tries++) await delay(25)
    assert.equal(await tabs(), before)
  },
)

test('the way to a browser is chosen by settings, keys and what is installed', () => {
  const choose = (cloud_provider: '' | 'local' | 'browserbase' | 'firecrawl', environment: Record<string, string>) =>
    chooseBackend({ config: { browser: { cloud_provider } } as never, environment })
  assert.equal(choose('', { BROWSER_CDP_URL: 'ws://x' }).name, 'cdp')
  assert.equal(choose('', { BROWSER_USE_API_KEY: 'x', BROWSERBASE_API_KEY: 'x' }).name, 'browser-use')
  assert.equal(choose('', { BROWSERBASE_API_KEY: 'x', BROWSERBASE_PROJECT_ID: 'x' }).name, 'browserbase')
  assert.equal(choose('', { BROWSERBASE_API_KEY: 'x', FIRECRAWL_API_KEY: 'x' }).name, 'local')
  assert.equal(choose('local', { BROWSER_USE_API_KEY: 'x' }).name, 'local')
  assert.match(choose('', { PATH: '/nowhere' }).missing ?? '', /apt install chromium/)
  assert.match(choose('browserbase', { BROWSERBASE_API_KEY: 'x' }).missing ?? '', /needs BROWSERBASE_PROJECT_ID/)
  assert.equal(choose('', { PATH: '/nowhere', CHROME_PATH: process.execPath }).missing, undefined)
})
