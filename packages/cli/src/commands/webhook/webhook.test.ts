import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import { type TemporaryHome, temporaryHome } from '@hermes/testing'
import { z } from 'zod'
import { runForTest } from '../auth/run-for-test.ts'
import { command } from '../webhook.ts'

const webhook = (home: TemporaryHome, environment: Readonly<Record<string, string>>, ...argv: readonly string[]) =>
  runForTest(command, argv, { environment: { ...home.environment, ...environment } })

const on = { WEBHOOK_ENABLED: 'true' }

test('routes are made with a secret of their own, listed without it, and taken away', async () => {
  await using home = await temporaryHome()
  assert.match((await webhook(home, {}, 'list')).stderr, /config set WEBHOOK_ENABLED true/)
  const added = await webhook(home, on, 'add', 'My Deploys', '--events', 'push, release', '--deliver', 'telegram')
  const secret = /Secret: ([\w-]{43})\n/.exec(added.stdout)?.[1] ?? ''
  assert.match(added.stdout, /http:\/\/127\.0\.0\.1:8644\/webhooks\/my-deploys/)
  assert.equal((await stat(home.path('webhook_subscriptions.json'))).mode & 0o777, 0o600)
  const listed = (await webhook(home, on, 'list')).stdout
  assert.match(listed, /my-deploys .* push,release {2}→ telegram/)
  assert.ok(secret !== '' && !listed.includes(secret))
  assert.equal((await webhook(home, on, 'rm', 'my-deploys')).code, 0)
  assert.match((await webhook(home, on, 'list')).stdout, /There is no route/)
  assert.equal((await webhook(home, on, 'rm', 'my-deploys')).code, 1)
  assert.equal((await webhook(home, on, 'add', '../x')).code, 2)
  const astray = await webhook(home, on, 'add', 'astray', '--deliver', 'telegraph')
  assert.match(astray.stderr, /No platform "telegraph" is known here.*: .*telegram/)
  const homeless = await webhook(home, on, 'add', 'homeless', '--deliver', 'telegram', '--skills', 'nope')
  assert.match(homeless.stderr, /telegram has no home channel yet[^]*There is no skill "nope"/)
  const sent = await webhook(home, on, 'add', 'homeless', '--deliver', 'telegram', '--deliver-chat-id', '7')
  assert.equal(sent.stderr, '')
  const posted = await webhook(home, on, 'add', 'posted', '--url', 'https://example.org/hooks/secret-path')
  assert.deepEqual([posted.code, posted.stderr], [0, ''])
  const places = (await webhook(home, on, 'list')).stdout
  assert.match(places, /posted .* → url:https:\/\/example\.org\n/)
  for (const wrong of [
    ['--url', 'nowhere'],
    ['--url', 'file:///x'],
    ['--deliver', 'url'],
    ['--url', 'https://example.org', '--deliver', 'telegram'],
  ]) {
    assert.equal((await webhook(home, on, 'add', 'wrong', ...wrong)).code, 2, wrong.join(' '))
  }
  const open = await webhook(home, on, 'add', 'x', '--secret', 'INSECURE_NO_AUTH')
  assert.match(open.stderr, /can be reached by others/)
})

test('a route that is made anew keeps its secret, which the service that signs with it knows, unless another is given', async () => {
  await using home = await temporaryHome()
  const secretIn = async () => {
    const kept = z.record(z.string(), z.object({ secret: z.string(), prompt: z.string() }))
    return kept.parse(JSON.parse(await readFile(home.path('webhook_subscriptions.json'), 'utf8')))['x']
  }
  const first = await webhook(home, on, 'add', 'x', '--prompt', 'one')
  const secret = /Secret: ([\w-]{43})\n/.exec(first.stdout)?.[1] ?? ''
  assert.match((await webhook(home, on, 'add', 'x', '--prompt', 'two')).stdout, /Secret: as before\n/)
  assert.deepEqual(await secretIn(), { secret, prompt: 'two' })
  assert.match((await webhook(home, on, 'add', 'x', '--secret', 'another')).stdout, /Secret: another\n/)
  assert.equal((await secretIn())?.secret, 'another')
  // One that lets everybody in is not carried to an address that others reach.
  await writeFile(home.path('config.yaml'), 'platforms: {webhook: {extra: {host: 127.0.0.1}}}\n')
  assert.equal((await webhook(home, on, 'add', 'x', '--secret', 'INSECURE_NO_AUTH')).code, 0)
  assert.match((await webhook(home, on, 'add', 'x')).stdout, /Secret: as before\n/)
  await rm(home.path('config.yaml'))
  assert.match((await webhook(home, on, 'add', 'x')).stdout, /Secret: [\w-]{43}\n/)
})

test('a test is signed with the secret of its route, and tells when nobody answers', async () => {
  await using home = await temporaryHome()
  const seen: boolean[] = []
  const kinds: unknown[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const expected = `sha256=${createHmac('sha256', 'own').update(body).digest('hex')}`
      kinds.push(request.headers['x-github-event'])
      seen.push(request.headers['x-webhook-signature'] === expected && body === '{"a":1}')
      response.writeHead(202).end('{"status":"accepted"}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const environment = { ...on, WEBHOOK_PORT: String(typeof address === 'object' && address ? address.port : 0) }
  await webhook(home, environment, 'add', 'x', '--secret', 'own')
  const done = await webhook(home, environment, 'test', 'x', '--payload', '{"a":1}')
  assert.deepEqual([done.code, done.stdout, seen], [0, '202 {"status":"accepted"}\n', [true]])
  await webhook(home, environment, 'add', 'x', '--secret', 'own', '--events', 'push,release')
  await webhook(home, environment, 'test', 'x')
  await webhook(home, environment, 'test', 'x', '--event', 'issues')
  assert.deepEqual(kinds, ['test', 'push', 'issues'])
  assert.equal((await webhook(home, environment, 'test', 'x', '--payload', '{')).code, 2)
  assert.equal((await webhook(home, environment, 'test', 'y')).code, 1)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  assert.match((await webhook(home, environment, 'test', 'x')).stderr, /hermes gateway run/)
})
