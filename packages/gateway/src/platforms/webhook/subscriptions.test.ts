import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'
import { changeSubscriptions, watchSubscriptions } from './subscriptions.ts'
import { routesSchema } from './route.ts'

test('who asks while the routes are read has them, at the start and after a change', async () => {
  await using home = await temporaryHome()
  const of = { dir: home.dir, path: (...parts: string[]) => home.path(...parts) }
  const route = routesSchema.parse({ a: {} })['a'] ?? assert.fail()
  const routes = watchSubscriptions(of, silentLogger)
  assert.deepEqual(await routes(), {})
  for (const names of [['a'], ['a', 'b']]) {
    await changeSubscriptions(of, () => Object.fromEntries(names.map((name) => [name, route])))
    const seen = await Promise.all(Array.from({ length: 50 }, routes))
    for (const known of seen) assert.deepEqual(Object.keys(known), names)
  }
})
