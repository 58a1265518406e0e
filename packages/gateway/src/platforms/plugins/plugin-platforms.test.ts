import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startGateway } from '../../gateway.ts'
import { configuredPlatforms } from '../../life/configured-platforms.ts'

const template = join(import.meta.dirname, '../../../../../docs/platform-template')

interface RelayMessage {
  readonly id: string
  readonly chat: string
  readonly user: string
  readonly text: string
}

/** The service that the template speaks to. */
async function startRelay(token: string) {
  const unread: RelayMessage[] = []
  const shown = new Map<string, string>()
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const change = () => new Promise<void>((resolve) => watchers.add(resolve))
  const server = createServer((request, response) => {
    void (async () => {
      const say = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body))
      if (request.headers.authorization !== `Bearer ${token}`) return say(401, {})
      if (request.url === '/me') return say(200, { name: 'bot' })
      if (request.url === '/unread') {
        while (unread.length === 0 && !response.closed) await change()
        return say(200, unread)
      }
      const body = JSON.parse(await readText(request))
      if (request.url === '/read') unread.splice(0, unread.findIndex(({ id }) => id === body.id) + 1)
      if (request.url === '/messages') shown.set(body.key, `${body.chat}: ${body.text}`)
      say(200, { id: body.key ?? body.id })
      return changed()
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unread,
    write(message: RelayMessage) {
      unread.push(message)
      changed()
    },
    async allRead() {
      while (unread.length > 0) await change()
    },
    async said(count: number): Promise<readonly string[]> {
      while (shown.size < count) await change()
      return [...shown.values()]
    },
    async [Symbol.asyncDispose]() {
      changed()
      server.closeAllConnections()
      server.close()
    },
  }
}

async function open(environment: string, config = '') {
  const all = await startScriptedAgent({
    script: (request) => ({ text: request.body.tools ? 'Hello from the template.' : 'T' }),
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: { '.env': environment },
  })
  return { all, plugins: all.home.path('plugins'), [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }
}

test('the template is a platform: what is written there is answered there, and read once it is on disk', async () => {
  await using relay = await startRelay('made-up-token')
  await using one = await open(
    `RELAY_URL=${relay.url}\nRELAY_TOKEN=made-up-token\nRELAY_ALLOWED_USERS=7\nRELAY_HOME_CHANNEL=c\n`,
  )
  await cp(template, join(one.plugins, 'relay'), { recursive: true })
  const { ready, incomplete } = await configuredPlatforms(one.all.context)
  assert.deepEqual(incomplete, [])
  assert.deepEqual(
    ready.map(({ platform }) => platform.label),
    ['Relay'],
  )
  await using gateway = await startGateway({ agent: one.all.context, platforms: ready })
  relay.write({ id: '1', chat: 'c', user: '7', text: 'hi' })
  assert.deepEqual(await relay.said(1), ['c: Hello from the template.'])
  await relay.allRead()
  assert.equal(gateway.platforms()[0]?.state, 'connected')
})

test('a plugin that is off, not set up or broken is not loaded, and says why where something is to be done', async () => {
  await using one = await open('RELAY_URL=http://127.0.0.1:9\n', 'plugins: {disabled: [off-one]}\n')
  const add = async (name: string, yaml: string, code: string) => {
    await mkdir(join(one.plugins, name), { recursive: true })
    await writeFile(join(one.plugins, name, 'plugin.yaml'), yaml)
    await writeFile(join(one.plugins, name, 'index.js'), code)
  }
  const loaded = `globalThis.pluginsLoaded = [...(globalThis.pluginsLoaded ?? []), import.meta.url]; export default () => ({})`
  await cp(template, join(one.plugins, 'relay'), { recursive: true })
  await add('off-one', 'provides_platforms: [relay]', loaded)
  await add('not-set', 'provides_platforms: [elsewhere]', loaded)
  await add('tools-only', 'name: tools\nprovides_tools: [x]', loaded)
  await add('taken', 'provides_platforms: [telegram]\nvariable_prefixes: [RELAY]', loaded)
  await add('bad-name', 'provides_platforms: ["../x"]', loaded)
  await add('no-platform', 'provides_platforms: [nothing]\nvariable_prefixes: [RELAY]', 'export default () => ({})')
  await add('throws', 'provides_platforms: [thrower]\nvariable_prefixes: [RELAY]', 'throw new Error("no good")')
  await cp(template, join(one.plugins, 'relay.bak'), { recursive: true })
  await mkdir(join(one.plugins, 'escapes'))
  await writeFile(join(one.plugins, 'escapes', 'plugin.yaml'), 'provides_platforms: [out]\nvariable_prefixes: [RELAY]')
  await symlink(join(one.plugins, 'not-set', 'index.js'), join(one.plugins, 'escapes', 'index.js'))
  const { ready, incomplete } = await configuredPlatforms(one.all.context)
  assert.deepEqual(ready, [])
  assert.deepEqual(Object.fromEntries(incomplete.map(({ name, reason }) => [name, reason])), {
    'bad-name': 'plugin.yaml: provides_platforms.0 is not a name of lower-case letters, digits and _',
    nothing:
      'it cannot be loaded: what index.js makes is no platform: name Invalid input: expected string, received undefined',
    out: 'it cannot be loaded: index.js is outside of the plugin’s folder.',
    'relay.bak': 'the plugin relay-platform brings the platform relay already.',
    relay: 'RELAY_TOKEN is missing: what the service lets you in with.',
    thrower: 'it cannot be loaded: no good',
  })
  assert.equal(Object.hasOwn(globalThis, 'pluginsLoaded'), false)
})

test('the guide names the files that there are', async () => {
  const guide = await readFile(join(template, '../adding-a-platform.md'), 'utf8')
  for (const [, link = ''] of guide.matchAll(/\]\(([^)#]+)\)/g)) {
    await assert.doesNotReject(
      import('node:fs/promises').then(({ stat }) => stat(join(template, '..', link))),
      link,
    )
  }
})
