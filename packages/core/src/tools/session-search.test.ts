import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SessionStore } from '../sessions/store.ts'
import { manualClock, openTestStore, temporaryHome } from '../sessions/test-home.ts'
import { sessionSearch } from './session-search.ts'
import { testContext } from './test-context.ts'

const hour = 3_600_000

/** Runs the tool in session `current` of a store that `fill` filled. */
async function searching(t: TestContext, fill: (store: SessionStore, advance: () => void) => Promise<void>) {
  const clock = manualClock()
  const store = await openTestStore(t, await temporaryHome(t), clock)
  await fill(store, () => clock.advance(hour))
  await using test = await testContext()
  Object.assign(test.context.agent, { sessions: store, clock })
  Object.assign(test.context.session, { sessionId: 'current' })
  const { context } = test
  return async (args: unknown) => {
    const result = await sessionSearch.run(sessionSearch.input.parse(args), context)
    return JSON.parse(result.content)
  }
}

test('without a query the latest sessions are listed, but not the current one', async (t) => {
  const run = await searching(t, async (store, advance) => {
    for (const id of ['a', 'b', 'c', 'd', 'root']) {
      await store.create({ id, source: 'cli' })
      await store.append(id, { role: 'user', content: `hello from ${id}` })
      advance()
    }
    await store.create({ id: 'hidden', source: 'tool' })
    await store.rename('d', 'the plan')
    await store.create({ id: 'current', source: 'cli', parentId: 'root' })
  })
  const result = await run({})
  assert.deepEqual(
    result.results.map((each: { session_id: string }) => each.session_id),
    ['d', 'c', 'b'],
  )
  assert.deepEqual(result.results[0], {
    session_id: 'd',
    title: 'the plan',
    source: 'cli',
    started_at: 'March 1, 2026 at 4:00 PM',
    last_active: 'March 1, 2026 at 4:00 PM',
    message_count: 1,
    preview: 'hello from d',
  })
  assert.deepEqual([result.success, result.mode, result.count], [true, 'recent', 3])
  assert.equal((await run({ query: '  ', limit: 99 })).count, 4)
})

test('a query finds sessions by their root, without the current lineage and the work of tools', async (t) => {
  const run = await searching(t, async (store, advance) => {
    for (const [id, source, parentId] of [
      ['root', 'cli', undefined],
      ['child', 'cli', 'root'],
      ['other', 'telegram', undefined],
      ['hidden', 'tool', undefined],
      ['mine', 'cli', undefined],
      ['current', 'cli', 'mine'],
    ] as const) {
      await store.create({ id, source, parentId, model: 'm' })
      await store.append(id, { role: 'user', content: `数据库 migration in ${id}` })
      advance()
    }
  })
  const result = await run({ query: '据库' })
  assert.deepEqual(result.results.map((each: { session_id: string }) => each.session_id).toSorted(), ['other', 'root'])
  assert.deepEqual([result.count, result.sessions_searched, result.query], [2, 2, '据库'])
  const [other] = result.results.filter((each: { source: string }) => each.source === 'telegram')
  assert.deepEqual([other.when, other.model], ['March 1, 2026 at 3:00 PM', 'm'])
  assert.match(other.summary, /^\[Raw preview.*\]\n\[USER\]: 数据库 migration in other$/)
})

test('the preview shows the transcript around the match', async (t) => {
  const run = await searching(t, async (store) => {
    await store.create({ id: 'a', source: 'cli' })
    await store.append('a', { role: 'user', content: 'before '.repeat(300) })
    await store.append('a', {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c', name: 'terminal', arguments: '{}' }],
    })
    const content = `${'x '.repeat(400)} the needle is here ${'y '.repeat(400)}`
    await store.append('a', { role: 'tool', toolCallId: 'c', toolName: 'terminal', content })
    await store.create({ id: 'current', source: 'cli' })
  })
  const { results } = await run({ query: 'needle' })
  const [, shown = ''] = /^\[Raw preview[^\n]*\]\n(.*)$/s.exec(results[0].summary) ?? []
  assert.ok(shown.includes('the needle is here'))
  assert.ok(shown.length <= 502)
  assert.ok(shown.startsWith('…') && shown.endsWith('…'))
})

test('roles can be chosen, and nothing found is said', async (t) => {
  const run = await searching(t, async (store) => {
    await store.create({ id: 'a', source: 'cli' })
    await store.append('a', { role: 'user', content: 'apple' })
  })
  assert.equal((await run({ query: 'apple', role_filter: 'user, tool' })).count, 1)
  assert.equal((await run({ query: 'apple', role_filter: 'assistant' })).count, 0)
  assert.equal((await run({ query: 'apple', role_filter: 'nonsense' })).count, 1)
  const none = await run({ query: '"' })
  assert.deepEqual([none.success, none.results, none.count], [true, [], 0])
  assert.match(none.message, /OR/)
})
