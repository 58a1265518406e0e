import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as fc from 'fast-check'
import type { Clock } from '../agent/clock.ts'
import { noUsage } from '../models/model.ts'
import type { AssistantMessage, TranscriptMessage } from '../models/transcript.ts'
import { type SessionStore, SessionError } from './store.ts'
import { manualClock } from './test-home.ts'

/** Opens an empty store of the kind that is tested, closed by the test's end. */
export type OpenStore = (t: TestContext, clock: Clock) => Promise<SessionStore>

const hour = 3_600_000

/** What every session store does. */
export function sessionStoreContract(name: string, open: OpenStore): void {
  test(`${name}: a new session has an id of its time zone's clock and what it was made with`, async (t) => {
    const clock = manualClock(Date.UTC(2026, 11, 31, 23, 30, 5))
    const store = await open(t, clock)
    const made = await store.create({ source: 'cli', userId: 'u', model: 'm', modelConfig: { max_iterations: 90 } })
    assert.match(made.id, /^20270101_003005_[0-9a-f]{6}$/)
    assert.deepEqual(await store.get(made.id), made)
    assert.deepEqual(
      [made.source, made.userId, made.model, made.startedAt, made.endedAt, made.messageCount, made.title],
      ['cli', 'u', 'm', clock.now(), undefined, 0, undefined],
    )
    assert.equal(await store.get('nobody'), undefined)
  })

  test(`${name}: making a session that exists leaves it as it is`, async (t) => {
    const store = await open(t, manualClock())
    await store.create({ id: 'x', source: 'cli' })
    await store.rename('x', 'mine')
    assert.equal((await store.create({ id: 'x', source: 'telegram' })).title, 'mine')
    assert.equal((await store.get('x'))?.source, 'cli')
  })

  test(`${name}: a session cannot be made under a parent that is not there`, async (t) => {
    const store = await open(t, manualClock())
    await assert.rejects(store.create({ source: 'cli', parentId: 'gone' }), isError('not-found'))
  })

  test(`${name}: any message comes back as it was stored`, async (t) => {
    const store = await open(t, manualClock())
    const { id } = await store.create({ source: 'cli' })
    let stored = 0
    await fc.assert(
      fc.asyncProperty(message, async (given) => {
        await store.append(id, given)
        stored += 1
        const messages = await store.messages(id)
        assert.equal(messages.length, stored)
        assert.deepEqual(messages.at(-1)?.message, given)
      }),
      { numRuns: 60 },
    )
  })

  test(`${name}: messages have growing ids and the clock's time, and are counted`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    const { id } = await store.create({ source: 'cli' })
    const first = await store.append(id, { role: 'user', content: 'go' })
    clock.advance(1500)
    const second = await store.append(id, callsTools('a', 'b'))
    assert.ok(second > first)
    const messages = await store.messages(id)
    assert.deepEqual(
      messages.map((each) => [each.id, each.timestamp - clock.now()]),
      [
        [first, -1500],
        [second, 0],
      ],
    )
    const session = await store.get(id)
    assert.deepEqual([session?.messageCount, session?.toolCallCount], [2, 2])
  })

  test(`${name}: a rehearsal leaves no trace, also where others write in the same breath`, async (t) => {
    const store = await open(t, manualClock())
    await store.rehearse()
    assert.deepEqual([await store.list(), await store.latest(), await store.search('Hello')], [[], undefined, []])
    const { id } = await store.create({ source: 'cli' })
    const [first, , second] = await Promise.all([
      store.append(id, { role: 'user', content: 'go' }),
      store.rehearse(),
      store.append(id, { role: 'user', content: 'on' }),
    ])
    assert.deepEqual([first, second], [1, 2])
    assert.deepEqual(
      (await store.messages(id)).map(({ message }) => message.content),
      ['go', 'on'],
    )
    assert.equal((await store.list()).length, 1)
    assert.deepEqual(await store.search('Hello'), [])
  })

  test(`${name}: a message for no session is refused and stored nowhere`, async (t) => {
    const store = await open(t, manualClock())
    await assert.rejects(store.append('gone', { role: 'user', content: 'needle' }), isError('not-found'))
    assert.deepEqual(await store.search('needle'), [])
  })

  test(`${name}: messages removed from the end are gone from counts and search`, async (t) => {
    const store = await open(t, manualClock())
    const { id } = await store.create({ source: 'cli' })
    await store.append(id, { role: 'user', content: 'keep apple' })
    const from = await store.append(id, { ...callsTools('a'), content: 'drop apple' })
    await store.append(id, { role: 'tool', toolCallId: 'a', toolName: 'x', content: 'drop apple too' })
    assert.equal((await store.search('apple')).length, 3)
    assert.equal(await store.removeMessages(id, from), 2)
    assert.equal((await store.messages(id)).length, 1)
    assert.equal((await store.search('apple')).length, 1)
    const session = await store.get(id)
    assert.deepEqual([session?.messageCount, session?.toolCallCount], [1, 0])
    await assert.rejects(store.removeMessages('gone', 0), isError('not-found'))
  })

  test(`${name}: titles are cleaned, unique, bounded and can be cleared`, async (t) => {
    const store = await open(t, manualClock())
    await store.create({ id: 'a', source: 'cli' })
    await store.create({ id: 'b', source: 'cli' })
    assert.equal(await store.rename('a', '  my\u200b\tplan\u0007\n #1 '), 'my plan #1')
    assert.equal(await store.rename('a', 'my plan #1'), 'my plan #1')
    await assert.rejects(
      store.rename('b', 'my plan #1'),
      (error) => isError('title-taken')(error) && /\ba\b/.test(String(error)),
    )
    assert.equal(await store.rename('b', '数'.repeat(100)), '数'.repeat(100))
    await assert.rejects(store.rename('b', '🚀'.repeat(101)), isError('title-too-long'))
    assert.equal(await store.rename('a', ' \u200b '), undefined)
    assert.equal((await store.get('a'))?.title, undefined)
    await assert.rejects(store.rename('gone', 'x'), isError('not-found'))
  })

  test(`${name}: a suggested title is taken by a session that has none, numbered where another has it`, async (t) => {
    const store = await open(t, manualClock())
    await store.create({ id: 'a', source: 'cli' })
    await store.create({ id: 'b', source: 'cli' })
    assert.equal(await store.suggestTitle('a', ' the\nplan '), 'the plan')
    assert.equal(await store.suggestTitle('a', 'another'), undefined)
    assert.equal(await store.suggestTitle('b', ' \u200b '), undefined)
    await assert.rejects(store.suggestTitle('b', 'x'.repeat(101)), isError('title-too-long'))
    assert.equal(await store.suggestTitle('b', 'the plan'), 'the plan #2')
    assert.equal(await store.suggestTitle('gone', 'the plan'), undefined)
    assert.deepEqual([(await store.get('a'))?.title, (await store.get('b'))?.title], ['the plan', 'the plan #2'])
  })

  test(`${name}: a session that was kept elsewhere is taken over once, whole, at its times`, async (t) => {
    const store = await open(t, manualClock())
    const messages = [
      { timestamp: 5_000, message: { role: 'user', content: 'hello' } },
      { timestamp: 6_000, message: { role: 'assistant', content: 'Hi.', toolCalls: [] } },
    ] as const
    const kept = { id: 'a', source: 'telegram', userId: '7', startedAt: 4_000, messages }
    assert.equal(await store.adopt({ ...kept, messages: [] }), false)
    assert.equal(await store.get('a'), undefined)
    assert.equal(await store.adopt(kept), true)
    assert.equal(await store.adopt(kept), false)
    const { startedAt, messageCount, source, userId } = (await store.get('a')) ?? {}
    assert.deepEqual([startedAt, messageCount, source, userId], [4_000, 2, 'telegram', '7'])
    const stored = await store.messages('a')
    assert.deepEqual(
      stored.map(({ timestamp, message }) => ({ timestamp, message })),
      messages,
    )
    await store.create({ id: 'b', source: 'cli' })
    assert.equal(await store.adopt({ ...kept, id: 'b' }), true, 'one without messages is filled')
    assert.equal((await store.get('b'))?.source, 'cli')
  })

  test(`${name}: a lineage goes on after its highest number, whatever else begins as it does`, async (t) => {
    const store = await open(t, manualClock())
    const huge = `plan #1${'0'.repeat(20)}`
    const titles = ['plan', 'plan #7', 'plan #b', 'planet #9', 'plan #8x', 'plan #1 #40', 'plan $9', 'plan #', huge]
    for (const [at, title] of titles.entries()) {
      await store.create({ id: `s${at}`, source: 'cli' })
      assert.equal(await store.rename(`s${at}`, title), title)
    }
    await store.create({ id: 'new', source: 'cli' })
    assert.equal(await store.suggestTitle('new', 'plan'), 'plan #8')
  })

  test(`${name}: a session is found by id, by the start of one id, and by the newest title of a lineage`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    for (const id of ['ab1', 'ab2', 'abc%3', 'z']) {
      clock.advance(hour)
      await store.create({ id, source: 'cli' })
    }
    await store.rename('ab1', 'plan')
    await store.rename('ab2', 'plan #2')
    await store.rename('z', 'plan b')
    const found = async (text: string) => (await store.resolve(text))?.id
    assert.equal(await found('ab1'), 'ab1')
    assert.equal(await found('ab'), undefined)
    assert.equal(await found('abc'), 'abc%3')
    assert.equal(await found('%'), undefined)
    assert.equal(await found(''), undefined)
    assert.equal(await found('plan'), 'ab2')
    assert.equal(await found('plan #2'), 'ab2')
    assert.equal(await found('plan b'), 'z')
    assert.equal(await found('nothing'), undefined)
  })

  test(`${name}: lists show roots, last used first, with a preview and the time of the last message`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    await store.create({ id: 'old', source: 'telegram' })
    await store.append('old', { role: 'user', content: `line\nbreak ${'数'.repeat(80)}` })
    clock.advance(hour)
    await store.create({ id: 'new', source: 'cli' })
    await store.create({ id: 'child', source: 'cli', parentId: 'new' })
    await store.create({ id: 'hidden', source: 'tool' })
    clock.advance(hour)
    await store.append('old', { role: 'user', content: 'again' })
    const list = await store.list()
    assert.deepEqual(
      list.map(({ id, preview, lastActiveAt }) => [id, preview, clock.now() - lastActiveAt]),
      [
        ['old', `line break ${'数'.repeat(49)}...`, 0],
        ['new', '', hour],
      ],
    )
    const ids = async (options: Parameters<SessionStore['list']>[0]) => (await store.list(options)).map(({ id }) => id)
    assert.deepEqual(await ids({ source: 'tool' }), ['hidden'])
    assert.deepEqual(await ids({ excludeSources: ['cli'] }), ['old', 'hidden'])
    assert.deepEqual((await ids({ includeChildren: true })).toSorted(), ['child', 'new', 'old'])
    assert.deepEqual(await ids({ limit: 1, offset: 1 }), ['new'])
  })

  test(`${name}: a compacted conversation stands in lists where it was used last, however often it was compacted`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    const long = await store.create({ source: 'cli' })
    await store.append(long.id, { role: 'user', content: 'the beginning' })
    const tick = async (id: string) => {
      clock.advance(hour)
      await store.create({ id, source: 'cli' })
    }
    await tick('between')
    clock.advance(hour)
    const second = await store.compact(long.id, [{ role: 'user', content: 'summary' }])
    await tick('later')
    clock.advance(hour)
    const third = await store.compact(second.id, [{ role: 'user', content: 'summary' }])
    clock.advance(hour)
    await store.append(third.id, { role: 'user', content: 'still there' })
    const spokenAt = clock.now()
    await tick('latest')
    const list = await store.list()
    assert.deepEqual(
      list.map(({ id }) => id),
      ['latest', long.id, 'later', 'between'],
    )
    assert.deepEqual([list[1]?.preview, list[1]?.lastActiveAt], ['the beginning', spokenAt])
    assert.deepEqual(
      (await store.list({ limit: 1, offset: 1 })).map(({ id }) => id),
      [long.id],
    )
    const all = await store.list({ includeChildren: true })
    assert.deepEqual(
      all.map(({ id }) => id),
      ['latest', third.id, 'later', second.id, 'between', long.id],
    )
  })

  test(`${name}: branches are listed beside what they branched off, also when that goes on; delegated work is not`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    const say = (id: string) => store.append(id, { role: 'user', content: 'hello' })
    const listed = async () => (await store.list()).map(({ id }) => id).toSorted()
    await store.create({ id: 'a', source: 'telegram' })
    await say('a')
    clock.advance(hour)
    const branch = await store.branch('a')
    assert.deepEqual(await listed(), ['a', branch.id].toSorted())
    await store.reopen('a')
    await store.create({ id: 'delegated', source: 'telegram', parentId: 'a' })
    await say('delegated')
    assert.deepEqual(await listed(), ['a', branch.id].toSorted())
    await store.end('a', 'session_switch')
    await say(branch.id)
    assert.deepEqual(await listed(), ['a', branch.id].toSorted())
  })

  test(`${name}: the latest session is the one spoken in last, along its lineage, but not delegated work`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    const say = async (id: string) => {
      clock.advance(hour)
      await store.append(id, { role: 'user', content: 'hello' })
    }
    assert.equal(await store.latest(), undefined)
    for (const id of ['a', 'b']) await store.create({ id, source: 'cli' })
    await say('b')
    await say('a')
    await store.create({ id: 'delegated', source: 'cli', parentId: 'a' })
    await say('delegated')
    clock.advance(hour)
    await store.create({ id: 'empty', source: 'cli' })
    assert.equal((await store.latest())?.id, 'a')
    await store.create({ id: 'continued', source: 'cli', parentId: 'a' })
    await store.end('a', 'compression')
    await say('continued')
    assert.equal((await store.latest('cli'))?.id, 'continued')
    assert.equal(await store.latest('telegram'), undefined)
  })

  test(`${name}: an ended session can be opened again`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    const { id } = await store.create({ source: 'cli' })
    await store.end(id, 'cli_close')
    const ended = await store.get(id)
    assert.deepEqual([ended?.endedAt, ended?.endReason], [clock.now(), 'cli_close'])
    await store.reopen(id)
    const open_ = await store.get(id)
    assert.deepEqual([open_?.endedAt, open_?.endReason], [undefined, undefined])
    await assert.rejects(store.end('gone', 'x'), isError('not-found'))
  })

  test(`${name}: the system prompt and usage are kept; bills keep their first name`, async (t) => {
    const store = await open(t, manualClock())
    const { id } = await store.create({ source: 'cli' })
    await store.setSystemPrompt(id, 'You are Hermes.')
    const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 }
    await store.addUsage(id, { usage, model: 'first', billingProvider: 'p', estimatedCostUsd: 0.5 })
    await store.addUsage(id, { usage, model: 'second', billingProvider: 'q', costStatus: 'estimated' })
    const session = await store.get(id)
    assert.equal(session?.systemPrompt, 'You are Hermes.')
    assert.equal(session?.model, 'first')
    assert.equal(session?.estimatedCostUsd, 0.5)
    assert.deepEqual(session?.usage, {
      inputTokens: 20,
      outputTokens: 10,
      cacheReadTokens: 6,
      cacheWriteTokens: 4,
      reasoningTokens: 2,
    })
    const exported = await store.exportSession(id)
    assert.deepEqual([exported?.['billing_provider'], exported?.['cost_status']], ['p', 'estimated'])
  })

  test(`${name}: what is noted with a message is as if it had been noted by itself`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    const counts = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 }
    const usage = { usage: counts, model: 'first', billingProvider: 'p', estimatedCostUsd: 0.5 }
    const systemPrompt = 'You are Hermes.'
    const toolCalls = [{ id: 'c', name: 'f', arguments: '{}' }]
    const answer = { role: 'assistant', content: 'Yes.', toolCalls } as const
    const notes = [{}, { usage }, { systemPrompt }, { usage, systemPrompt }, { usage: { ...usage, model: 'second' } }]
    for (const [at, noted] of notes.entries()) {
      const [together, apart] = [`together ${at}`, `apart ${at}`]
      for (const id of [together, apart]) await store.create({ id, source: 'cli', model: 'first' })
      const rowId = await store.append(together, answer, noted)
      assert.deepEqual(
        (await store.messages(together)).map(({ id }) => id),
        [rowId],
      )
      if (noted.systemPrompt !== undefined) await store.setSystemPrompt(apart, noted.systemPrompt)
      if (noted.usage) await store.addUsage(apart, noted.usage)
      await store.append(apart, answer)
      const columns = async (session: string) => {
        const { id, messages, ...rest } = (await store.exportSession(session)) ?? { id: '', messages: [] }
        return [id === session, messages.length, rest]
      }
      assert.deepEqual(await columns(together), await columns(apart))
      await assert.rejects(store.append('gone', answer, noted), isError('not-found'))
    }
    const { byModel } = await store.analytics()
    assert.equal(byModel.find(({ model }) => model === 'second')?.usage.inputTokens, 20)
    assert.equal((await store.search('Yes', { limit: 100 })).length, 2 * notes.length)
  })

  test(`${name}: removing a session removes its messages and leaves its children without a parent`, async (t) => {
    const store = await open(t, manualClock())
    await store.create({ id: 'parent', source: 'cli' })
    await store.create({ id: 'child', source: 'cli', parentId: 'parent' })
    for (let i = 0; i < 50; i += 1) await store.append('parent', { role: 'user', content: `needle ${i}` })
    assert.equal((await store.search('needle', { limit: 100 })).length, 50)
    assert.equal(await store.remove('parent'), true)
    assert.equal(await store.get('parent'), undefined)
    assert.equal((await store.get('child'))?.parentId, undefined)
    assert.deepEqual(await store.search('needle'), [])
    assert.equal(await store.remove('parent'), false)
  })

  test(`${name}: pruning removes ended sessions that started before a time`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    for (const [id, source] of [
      ['ended', 'cli'],
      ['open', 'cli'],
      ['chat', 'telegram'],
    ] as const) {
      await store.create({ id, source })
      await store.append(id, { role: 'user', content: 'x' })
      if (id !== 'open') await store.end(id, 'cli_close')
    }
    clock.advance(hour)
    await store.create({ id: 'later', source: 'cli' })
    await store.end('later', 'cli_close')
    assert.equal(await store.prune({ before: clock.now(), source: 'cli' }), 1)
    assert.equal(await store.get('ended'), undefined)
    assert.equal(await store.prune({ before: clock.now() }), 1)
    assert.deepEqual((await store.list()).map(({ id }) => id).toSorted(), ['later', 'open'])
  })

  test(`${name}: a branch has the conversation, its prompt and the next title; the old session ends`, async (t) => {
    const store = await open(t, manualClock())
    await store.create({ id: 'a', source: 'cli', model: 'm', userId: 'u' })
    await store.setSystemPrompt('a', 'frozen')
    await store.rename('a', 'plan #4')
    const messages: TranscriptMessage[] = [
      { role: 'user', content: 'go' },
      { ...callsTools('c1'), reasoning: 'hm', reasoningDetails: [{ signature: 'x' }], finishReason: 'tool_calls' },
      { role: 'tool', toolCallId: 'c1', toolName: 'x', content: 'done' },
    ]
    for (const message of messages) await store.append('a', message)
    const branch = await store.branch('a')
    assert.deepEqual(
      [branch.parentId, branch.title, branch.systemPrompt, branch.model, branch.userId, branch.source],
      ['a', 'plan #5', 'frozen', 'm', 'u', 'cli'],
    )
    assert.deepEqual([branch.messageCount, branch.toolCallCount], [3, 1])
    assert.deepEqual(
      (await store.messages(branch.id)).map(({ message }) => message),
      messages,
    )
    assert.equal((await store.get('a'))?.endReason, 'branched')
    assert.equal((await store.branch('a', 'other')).title, 'other')
    await assert.rejects(store.branch('a', 'plan #5'), isError('title-taken'))
    await assert.rejects(store.branch('gone'), isError('not-found'))
    assert.equal((await store.branch((await store.create({ source: 'cli' })).id)).title, 'branch')
  })

  test(`${name}: a compacted session ends whole, and its child goes on under the next title`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    await store.create({ id: 'a', source: 'telegram', model: 'm', userId: 'u' })
    await store.setSystemPrompt('a', 'frozen')
    await store.rename('a', 'plan')
    await store.append('a', { role: 'user', content: 'the whole story of the heron' })
    const messages: TranscriptMessage[] = [
      { role: 'user', content: 'summary' },
      callsTools('c1'),
      { role: 'tool', toolCallId: 'c1', toolName: 'x', content: 'done' },
    ]
    clock.advance(hour)
    const child = await store.compact('a', messages)
    assert.deepEqual(
      [child.parentId, child.title, child.systemPrompt, child.model, child.userId, child.source],
      ['a', 'plan #2', undefined, 'm', 'u', 'telegram'],
    )
    assert.deepEqual([child.messageCount, child.toolCallCount, child.endedAt], [3, 1, undefined])
    assert.deepEqual(
      (await store.messages(child.id)).map(({ message }) => message),
      messages,
    )
    const old = await store.get('a')
    assert.deepEqual(
      [old?.endReason, old?.endedAt, old?.title, old?.messageCount],
      ['compression', clock.now(), 'plan', 1],
    )
    assert.equal((await store.search('heron'))[0]?.sessionId, 'a')
    assert.equal((await store.latest('telegram'))?.id, child.id)
    assert.equal((await store.compact(child.id, messages)).title, 'plan #3')
    assert.equal((await store.compact((await store.create({ source: 'cli' })).id, messages)).title, undefined)
    await assert.rejects(store.compact('gone', messages), isError('not-found'))
  })

  test(`${name}: what a compaction takes along is found once, where it was said`, async (t) => {
    const store = await open(t, manualClock())
    await store.create({ id: 'a', source: 'cli' })
    const said = { role: 'user', content: 'the heron stays' } as const
    const summary = { role: 'user', content: '[CONTEXT COMPACTION — REFERENCE ONLY]\nA heron was spoken of.' } as const
    await store.append('a', said)
    const second = await store.compact('a', [summary, said])
    await store.append(second.id, { role: 'user', content: 'another heron came' })
    const third = await store.compact(second.id, [summary, said])
    await store.append(third.id, { role: 'user', content: 'now to the pelican' })
    const found = async () => (await store.search('heron')).map(({ sessionId }) => sessionId).toSorted()
    assert.deepEqual(await found(), ['a', second.id].toSorted())
    assert.equal((await store.search('pelican'))[0]?.sessionId, third.id)
    await store.remove('a')
    await store.remove(second.id)
    assert.deepEqual(await found(), [third.id, third.id])
  })

  test(`${name}: what carries a compacted session on is found over several compactions`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    await store.create({ id: 'a', source: 'cli' })
    assert.equal((await store.carriedOnBy('a'))?.id, 'a')
    clock.advance(hour)
    await store.create({ id: 'delegated', source: 'cli', parentId: 'a' })
    clock.advance(hour)
    const second = await store.compact('a', [])
    const third = await store.compact(second.id, [])
    await store.branch(third.id)
    for (const id of ['a', second.id, third.id]) assert.equal((await store.carriedOnBy(id))?.id, third.id)
    await store.reopen('a')
    assert.equal((await store.carriedOnBy('a'))?.id, 'a')
    assert.equal(await store.carriedOnBy('gone'), undefined)
  })

  test(`${name}: search finds words, beginnings, phrases and their combinations`, async (t) => {
    const store = await open(t, manualClock())
    const { id } = await store.create({ source: 'cli' })
    const texts = [
      'Deploy the staging cluster',
      'The Résumé of the deployment: node-pty failed',
      'pty node without order',
      'staging only, mail a-b_c@example.com about C++',
    ]
    const ids: number[] = []
    for (const content of texts) ids.push(await store.append(id, { role: 'user', content }))
    const found = async (query: string) =>
      (await store.search(query)).map(({ messageId }) => ids.indexOf(messageId)).toSorted((a, b) => a - b)
    assert.deepEqual(await found('staging'), [0, 3])
    assert.deepEqual(await found('STAGING cluster'), [0])
    assert.deepEqual(await found('resume'), [1])
    assert.deepEqual(await found('deploy'), [0])
    assert.deepEqual(await found('deploy*'), [0, 1])
    assert.deepEqual(await found('node-pty'), [1])
    assert.deepEqual(await found('"pty node"'), [2])
    assert.deepEqual(await found('node pty'), [1, 2])
    assert.deepEqual(await found('cluster OR resume'), [0, 1])
    assert.deepEqual(await found('staging NOT cluster'), [3])
    assert.deepEqual(await found('staging AND "the staging"'), [0])
    assert.deepEqual(await found('staging NOT "staging cluster"'), [3])
    assert.deepEqual(await found('a-b_c@example.com'), [3])
    assert.deepEqual(await found('c++'), [3])
    assert.deepEqual(await found('AND staging NOT'), [0, 3])
    assert.deepEqual(await found('stag'), [])
    assert.deepEqual(await found('!!! ***'), [])
  })

  test(`${name}: search finds every substring of Chinese, Japanese and Korean, next to Latin too`, async (t) => {
    const store = await open(t, manualClock())
    const { id } = await store.create({ source: 'cli' })
    const texts = [
      '用docker部署数据库',
      '重构数据库迁移脚本',
      'データベースの移行',
      '데이터베이스를 백업했다',
      '資料庫備份 v2计划',
      '葛󠄀城𠮷野家',
    ]
    const ids: number[] = []
    for (const content of texts) ids.push(await store.append(id, { role: 'user', content }))
    const found = async (query: string) =>
      (await store.search(query)).map(({ messageId }) => ids.indexOf(messageId)).toSorted((a, b) => a - b)
    for (const [i, text] of texts.entries()) {
      for (const run of text.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Hang}]+/gu) ?? []) {
        const characters = Array.from(run)
        for (let start = 0; start < characters.length; start += 1) {
          for (let end = start + 1; end <= characters.length; end += 1) {
            const part = characters.slice(start, end).join('')
            assert.ok((await found(part)).includes(i), `${part} is in ${text}`)
          }
        }
      }
    }
    assert.deepEqual(await found('数据库'), [0, 1])
    assert.deepEqual(await found('docker'), [0])
    assert.deepEqual(await found('docker部署'), [0])
    assert.deepEqual(await found('用docker'), [0])
    assert.deepEqual(await found('部署docker'), [])
    assert.deepEqual(await found('备份 OR 백업'), [3])
    assert.deepEqual(await found('迁移 OR 移行 OR docker'), [0, 1, 2])
    assert.deepEqual(await found('数据 NOT docker'), [1])
    assert.deepEqual(await found('吉'), [])
    assert.deepEqual(await found('葛城'), [5])
    assert.deepEqual(await found('ﾃﾞｰﾀﾍﾞｰｽ'), [2])
  })

  test(`${name}: any text can be searched for`, async (t) => {
    const store = await open(t, manualClock())
    const { id } = await store.create({ source: 'cli' })
    await store.append(id, { role: 'user', content: 'a "quoted" NEAR(b) content: ^x* -y 数据' })
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '"',
        '*',
        'AND',
        'OR',
        'NOT',
        'NEAR(',
        '(',
        ')',
        '^',
        ':',
        '-',
        '+',
        '{',
        '}',
        '数',
        '据',
        "'",
        '\0',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.constantFrom('', ' '), async (pieces, glue) => {
        assert.ok(Array.isArray(await store.search(pieces.join(glue))))
      }),
      { numRuns: 150 },
    )
    assert.deepEqual(await store.search('word '.repeat(20_000)), [])
  })

  test(`${name}: pages of a search hold every match once, and the filters hold`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    await store.create({ id: 'a', source: 'cli' })
    await store.create({ id: 'b', source: 'tool' })
    for (let i = 0; i < 330; i += 1) {
      clock.advance(1000)
      const content = `apple ${'filler '.repeat(i % 7)} ${i}`
      await store.append(i % 3 === 0 ? 'b' : 'a', i % 2 ? { role: 'user', content } : { ...callsTools(), content })
    }
    const all = new Set<number>()
    for (let offset = 0; offset < 340; offset += 17) {
      for (const hit of await store.search('apple', { limit: 17, offset })) all.add(hit.messageId)
    }
    assert.equal(all.size, 330)
    const count = async (options: Parameters<SessionStore['search']>[1]) =>
      (await store.search('apple', { limit: 1000, ...options })).length
    assert.equal(await count({ sources: ['tool'] }), 110)
    assert.equal(await count({ excludeSources: ['tool'] }), 220)
    assert.equal(await count({ roles: ['user'] }), 165)
    assert.equal(await count({ excludeSessionIds: ['a'] }), 110)
    assert.equal(await count({ excludeSessionIds: ['a'], roles: ['user'], sources: ['cli'] }), 0)
  })

  test(`${name}: a hit shows where it is from and what matches`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    const session = await store.create({ source: 'cli', model: 'm' })
    await store.rename(session.id, 'fruit')
    clock.advance(hour)
    const content = `${'before '.repeat(60)}an Äpple 🚀 a day${' after'.repeat(60)}`
    const id = await store.append(session.id, { role: 'tool', toolCallId: 'c', toolName: 'terminal', content })
    const [hit, ...others] = await store.search('apple')
    assert.equal(others.length, 0)
    const { snippet, score, ...rest } = hit!
    assert.deepEqual(rest, {
      messageId: id,
      sessionId: session.id,
      role: 'tool',
      timestamp: clock.now(),
      toolName: 'terminal',
      source: 'cli',
      model: 'm',
      sessionStartedAt: session.startedAt,
      sessionTitle: 'fruit',
    })
    assert.match(snippet, /^\.\.\.before .*an >>>Äpple<<< 🚀 a day after.*\.\.\.$/)
    assert.ok(snippet.length < 320)
    assert.ok(score > 0)
  })

  test(`${name}: a rare word is found first beside a common one, and more of a word counts for more`, async (t) => {
    const clock = manualClock()
    const store = await open(t, clock)
    const { id } = await store.create({ source: 'cli' })
    const say = async (content: string) => {
      clock.advance(60_000)
      return store.append(id, { role: 'user', content })
    }
    const rare = await say('the zebra ran')
    for (let i = 0; i < 300; i += 1) await say(`the server said ${i}`)
    const strong = await say('server server server')
    await say('a server, among many other words that have little to do with it')
    assert.equal((await store.search('server OR zebra'))[0]?.messageId, rare)
    assert.equal((await store.search('server'))[0]?.messageId, strong)
  })

  test(`${name}: analytics sum what was stored, by the profile's days`, async (t) => {
    const clock = manualClock(Date.UTC(2026, 2, 1, 22, 30))
    const store = await open(t, clock)
    await store.create({ id: 'a', source: 'cli', model: 'm' })
    await store.append('a', callsTools('x'))
    await store.append('a', { role: 'tool', toolCallId: 'x', toolName: 'terminal', content: '' })
    clock.advance(hour)
    await store.create({ id: 'b', source: 'telegram' })
    await store.append('b', { role: 'user', content: 'hi' })
    const usage = { inputTokens: 7, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
    await store.addUsage('a', { usage, model: 'm', estimatedCostUsd: 0.25, costStatus: 'estimated' })
    const cost = { usd: 0.25, reportedUsd: 0, includedSessions: 0, unknownSessions: 0 }
    const none = { usage: noUsage, cost: { ...cost, usd: 0 } }
    const sums = await store.analytics()
    assert.deepEqual([sums.sessions, sums.messages, sums.toolCalls, sums.usage, sums.cost], [2, 3, 1, usage, cost])
    assert.ok(sums.databaseBytes > 0)
    assert.deepEqual(sums.bySource, [
      { source: 'cli', sessions: 1, messages: 2, usage, cost },
      { source: 'telegram', sessions: 1, messages: 1, ...none },
    ])
    assert.deepEqual(sums.byModel, [{ model: 'm', sessions: 1, messages: 2, usage, cost }])
    assert.deepEqual(sums.byTool, [{ tool: 'terminal', calls: 1 }])
    assert.deepEqual(sums.byDay, [
      { day: '2026-03-01', sessions: 1, messages: 2, usage, cost },
      { day: '2026-03-02', sessions: 1, messages: 1, ...none },
    ])
    assert.equal(sums.byHour.length, 24)
    assert.deepEqual([sums.byHour[23], sums.byHour[0]], [2, 1])
    assert.equal((await store.analytics({ since: clock.now() })).messages, 1)
    const { messages, bySource, byTool, byDay } = await store.analytics({ source: 'telegram' })
    assert.deepEqual([messages, bySource.length, byTool, byDay.length], [1, 1, [], 1])
  })

  test(`${name}: costs add up, and say what was reported, included and unknown`, async (t) => {
    const store = await open(t, manualClock())
    for (const id of ['a', 'b', 'c', 'd']) await store.create({ id, source: 'cli' })
    const usage = { ...noUsage, inputTokens: 1 }
    const paid = { usage, model: 'm', costSource: 'provider_cost_api', costStatus: 'actual' } as const
    await store.addUsage('a', { ...paid, estimatedCostUsd: 0.5, actualCostUsd: 0.5 })
    await store.addUsage('a', { ...paid, estimatedCostUsd: 0.25, actualCostUsd: 0.25 })
    const table = { costSource: 'official_docs_snapshot', pricingVersion: '2026-11-20' }
    await store.addUsage('a', { usage, model: 'm', estimatedCostUsd: 0.25, costStatus: 'estimated', ...table })
    const { estimatedCostUsd, actualCostUsd, costStatus, costSource } = (await store.get('a')) ?? {}
    assert.deepEqual(
      [estimatedCostUsd, actualCostUsd, costStatus, costSource],
      [1, 0.75, 'estimated', 'official_docs_snapshot'],
    )
    assert.equal((await store.exportSession('a'))?.['pricing_version'], '2026-11-20')
    await store.addUsage('b', { usage, model: 'm', costStatus: 'unknown' })
    await store.addUsage('c', { usage, model: 'm', estimatedCostUsd: 0, costStatus: 'included' })
    assert.equal((await store.get('b'))?.actualCostUsd, undefined)
    assert.deepEqual((await store.analytics()).cost, {
      usd: 1,
      reportedUsd: 0.75,
      includedSessions: 1,
      unknownSessions: 1,
    })
  })

  test(`${name}: what each model took is summed by the model, also where a session used several`, async (t) => {
    const store = await open(t, manualClock())
    for (const id of ['a', 'b', 'gone']) await store.create({ id, source: 'cli' })
    await store.append('a', { role: 'user', content: 'hi' })
    const usage = { ...noUsage, inputTokens: 100, outputTokens: 10 }
    const spend = (id: string, model: string, usd: number) =>
      store.addUsage(id, { usage, model, estimatedCostUsd: usd, costStatus: usd === 0 ? 'included' : 'estimated' })
    await spend('a', 'main', 0.5)
    await spend('a', 'side', 0.25)
    await spend('a', 'side', 0.125)
    await spend('a', 'own', 0)
    await spend('a', 'main', 0.5)
    await spend('b', 'side', 0.25)
    await store.addUsage('b', { usage, model: 'odd', costStatus: 'unknown' })
    await spend('gone', 'main', 8)
    await spend('gone', 'side', 8)
    assert.equal(await store.remove('gone'), true)
    const { byModel, cost, usage: all } = await store.analytics()
    assert.deepEqual(
      byModel.map((each) => [each.model, each.sessions, each.messages, each.usage.inputTokens, each.cost.usd]),
      [
        ['side', 2, 0, 300, 0.625],
        ['main', 1, 1, 200, 1],
        ['odd', 1, 0, 100, 0],
        ['own', 1, 0, 100, 0],
      ],
    )
    const kinds = byModel.map((each) => [each.cost.includedSessions, each.cost.unknownSessions])
    assert.deepEqual(kinds, [
      [0, 1],
      [0, 0],
      [0, 1],
      [1, 0],
    ])
    assert.deepEqual([all.inputTokens, cost.usd, cost.unknownSessions, cost.includedSessions], [700, 1.625, 1, 0])
    assert.equal((await store.get('a'))?.costStatus, 'estimated')
    assert.equal((await store.get('b'))?.costStatus, 'unknown')
    assert.deepEqual((await store.analytics({ source: 'telegram' })).byModel, [])
  })

  test(`${name}: an export has every column of a session and its messages`, async (t) => {
    const store = await open(t, manualClock())
    await store.create({ id: 'a', source: 'cli' })
    await store.append('a', { ...callsTools('x'), reasoningDetails: [1] })
    const exported = await store.exportSession('a')
    const [message] = exported?.messages ?? []
    assert.deepEqual([exported?.id, exported?.['title'], exported?.['message_count']], ['a', null, 1])
    assert.ok(Array.isArray(message?.['tool_calls']))
    assert.equal(message?.['reasoning_details'], '[1]')
    assert.equal(await store.exportSession('gone'), undefined)
  })

  test(`${name}: a store can be closed twice, and says that it is closed`, async (t) => {
    const store = await open(t, manualClock())
    await store.search('anything')
    await store.close()
    await store.close()
    await assert.rejects(store.list(), isError('unavailable'))
  })
}

