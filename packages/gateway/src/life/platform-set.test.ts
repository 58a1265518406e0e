import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfiguredPlatform } from '../gateway.ts'
import type { PlatformRunner } from '../platforms/platform-runner.ts'
import { createTestPlatform } from '../platforms/test-platform.ts'
import { createPlatformSet } from './platform-set.ts'

test('only platforms whose own settings changed are touched, and each ends before it begins anew', async () => {
  const log: string[] = []
  const start = async ({ platform, settings }: ConfiguredPlatform): Promise<PlatformRunner> => {
    log.push(`start ${platform.name} ${JSON.stringify(settings)}`)
    return {
      status: { platform: platform.name, state: 'connected', since: 0 },
      live: undefined,
      wake() {},
      tried: Promise.resolve(),
      [Symbol.asyncDispose]: async () => void log.push(`end ${platform.name}`),
    }
  }
  const [one, two, three] = ['one', 'two', 'three'].map((name) => createTestPlatform({ name }))
  assert.ok(one && two && three)
  const of = (platform: typeof one, settings: unknown) => ({ platform, settings: settings as null })
  const pattern = () => new Set([/a/u])
  const first = [of(one, { token: 'a', words: pattern() }), of(two, { token: 'b' })]
  await using set = createPlatformSet(first, start)
  assert.deepEqual([...set.platforms.keys()], ['one', 'two'])
  await set.apply(first)
  log.length = 0
  assert.deepEqual(await set.apply([of(one, { token: 'a', words: pattern() }), of(two, { token: 'b' })]), [])
  const changes = await set.apply([of(one, { token: 'a', words: pattern() }), of(two, { token: 'c' }), of(three, {})])
  assert.deepEqual(
    changes.map(({ name, change }) => `${name} ${change}`),
    ['two changed', 'three added'],
  )
  assert.deepEqual(log, ['end two', 'start two {"token":"c"}', 'start three {}'])
  assert.deepEqual(
    (await set.apply([of(three, {})])).map(({ name }) => name),
    ['one', 'two'],
  )
  assert.deepEqual([...set.platforms.keys()], ['three'])
  assert.equal(set.runner('one'), undefined)
})
