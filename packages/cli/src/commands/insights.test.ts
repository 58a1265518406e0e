import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { noUsage } from '@hermes/core/models/model.ts'
import { openSqliteSessionStore } from '@hermes/core/sessions/sqlite.ts'
import { temporaryHome } from '@hermes/testing'
import { runForTest } from './auth/run-for-test.ts'
import { command } from './insights.ts'

const dayMs = 24 * 3_600_000

/** A home in Kiritimati's zone (UTC+14) with three sessions of today and one of long ago. */
async function filledHome() {
  const home = await temporaryHome({ 'config.yaml': 'timezone: Pacific/Kiritimati\n' })
  // Noon of today there.
  const noon = Math.floor((Date.now() + 14 * 3_600_000) / dayMs) * dayMs - 2 * 3_600_000 - dayMs
  let now = noon
  const clock: Clock = { timeZone: 'Pacific/Kiritimati', now: () => now }
  const store = await openSqliteSessionStore({ home: openHome(home.environment), clock, log: silentLogger })
  const usage = { ...noUsage, inputTokens: 1200, outputTokens: 30, cacheReadTokens: 800 }
  const session = async (id: string, source: string) => {
    await store.create({ id, source })
    await store.append(id, { role: 'user', content: 'hi' })
  }
  await session('a', 'cli')
  await store.append('a', { role: 'tool', toolCallId: 'x', toolName: 'terminal', content: '' })
  const reported = { estimatedCostUsd: 0.5, actualCostUsd: 0.5, costStatus: 'actual' } as const
  await store.addUsage('a', { usage, model: 'maker/big', ...reported })
  await store.addUsage('a', { usage, model: 'maker/big', estimatedCostUsd: 0.0625, costStatus: 'estimated' })
  await session('b', 'cli')
  await store.addUsage('b', { usage, model: 'maker/odd', costStatus: 'unknown' })
  await session('c', 'telegram')
  await store.addUsage('c', { usage, model: 'own', estimatedCostUsd: 0, costStatus: 'included' })
  now = noon - 100 * dayMs
  await session('d', 'cli')
  await store.close()
  const day = new Date(noon + 14 * 3_600_000).toISOString().slice(0, 10)
  return { home, day }
}

test('the report says what was used and what it cost, and how sure that is', async () => {
  const { home, day } = await filledHome()
  await using _ = home
  const { stdout, code } = await runForTest(command, [], { environment: home.environment })
  assert.equal(code, 0)
  assert.match(stdout, /^The last 30 days/)
  assert.match(stdout, /^Sessions +3$/m)
  assert.match(stdout, /^Tokens in +8,000\n… read from a cache +3,200\n/m)
  assert.match(stdout, /^Cost +\$0\.56 \(\$0\.0625 of it estimated; 1 session paid by .*; not counting 1 session of/m)
  assert.match(stdout, new RegExp(`^${day} +3 +4 +8k +3\\.2k +120 +~\\$0\\.56 \\+ \\?$`, 'm'))
  assert.match(stdout, /^maker\/big +1 +2 +4k +1\.6k +60 +~\$0\.56$/m)
  assert.match(stdout, /^maker\/odd .* \?$/m)
  assert.match(stdout, /^telegram +1 .* \$0$/m)
  assert.match(stdout, /^~ estimated by list prices · \? price unknown$/m)
  assert.match(stdout, /^terminal +1$/m)
  assert.match(stdout, /^12:00 +4 +▇+$/m)
})

test('a source and a number of days narrow it down, and JSON has every figure', async () => {
  const { home } = await filledHome()
  await using _ = home
  const { stdout } = await runForTest(command, ['--source', 'cli', '--days', '365', '--json'], {
    environment: home.environment,
  })
  const json = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual(
    [json['sessions'], json['cost_usd'], json['reported_cost_usd'], json['estimated_cost_usd']],
    [3, 0.5625, 0.5, 0.0625],
  )
  assert.deepEqual([json['included_sessions'], json['unknown_cost_sessions'], json['source']], [0, 1, 'cli'])
  assert.equal((json['by_day'] as unknown[]).length, 2)
  assert.equal((json['messages_by_hour'] as number[])[12], 4)
})

test('an empty home has an answer, and a wrong number of days is told', async () => {
  await using home = await temporaryHome()
  const { stdout } = await runForTest(command, [], { environment: home.environment })
  assert.equal(stdout, 'The last 30 days: nothing yet.\n')
  const wrong = await runForTest(command, ['--days', 'x'], { environment: home.environment })
  assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /--days takes a whole number/)
})
