import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import type { TranscriptMessage } from '@hermes/core/models/transcript.ts'
import { temporaryHome } from '@hermes/testing'
import * as fc from 'fast-check'
import { createResponseStore } from './response-store.ts'
import { fromWireHistory, toWireHistory } from './wire-history.ts'

const stored = (id: string) => ({ response: { id }, conversation_history: [], instructions: '' })

test('the hundred responses used last are kept, and a conversation whose last one is gone begins anew', async () => {
  await using folder = await temporaryHome({})
  let now = 0
  await using store = createResponseStore(openHome(folder.environment), () => ++now * 1000)
  await store.put(stored('r0'), { conversation: 'old' })
  await store.put(stored('r1'), { conversation: 'in use' })
  for (let n = 2; n < 100; n++) await store.put(stored(`r${n}`))
  assert.equal((await store.get('r1'))?.response.id, 'r1')
  await store.put(stored('r100'))
  assert.equal(await store.get('r0'), undefined)
  assert.equal(await store.latest('old'), undefined)
  assert.equal(await store.latest('in use'), 'r1')
  assert.equal(await store.remove('r1'), true)
  assert.equal(await store.remove('r1'), false)
  assert.equal(await store.latest('in use'), undefined)
})

test('images are kept once for all responses of a chain, within bounds, and go with the last response', async () => {
  await using folder = await temporaryHome({})
  let now = 0
  const rows = (table: string) => {
    using db = new DatabaseSync(folder.path('response_store.db'))
    return db.prepare(`SELECT COUNT(*) AS rows FROM ${table}`).get()?.['rows']
  }
  await using store = createResponseStore(openHome(folder.environment), () => ++now * 1000, 100)
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((sign) => sign.repeat(30))
  assert.ok(a && b && c && d)
  await store.put(stored('r1'), { images: [a] })
  await store.put(stored('r2'), { images: [a, b] })
  await store.put(stored('r3'))
  assert.equal((await store.get('r2'))?.has_images, true)
  assert.equal((await store.get('r3'))?.has_images, undefined)
  assert.deepEqual(await store.images('r2'), [a, b])
  assert.deepEqual(await store.images('r3'), [])
  assert.deepEqual([rows('images'), rows('response_images')], [2, 3])
  await store.put(stored('r4'), { images: [c] })
  await store.put(stored('r5'), { images: [b, d] })
  assert.deepEqual(await store.images('r1'), [], 'what was used longest ago has made room')
  assert.deepEqual(await store.images('r2'), [b])
  assert.deepEqual(await store.images('r4'), [c])
  assert.deepEqual(await store.images('r5'), [b, d])
  await store.put(stored('r6'), { images: ['e'.repeat(101)] })
  for (const id of ['r2', 'r4', 'r5', 'r6']) await store.remove(id)
  assert.deepEqual([rows('images'), rows('response_images')], [0, 0])
})

test('what upstream has stored is read, with its tool calls', async () => {
  await using folder = await temporaryHome({})
  const db = new DatabaseSync(folder.path('response_store.db'))
  db.exec(`CREATE TABLE responses (response_id TEXT PRIMARY KEY, data TEXT NOT NULL, accessed_at REAL NOT NULL);
    CREATE TABLE conversations (name TEXT PRIMARY KEY, response_id TEXT NOT NULL)`)
  const history = [
    { role: 'user', content: 'Look' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'hi' },
    { role: 'assistant', content: 'It says hi.' },
  ]
  const data = { response: { id: 'resp_1', output: [] }, conversation_history: history, instructions: null }
  db.prepare('INSERT INTO responses VALUES (?, ?, ?)').run('resp_1', JSON.stringify(data), 1)
  db.prepare('INSERT INTO responses VALUES (?, ?, ?)').run('broken', '{', 1)
  db.close()
  await using store = createResponseStore(openHome(folder.environment), Date.now)
  const found = await store.get('resp_1')
  assert.deepEqual(
    fromWireHistory(found?.conversation_history ?? []).map(({ role }) => role),
    ['user', 'assistant', 'tool', 'assistant'],
  )
  assert.equal(await store.get('broken'), undefined)
})

/** Writes objects with their keys in order. */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

test('a history comes back from its stored form as it was', () => {
  const text = fc.string({ maxLength: 20 })
  const call = fc.record({ id: fc.string({ minLength: 1, maxLength: 8 }), name: text, arguments: text })
  const message: fc.Arbitrary<TranscriptMessage> = fc.oneof(
    fc.record({ role: fc.constant('user' as const), content: text }),
    fc.record({ content: text, toolCalls: fc.array(call, { maxLength: 3 }) }).map(({ content, toolCalls }) => ({
      role: 'assistant' as const,
      content,
      toolCalls,
      finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    })),
    fc.record({
      role: fc.constant('tool' as const),
      content: text,
      toolCallId: fc.string({ minLength: 1, maxLength: 8 }),
      toolName: text,
    }),
  )
  fc.assert(
    fc.property(fc.array(message, { maxLength: 10 }), (messages) => {
      const through: unknown = JSON.parse(JSON.stringify(toWireHistory(messages)))
      const back = fromWireHistory(through as ReturnType<typeof toWireHistory>)
      assert.equal(JSON.stringify(back, sortedKeys), JSON.stringify(messages, sortedKeys))
    }),
    { seed: 6 },
  )
})
