import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkUrl } from './check-url.ts'
import { networkRules } from './network-rules.ts'
import { createWebsitePolicy } from './website-policy.ts'

const home = { dir: '/nowhere', path: (...parts: string[]) => ['/nowhere', ...parts].join('/') }

function refuses(domains: readonly string[]) {
  const policy = createWebsitePolicy({ enabled: true, domains, shared_files: [] }, { home, now: () => 0 })
  return async (host: string) => (await policy.refusedBy(host))?.rule
}

test('a domain is refused with its subdomains, a star means only these', async () => {
  const rule = refuses(['Example.com', '*.wild.org', 'https://www.shop.test/path', 'ads*.net', 'bücher.de', '10.0.0.1'])
  for (const host of ['example.com', 'a.example.com', 'EXAMPLE.COM.', 'a.b.wild.org', 'shop.test', 'www.shop.test']) {
    assert.ok(await rule(host), host)
  }
  for (const host of ['ads7.net', 'ads.tracker.net', 'xn--bcher-kva.de', '10.0.0.1']) assert.ok(await rule(host), host)
  for (const host of ['notexample.com', 'example.com.org', 'wild.org', 'ads.net', 'shop.tests', '10.0.0.10']) {
    assert.equal(await rule(host), undefined, host)
  }
})

test('a rule that cannot be read refuses every website and says so', async () => {
  for (const written of ['exa mple.com', 'https://', '***', '..']) {
    const rules = networkRules(
      {
        allow_private_urls: false,
        allowed_private_hosts: [],
        website_blocklist: { enabled: true, domains: ['named.test', written], shared_files: [] },
      },
      { home, resolve: async () => ['93.184.216.34'] },
    )
    const verdict = await checkUrl('https://other.test/', rules, new AbortController().signal)
    assert.ok(!verdict.allowed && verdict.code === 'policy', written)
    assert.match(verdict.reason, /cannot be read: it is no domain\. Repair or remove it/)
    assert.ok(verdict.reason.includes(`"${written}"`))
    const named = await checkUrl('https://named.test/', rules, new AbortController().signal)
    assert.match(named.allowed ? '' : named.reason, /the website rule "named\.test"/)
  }
})

test('shared files hold a rule a line; one that cannot be read refuses every website until it can', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'hermes-policy-'))
  let now = 0
  const policy = createWebsitePolicy(
    { enabled: true, domains: [], shared_files: ['list.txt'] },
    { home: { dir, path: (...parts) => join(dir, ...parts) }, now: () => now },
  )
  try {
    assert.match((await policy.refusedBy('fine.test'))?.problem ?? '', /cannot be read \(ENOENT\)/)
    await writeFile(join(dir, 'list.txt'), '# bad places\nbad.test # very\n\n*.worse.test\n')
    now = 30_000
    assert.equal(await policy.refusedBy('fine.test'), undefined)
    assert.deepEqual(await policy.refusedBy('a.bad.test'), { rule: 'bad.test', source: join(dir, 'list.txt') })
    assert.equal((await policy.refusedBy('a.worse.test'))?.rule, '*.worse.test')
  } finally {
    await rm(dir, { recursive: true })
  }
})

test('a list that is not enabled refuses nothing', async () => {
  const policy = createWebsitePolicy(
    { enabled: false, domains: ['a.test'], shared_files: ['none'] },
    { home, now: () => 0 },
  )
  assert.equal(await policy.refusedBy('a.test'), undefined)
})
