import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { platforms } from './registry.ts'

const given: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  telegram: { base_url: 7 },
  discord: { base_url: 7 },
  slack: { base_url: 7 },
  matrix: { homeserver: 7 },
  pheby: { port: 'x' },
  webhook: { routes: 7 },
}

test('a wrong setting of a platform is told by its whole name, in one line', async () => {
  for (const [name, extra] of Object.entries(given)) {
    const platform = await platforms[name]?.()
    const config = configSchema.parse({ platforms: { [name]: { enabled: true, token: 'made-up', extra } } })
    const setup = platform?.read(config, {})
    const [key = ''] = Object.keys(extra)
    assert.ok(setup?.state === 'incomplete', name)
    assert.match(setup.reason, new RegExp(`^platforms\\.${name}\\.extra\\.${key}: .*\\.$`), name)
  }
})
