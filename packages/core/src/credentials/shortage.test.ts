import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortage } from './shortage.ts'

test('an endpoint whose keys all rest is called by its name, and when they are back is a time of the wall clock', () => {
  const untilMs = new Date(2026, 4, 3, 21, 5).getTime()
  const { message } = shortage({ provider: 'custom:mine', states: [{ name: 'cooling', untilMs }], failures: [] })
  assert.equal(
    message,
    'Every credential of mine is resting after the provider refused it; the first is back at 2026-05-03 21:05. "hermes auth add custom:mine" adds another.',
  )
})
