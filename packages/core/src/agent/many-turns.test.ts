import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { ScriptedAnswer } from '@hermes/testing'
import { poolSettings } from '../credentials/endpoints.ts'
import type { Lease } from '../credentials/lease.ts'
import { openCredentialPool } from '../credentials/pool.ts'
import type { CredentialPool } from '../credentials/pool.ts'
import { authJson } from '../credentials/test-pool.ts'
import { createModels } from '../models/create-models.ts'
import { createContext } from './create-context.ts'
import { nobody } from './decision.ts'
import type { NumberedEvent } from './events.ts'
import { runTurn } from './run-turn.ts'

const turns = 200
const sessionIds = Array.from({ length: turns }, (_, n) => `20260101_000000_${String(n).padStart(6, '0')}`)
const keys = ['made-up-key-a', 'made-up-key-b', 'made-up-key-c']
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** A pool that notes until when each key is known to rest. */
function watched(pool: CredentialPool, restsUntil: Map<string, number>): CredentialPool {
  const noting = (lease: Lease): Lease => {
    const note = (ms: number): void => {
      restsUntil.set(lease.secret, Math.max(Date.now() + ms, restsUntil.get(lease.secret) ?? 0))
    }
    return {
      ...lease,
      pause: (ms) => {
        note(ms)
        lease.pause(ms)
      },
      report: (outcome) => {
        if (outcome !== 'ok') note(outcome.retryAfterMs ?? 3_600_000)
        return lease.report(outcome)
      },
    }
  }
  return { ...pool, acquire: async (...asked) => noting(await pool.acquire(...asked)) }
}

/** Told of each request that is about to be sent. */
function watchRequests(onRequest: (request: ClientRequest) => void): Disposable {
  const listener = (message: unknown): void => onRequest((message as { readonly request: ClientRequest }).request)
  subscribe('http.client.request.start', listener)
  return { [Symbol.dispose]: () => void unsubscribe('http.client.request.start', listener) }
}

test('200 turns at once over 3 keys with random rate limits: all end, no resting key is used, all is counted once', async () => {
  const random = numbers(7)
  let successes = 0
  await using model = await startScriptedModel((): ScriptedAnswer => {
    const dice = random()
    if (dice < 0.25) {
      const headers = { 'retry-after-ms': String(Math.round(20 + random() * 180)) }
      return { fault: { type: 'http', status: 429, headers } }
    }
    successes++
    return { text: 'ok', usage }
  })
  await using home = await temporaryHome({
    'config.yaml': 'model: {provider: openrouter, default: m}\ncredential_pool_strategies: {openrouter: least-used}\n',
    'auth.json': authJson({ openrouter: keys }),
  })
  const environment = { ...home.environment, OPENROUTER_BASE_URL: model.url }
  await using base = await createContext({ environment, cwd: home.dir })
  const { config, clock, log } = base
  const restsUntil = new Map<string, number>()
  await using pool = openCredentialPool({ home: base.home, environment, clock, ...poolSettings(config, environment) })
  const credentials = async () => watched(pool, restsUntil)
  const models = createModels({ config, environment, home: base.home, log, credentials, localServers: [] })
  const context = { ...base, models }
  const early: string[] = []
  using _watching = watchRequests((request) => {
    const key = String(request.getHeader('authorization')).replace('Bearer ', '')
    const leftMs = (restsUntil.get(key) ?? 0) - Date.now()
    // A timer may ring within the millisecond that it was set for.
    if (leftMs > 1) early.push(`${key}: ${leftMs} ms too early`)
  })
  const turn = async (id: string): Promise<readonly NumberedEvent[]> =>
    Array.fromAsync(
      runTurn(
        {
          session: { id, source: 'cli' },
          message: { text: 'hi' },
          face: { name: 'cli', decide: nobody },
          toolsets: [],
          minimalPrompt: true,
        },
        context,
        new AbortController().signal,
      ),
    )
  const all = await Promise.all(sessionIds.map(turn))
  const ends = all.map((events) => events.at(-1))
  assert.deepEqual(
    ends.filter((end) => end?.type !== 'turn-end' || end.status !== 'completed'),
    [],
  )
  assert.deepEqual(early, [])
  assert.equal(successes, turns)
  for (const events of all) {
    const used = events.filter((event) => event.type === 'usage')
    assert.equal(used.length, 1)
    assert.equal(used[0]?.usage.inputTokens, 10)
  }
  const stored = await Promise.all(sessionIds.map((id) => base.sessions.get(id)))
  assert.deepEqual([...new Set(stored.map((session) => session?.usage.inputTokens))], [10])
  const sums = await base.sessions.analytics()
  assert.deepEqual([sums.sessions, sums.usage.inputTokens, sums.usage.outputTokens], [turns, 10 * turns, 2 * turns])
  for (const events of all) assert.doesNotMatch(JSON.stringify(events), /made-up-key/)
  // Every request of a key is one of its uses (some were given up before they were sent), and every key had its share.
  const uses = (await pool.list('openrouter')).map(({ requestCount }) => requestCount)
  const unsent = uses.reduce((sum, count) => sum + count, 0) - model.requests.length
  assert.ok(unsent >= 0 && unsent < turns / 10, `${unsent} uses without a request`)
  assert.ok(Math.min(...uses) > turns / 10, uses.join(', '))
})
