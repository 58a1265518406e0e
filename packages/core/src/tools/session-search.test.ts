import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import * as fc from 'fast-check'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import { isSummaryRequest } from '@hermes/testing/long-conversation.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { SessionStore } from '../sessions/store.ts'
import { manualClock, openTestStore, temporaryHome } from '../sessions/test-home.ts'
import { sessionSearch } from './session-search.ts'
import { partAround } from './session-search/transcript.ts'
import { testContext } from './test-context.ts'

const hour = 3_600_000

/** Runs the tool in session `current` of a store that `fill` filled. */
async function searching(t: TestContext, fill: (store: SessionStore, advance: () => void) => Promise<void>) {
  const clock = manualClock()
  const store = await openTestStore(t, await temporaryHome(t), clock)
  await fill(store, () => clock.advance(hour))
  await using test = await testContext()
  // No language model: what is found is shown as it is.
  const models = { auxiliary: async () => [] }
  Object.assign(test.context.agent, { sessions: store, clock, models })
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

const said = (content: string): TranscriptMessage => ({ role: 'user', content })

test('what a conversation compacted away is found, but nothing that its context holds', async (t) => {
  const run = await searching(t, async (store, advance) => {
    await store.create({ id: 'root', source: 'cli' })
    for (const text of ['the heron nests in May', 'the heron eats carp', 'a heron flies by']) {
      await store.append('root', said(text))
    }
    advance()
    const middle = await store.compact('root', [said('[CONTEXT COMPACTION] herons'), said('a heron flies by')])
    await store.append(middle.id, said('a heron sleeps'))
    advance()
    // What goes on under the name that the tests search from.
    await store.create({ id: 'current', source: 'cli', parentId: middle.id })
    await store.append('current', said('[CONTEXT COMPACTION] more herons'))
    await store.append('current', said('a heron sleeps'))
    await store.append('current', said('where is the heron?'))
    await store.end(middle.id, 'compression')
  })
  const { results } = await run({ query: 'heron' })
  assert.equal(results.length, 1)
  assert.deepEqual([results[0].session_id, results[0].this_conversation], ['root', true])
  for (const gone of ['nests in May', 'eats carp', 'flies by']) assert.ok(results[0].summary.includes(gone), gone)
  assert.equal((await run({ query: 'heron sleeps' })).count, 0, 'kept by the last compaction')
  assert.equal((await run({ query: 'where heron' })).count, 0)
  assert.equal((await run({ query: 'carp' })).count, 1)
})

test('a session that says a word a hundred times does not hide the others', async (t) => {
  const run = await searching(t, async (store, advance) => {
    await store.create({ id: 'quiet', source: 'cli' })
    await store.append('quiet', said('the needle was bought in spring'))
    advance()
    await store.create({ id: 'loud', source: 'cli' })
    for (let n = 0; n < 130; n++) await store.append('loud', said(`needle needle ${n}`))
    await store.create({ id: 'current', source: 'cli' })
  })
  const { results } = await run({ query: 'needle' })
  assert.deepEqual(results.map((each: { session_id: string }) => each.session_id).toSorted(), ['loud', 'quiet'])
})

test('further matches of a conversation follow its excerpt', async (t) => {
  const run = await searching(t, async (store) => {
    await store.create({ id: 'a', source: 'cli' })
    await store.append('a', said('the otter is first'))
    await store.append('a', said('x '.repeat(2_000)))
    await store.append('a', said('the otter is second, otter'))
    await store.create({ id: 'current', source: 'cli' })
  })
  const [{ summary }] = (await run({ query: 'otter' })).results
  assert.match(summary, /otter is second, otter[^]*\nFurther matches:\n\[USER\]: the otter is first$/)
})

const isSummary = ({ body }: RecordedRequest) =>
  String(body.messages?.[0]?.content).startsWith('You look up past conversations')

/** A profile with four conversations about tides, whose model searches for them and summarises as `summary` says. */
async function withTides(summary: (request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>, config = '') {
  const all = await startScriptedAgent({
    config,
    script: (request) => {
      if (isSummary(request)) return summary(request)
      const isCalled = request.body.messages?.at(-1)?.role === 'tool'
      return isCalled
        ? { text: 'Found.' }
        : { toolCalls: [{ name: 'session_search', arguments: { query: 'tide', limit: 5 } }] }
    },
  })
  for (const id of ['a', 'b', 'c', 'd']) {
    await all.context.sessions.create({ id, source: 'cli' })
    await all.context.sessions.append(id, said(`When is high tide in ${id}? My key is sk-or-v1-${id.repeat(40)}.`))
  }
  const ask = async () => {
    const end = (await all.turn('asking', 'Do you remember?')).findLast(({ type }) => type === 'tool-end')
    return JSON.parse(end?.type === 'tool-end' ? end.content : '{}')
  }
  return { all, ask, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }
}

test("the side task's model summarises what was found, a few at a time, and sees no secret", async () => {
  let [running, most] = [0, 0]
  const three = Promise.withResolvers<void>()
  await using tides = await withTides(async ({ body }) => {
    most = Math.max(most, ++running)
    if (running === 3) three.resolve()
    // Those that are asked at once meet here.
    await Promise.race([three.promise, wait(20_000, undefined, { ref: false })])
    running -= 1
    const [, place] = /high tide in (\w)\?/.exec(String(body.messages?.[1]?.content)) ?? []
    return { text: `<think>Hm.</think>High tide in ${place} was asked for.` }
  })
  const { results } = await tides.ask()
  for (const { session_id: id, summary } of results) assert.equal(summary, `High tide in ${id} was asked for.`)
  assert.equal(results.length, 4)
  assert.equal(most, 3)
  const asked = tides.all.model.requests.filter(isSummary)
  assert.equal(asked.length, 4)
  for (const { body, problem } of asked) {
    assert.equal(problem, undefined)
    assert.match(String(body.messages?.[1]?.content), /Looked for: tide/)
    assert.doesNotMatch(JSON.stringify(body), /sk-or-v1-[a-d]{10}/)
  }
})

for (const [what, answer] of [
  ['fails', { fault: { type: 'http', status: 400 } }],
  ['says nothing', { text: '' }],
  ['takes too long', { fault: { type: 'stall' } }],
] as const) {
  test(`where the model ${what}, an excerpt stands in for a summary`, async () => {
    const config = 'auxiliary: {session_search: {timeout: 1}}'
    await using tides = await withTides(() => answer, config)
    const { results } = await tides.ask()
    assert.equal(results.length, 4)
    for (const { session_id: id, summary } of results) {
      assert.match(summary, new RegExp(`^\\[Raw preview[^]*high tide in ${id}\\?`))
      assert.doesNotMatch(summary, /sk-or-v1-[a-d]{10}/)
    }
  })
}

test('a long conversation is summarised around what was found, as far as the window of the model goes', async () => {
  await using all = await startScriptedAgent({
    contextLength: 8_000,
    config: 'compression: {enabled: false}',
    script: (request) => {
      if (isSummary(request)) return { text: 'Summary.' }
      const isCalled = request.body.messages?.at(-1)?.role === 'tool'
      return isCalled ? { text: 'Found.' } : { toolCalls: [{ name: 'session_search', arguments: { query: 'walrus' } }] }
    },
  })
  await all.context.sessions.create({ id: 'long', source: 'cli' })
  for (let n = 0; n < 400; n++) {
    await all.context.sessions.append(
      'long',
      said(n === 200 ? 'Here is the walrus.' : `Line ${n}. ${'words '.repeat(60)}`),
    )
  }
  await all.turn('asking', 'Where was it?')
  const [request] = all.model.requests.filter(isSummary)
  const text = String(request?.body.messages?.[1]?.content)
  assert.match(text, /Here is the walrus\./)
  assert.ok(text.length < 16_000 && text.length > 4_000, String(text.length))
})

test('a part of a transcript is as long as it may be and holds as much of what was found as one part can', () => {
  const marked = fc.record({
    text: fc.string({ minLength: 1, maxLength: 400 }),
    marks: fc.array(fc.nat(399), { maxLength: 5 }),
    chars: fc.integer({ min: 4, max: 500 }),
  })
  fc.assert(
    fc.property(marked, ({ text, marks: all, chars }) => {
      const marks = all.filter((mark) => mark < text.length)
      const part = partAround({ text, marks }, chars)
      if (text.length <= chars) return assert.equal(part, text)
      const shown = part.replace(/^…/, '').replace(/…$/, '')
      assert.ok(shown.length <= chars && text.includes(shown))
      const [best] = marks
      if (best !== undefined && marks.length === 1 && text[best]?.trim()) assert.ok(shown.includes(text[best]))
    }),
  )
  assert.match(partAround({ text: `${'a'.repeat(99)}X${'b'.repeat(99)}`, marks: [99] }, 20), /^…a+Xb+…$/)
  const two = `${'a'.repeat(50)}1${'b'.repeat(200)}2b3${'c'.repeat(50)}`
  assert.match(partAround({ text: two, marks: [50, 251, 253] }, 20), /2b3/)
})

test('the model that a turn was told to use summarises, too', async () => {
  await using tides = await withTides(() => ({ text: 'Summary.' }))
  await tides.all.turn('asking', 'Do you remember?', { model: 'other-model' })
  assert.deepEqual([...new Set(tides.all.model.requests.map(({ body }) => body.model))], ['other-model'])
})

test('after compactions the agent finds what the summaries left out, and not what it has before it', async () => {
  const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(60)
  await using all = await startScriptedAgent({
    contextLength: 32_000,
    script: (request) => {
      const last = request.body.messages?.at(-1)
      if (isSummary(request))
        return { text: /The code of[^.]*/.exec(String(request.body.messages?.[1]?.content))?.[0] ?? '' }
      if (isSummaryRequest(request)) return { text: '## Goal\nGo on.' }
      if (last?.role === 'tool') return { text: 'Found.' }
      if (String(last?.content) !== 'Search.') return { text: [longText] }
      return { toolCalls: ['vault', 'latest'].map((query) => ({ name: 'session_search', arguments: { query } })) }
    },
  })
  let session = 'a'
  let compactions = 0
  const turn = async (text: string) => {
    const events = await all.turn(session, text)
    for (const event of events) {
      if (event.type !== 'compaction') continue
      session = event.sessionId
      compactions += 1
    }
    return events
  }
  for (let n = 0; n < 34; n++) await turn(n === 5 ? 'The code of the vault is heron.' : `Step ${n}.`)
  await turn('The latest step is otter.')
  const events = await turn('Search.')
  assert.ok(compactions >= 2, String(compactions))
  const found = events.flatMap((event) => (event.type === 'tool-end' ? [JSON.parse(event.content ?? '')] : []))
  const [latest, vault] = found.toSorted((one, other) => (one.query < other.query ? -1 : 1))
  assert.deepEqual([vault.results[0].session_id, vault.results[0].this_conversation], ['a', true])
  assert.match(vault.results[0].summary, /The code of the vault is heron/)
  assert.equal(latest.count, 0)
  await all.turn('b', 'Search.')
  const again = await all.turn('c', 'Search.')
  const counts = again.flatMap((event) => (event.type === 'tool-end' ? [JSON.parse(event.content ?? '').count] : []))
  assert.deepEqual(counts, [1, 1], 'what a search once answered is no conversation about it')
})
