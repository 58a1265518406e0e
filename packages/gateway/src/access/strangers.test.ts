import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { strangersGet } from './strangers.ts'

test('what strangers get is said for one platform, in either of its places, or for all', () => {
  const config = configSchema.parse({
    unauthorized_dm_behavior: 'ignore',
    telegram: { unauthorized_dm_behavior: 'pair' },
    slack: { require_mention: false },
    platforms: { matrix: { extra: { unauthorized_dm_behavior: 'pair' } } },
  })
  const got = ['telegram', 'matrix', 'slack', 'discord'].map((platform) => strangersGet(platform, config))
  assert.deepEqual(got, ['pair', 'pair', 'ignore', 'ignore'])
  assert.equal(strangersGet('telegram', configSchema.parse({})), 'pair')
})
