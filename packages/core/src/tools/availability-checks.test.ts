import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { createContext } from '../agent/create-context.ts'
import { createAvailabilityChecks } from './availability-checks.ts'
import type { Availability } from './availability.ts'

test('a check that fails takes its tools away, and nothing else', async () => {
  await using home = await temporaryHome()
  await using context = await createContext({ environment: home.environment, cwd: home.dir })
  const lackOf = createAvailabilityChecks()
  const atOnce: Availability = () => {
    throw new Error('no look')
  }
  const later: Availability = () => Promise.reject(new Error('no look'))
  for (const check of [atOnce, later, Object.assign(() => atOnce(context, undefined), { freshMs: 1_000 })]) {
    assert.match((await lackOf(async () => check, context, undefined)) ?? '', /no look/)
  }
  assert.equal(await lackOf(async () => () => true, context, undefined), undefined)
})
