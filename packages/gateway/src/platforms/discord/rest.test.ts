import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../platform-error.ts'
import { createRest } from './rest.ts'

const never = new AbortController().signal
const call = { method: 'POST', path: '/channels/1/messages', body: {} } as const
const dayMs = 24 * 3_600_000

test('no wait that the service names closes anything for more than a day', async () => {
  const wanted = [
    { status: 429, headers: { 'retry-after': '1e12' }, body: '{}' },
    { status: 429, headers: {}, body: '{"retry_after": 1e12}' },
    { status: 200, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1e12' }, body: '{}' },
  ]
  for (const { status, headers, body } of wanted) {
    let at = 0
    let calls = 0
    const rest = createRest({
      apiRoot: 'http://discord',
      token: 't',
      now: () => at,
      send: async () => ({
        status: ++calls === 1 ? status : 200,
        isOk: calls > 1 || status === 200,
        header: (name) => (calls === 1 ? new Map(Object.entries(headers)).get(name) : undefined),
        read: async () => Buffer.from(body),
        discard() {},
      }),
    })
    const done = () =>
      rest.run(call, never).then(
        () => 'done',
        (error: unknown) => (error instanceof PlatformError ? error.code : String(error)),
      )
    assert.equal(await done(), status === 429 ? 'rate-limited' : 'done')
    at = dayMs - 10_000
    assert.equal(await done(), 'rate-limited')
    at = dayMs + 1
    assert.equal(await done(), 'done', body)
    assert.equal(calls, 2)
  }
})