function callsTools(...ids: readonly string[]): AssistantMessage {
  return { role: 'assistant', content: '', toolCalls: ids.map((id) => ({ id, name: 'terminal', arguments: '{}' })) }
}

function isError(code: SessionError['code']): (error: unknown) => boolean {
  return (error) => error instanceof SessionError && error.code === code
}

const anyText = fc.string({ unit: 'binary', maxLength: 40 })

/** Values that JSON gives back as they are; `-0` is not one. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)))

const toolCall = fc.record(
  {
    id: fc.string({ minLength: 1 }),
    name: fc.string(),
    arguments: anyText,
    extra: fc.dictionary(fc.constantFrom('google', 'x'), json, { noNullPrototype: true }),
  },
  { requiredKeys: ['id', 'name', 'arguments'], noNullPrototype: true },
)

const message: fc.Arbitrary<TranscriptMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: anyText }, { noNullPrototype: true }),
  fc.record(
    { role: fc.constant('tool' as const), toolCallId: anyText, toolName: anyText, content: anyText },
    { noNullPrototype: true },
  ),
  fc.record(
    {
      role: fc.constant('assistant' as const),
      content: anyText,
      toolCalls: fc.array(toolCall, { maxLength: 3 }),
      reasoning: anyText,
      reasoningDetails: json,
      codexReasoningItems: json,
      finishReason: fc.constantFrom('stop', 'length', 'tool_calls'),
    },
    { requiredKeys: ['role', 'content', 'toolCalls'], noNullPrototype: true },
  ),
)
