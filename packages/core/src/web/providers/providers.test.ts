import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBrave } from '@hermes/testing/web-services/brave.ts'
import { startDuckDuckGo } from '@hermes/testing/web-services/duckduckgo.ts'
import { startExa } from '@hermes/testing/web-services/exa.ts'
import { startFirecrawl } from '@hermes/testing/web-services/firecrawl.ts'
import { startParallel } from '@hermes/testing/web-services/parallel.ts'
import { startSearxng } from '@hermes/testing/web-services/searxng.ts'
import { startTavily } from '@hermes/testing/web-services/tavily.ts'
import { createGuardedFetch } from '../../security/network/guarded-fetch.ts'
import { createCircuitBreaker } from '../../services/circuit-breaker.ts'
import { createPace } from '../pace.ts'
import { pages, strangersKey, webProviderContract } from '../web-provider.contract.ts'
import type { WebProviderBed } from '../web-provider.contract.ts'
import type { WebProvider } from '../web-provider.ts'
import { webProviders } from './registry.ts'

const never = new AbortController().signal

async function openProvider(name: string, environment: Readonly<Record<string, string>>): Promise<WebProvider> {
  const facts = webProviders.find((one) => one.name === name)
  assert.ok(facts)
  assert.ok(facts.isConfigured(environment))
  const home = { dir: '/nowhere', path: (...parts: string[]) => parts.join('/') }
  const blocklist = { enabled: false, domains: [], shared_files: [] }
  const settings = { allow_private_urls: true, allowed_private_hosts: [], website_blocklist: blocklist }
  const open = await facts.load()
  return open({
    environment,
    breaker: createCircuitBreaker(facts.title),
    web: createGuardedFetch({ home, environment, settings }),
    // Each search is the first one.
    pace: { turn: async () => {}, rest: () => {} },
  })
}

type Service = Omit<WebProviderBed, 'provider' | 'stranger'> & { readonly url: string; readonly key?: string }

interface Setup {
  readonly start: () => Promise<Service>
  readonly url: string
  readonly key?: string
  readonly tellsRedirects?: boolean
}

const setups: Readonly<Record<string, Setup>> = {
  firecrawl: {
    start: () => startFirecrawl(pages),
    url: 'FIRECRAWL_API_URL',
    key: 'FIRECRAWL_API_KEY',
    tellsRedirects: true,
  },
  parallel: { start: () => startParallel(pages), url: 'PARALLEL_API_URL', key: 'PARALLEL_API_KEY' },
  tavily: { start: () => startTavily(pages), url: 'TAVILY_API_URL', key: 'TAVILY_API_KEY' },
  exa: { start: () => startExa(pages), url: 'EXA_API_URL', key: 'EXA_API_KEY', tellsRedirects: true },
  brave: { start: () => startBrave(pages), url: 'BRAVE_SEARCH_API_URL', key: 'BRAVE_SEARCH_API_KEY' },
  searxng: { start: () => startSearxng(pages), url: 'SEARXNG_URL' },
  duckduckgo: { start: () => startDuckDuckGo(pages), url: 'DUCKDUCKGO_URL' },
}

for (const [name, { start, url, key, ...contract }] of Object.entries(setups)) {
  const open = async (): Promise<WebProviderBed> => {
    const service = await start()
    const place = { [url]: service.url }
    return {
      misbehave: service.misbehave,
      provider: await openProvider(name, { ...place, ...(key && { [key]: service.key ?? '' }) }),
      ...(key && { stranger: await openProvider(name, { ...place, [key]: strangersKey }) }),
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    }
  }
  const reads = webProviders.find((one) => one.name === name)?.reads === true
  webProviderContract(name, open, { ...contract, reads, takesKey: key !== undefined })
}

test('the contract is kept by every service that there is', () => {
  assert.deepEqual(
    webProviders.map(({ name }) => name),
    Object.keys(setups),
  )
})

test('Firecrawl is one of your own without a key, or the managed gateway by the token of the account', async () => {
  await using own = await startFirecrawl(pages, '')
  const requests = async (environment: Readonly<Record<string, string>>) => {
    const provider = await openProvider('firecrawl', environment)
    await provider.search({ text: 'elephants', limit: 1 }, never).catch(() => undefined)
    return own.requests.at(-1)?.headers.authorization
  }
  assert.equal(await requests({ FIRECRAWL_API_URL: own.url }), undefined)
  const gateway = { FIRECRAWL_GATEWAY_URL: own.url, TOOL_GATEWAY_USER_TOKEN: 'token-of-an-account' }
  assert.equal(await requests(gateway), 'Bearer token-of-an-account')
})

test('SearXNG that gives no JSON, or whose engines are silent, is told so', async () => {
  const ask = async (url: string) =>
    (await openProvider('searxng', { SEARXNG_URL: url })).search({ text: 'elephants', limit: 5 }, never)
  await using html = await startSearxng(pages, { formats: ['html'] })
  await assert.rejects(ask(html.url), { code: 'refused', message: /add json to search\.formats/ })
  await using silent = await startSearxng(pages, { unresponsive: [['google', 'timeout']] })
  await assert.rejects(ask(silent.url), { code: 'unreachable', message: /\(google\)/ })
})

test('what is longer than Brave takes is cut for it', async () => {
  await using brave = await startBrave(pages)
  const provider = await openProvider('brave', { BRAVE_SEARCH_API_URL: brave.url, BRAVE_API_KEY: brave.key })
  const hits = await provider.search({ text: `elephants ${'more words '.repeat(300)}`, limit: 100 }, never)
  assert.equal(hits.length, 2)
})

test('names that the mode of Parallel had before still mean something', async () => {
  await using parallel = await startParallel(pages)
  const place = { PARALLEL_API_URL: parallel.url, PARALLEL_API_KEY: parallel.key }
  for (const mode of ['agentic', 'one-shot', 'fast', 'turbo']) {
    const provider = await openProvider('parallel', { ...place, PARALLEL_SEARCH_MODE: mode })
    assert.equal((await provider.search({ text: 'elephants', limit: 5 }, never)).length, 2, mode)
  }
})

test('DuckDuckGo that wants a puzzle solved has had enough', async () => {
  await using duck = await startDuckDuckGo(pages)
  duck.challenge(true)
  const provider = await openProvider('duckduckgo', { DUCKDUCKGO_URL: duck.url })
  await assert.rejects(provider.search({ text: 'elephants', limit: 5 }, never), { code: 'rate-limited', status: 202 })
})

test('searches without a key are kept apart, and stop for a while when there were too many', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 })
  const pace = createPace(() => Date.now())
  await pace.turn('X', never)
  let isNext = false
  const next = pace.turn('X', never).then(() => (isNext = true))
  t.mock.timers.tick(1_000)
  await Promise.resolve()
  assert.equal(isNext, false)
  t.mock.timers.tick(500)
  assert.equal(await next, true)
  pace.rest(60_000)
  await assert.rejects(pace.turn('X', never), { code: 'rate-limited', message: /in 60 s/ })
  t.mock.timers.tick(60_000)
  await pace.turn('X', never)
})
