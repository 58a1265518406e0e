import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createDecisions } from './decisions.ts'
import { watchTurn } from './turn-limits.ts'

test('limits that are longer than any timer end nothing', async () => {
  const told: string[] = []
  const settings = { gateway_timeout: 9e9, gateway_timeout_warning: 9e9, gateway_notify_interval: 9e9 }
  const limits = watchTurn({ settings, tell: (text) => void told.push(text) })
  const request = { kind: 'clarify', id: 'q', question: 'Which?', choices: [] } as const
  const ending = new AbortController()
  const asked = createDecisions(9e12).decideFor('key', async () => {})(request, ending.signal)
  // Timers that overflow are due at once.
  const first = await Promise.race([asked, wait(20, 'still open')])
  limits.stop()
  ending.abort()
  await assert.rejects(asked)
  assert.deepEqual([first, limits.ended, told], ['still open', undefined, []])
})
