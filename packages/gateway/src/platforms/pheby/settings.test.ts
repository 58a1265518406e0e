import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContext } from '@hermes/core/agent/create-context.ts'
import { temporaryHome } from '@hermes/testing'
import { configuredPlatforms } from '../../life/configured-platforms.ts'
import { readSettings } from './settings.ts'

async function read(files: Readonly<Record<string, string>>) {
  await using home = await temporaryHome(files)
  await using agent = await createContext({ environment: home.environment, cwd: home.dir })
  const { ready } = await configuredPlatforms(agent)
  return { setup: readSettings(agent.config, agent.environment), used: ready.map(({ platform }) => platform.name) }
}

test('it listens where a secret is set, on this machine alone unless it is told otherwise', async () => {
  const { setup, used } = await read({ '.env': 'PHEBY_SECRET=made-up\n' })
  assert.deepEqual(used, ['pheby'])
  assert.ok(setup.state === 'ready')
  const { secret, host, port, retentionDays } = setup.settings
  assert.deepEqual([secret, host, port, retentionDays], ['made-up', '127.0.0.1', 8620, 7])
})

test('the environment goes before the configuration', async () => {
  const { setup } = await read({
    '.env': 'PHEBY_PORT=9000\nPHEBY_RETENTION_DAYS=0\n',
    'config.yaml': 'platforms: {pheby: {enabled: true, extra: {secret: s, port: 1234, host: "::1"}}}\n',
  })
  assert.ok(setup.state === 'ready')
  const { secret, host, port, retentionDays } = setup.settings
  assert.deepEqual([secret, host, port, retentionDays], ['s', '::1', 9000, 0])
})

test('what is missing or wrong is said; what is switched off or not mentioned is not used', async () => {
  const without = await read({ '.env': 'PHEBY_PORT=9000\n' })
  assert.deepEqual(without.setup, { state: 'incomplete', reason: 'PHEBY_SECRET is missing.' })
  const wrong = await read({ '.env': 'PHEBY_SECRET=s\nPHEBY_PORT=ninety\n' })
  assert.ok(wrong.setup.state === 'incomplete')
  assert.match(wrong.setup.reason, /port/)
  assert.equal((await read({})).setup.state, 'absent')
  const off = await read({ '.env': 'PHEBY_SECRET=s\n', 'config.yaml': 'platforms: {pheby: {enabled: false}}\n' })
  assert.equal(off.setup.state, 'absent')
})
