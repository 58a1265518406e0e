import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import { isSummaryRequest } from '@hermes/testing/long-conversation.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { createLongTermMemory } from '../memory/long-term-memory.ts'
import type { MemoryProvider } from '../memory/memory-provider.ts'
import { usualLimits } from '../memory/session-memory.ts'
import { testProvider } from '../memory/test-provider.ts'
import type { AgentContext } from './context.ts'
import { nobody } from './decision.ts'
import type { NumberedEvent } from './events.ts'
import { runTurn } from './run-turn.ts'
import type { TurnRequest } from './turn.ts'

interface Options {
  readonly provider?: Partial<MemoryProvider>
  readonly available?: true | string
  readonly config?: string
  readonly contextLength?: number
  readonly script?: (request: RecordedRequest) => ScriptedAnswer
}

/** An agent with a memory provider of the test's own. */
async function start(t: TestContext, { provider, available, script, ...options }: Options = {}) {
  const all = await startScriptedAgent({ ...options, script: script ?? (() => ({ text: 'Done.' })) })
  t.after(() => all[Symbol.asyncDispose]())
  const memory = testProvider(provider, available)
  const longTermMemory = createLongTermMemory({
    name: 'test',
    agent: () => context,
    kinds: { test: async () => memory.kind },
    limits: { ...usualLimits, recallMs: 100, closeMs: 1_000 },
  })
  const context: AgentContext = { ...all.context, longTermMemory, toolContributors: [longTermMemory.contributor] }
  // The tools of the profile ask its own context for contributors.
  const tools: AgentContext['tools'] = {
    ...all.context.tools,
    async load(toolsets, session) {
      const own = await all.context.tools.load(toolsets, session)
      const more = await longTermMemory.contributor.handles(
        { toolsets, ...(session && { session }) },
        AbortSignal.timeout(30_000),
      )
      return new Map([...own, ...more.map((handle) => [handle.name, handle] as const)])
    },
  }
  const used = { ...context, tools }
  const turn = (session: string, text: string, more: Partial<TurnRequest> = {}): Promise<NumberedEvent[]> => {
    const request: TurnRequest = {
      session: { id: session, source: 'cli' },
      message: { text },
      face: { name: 'cli', decide: nobody },
      ...more,
    }
    return Array.fromAsync(runTurn(request, used, new AbortController().signal))
  }
  return { all, memory, turn, used, requests: all.model.requests }
}

const messagesOf = (request: RecordedRequest | undefined) => JSON.stringify(request?.body.messages)
const notices = (events: readonly NumberedEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))

test('what is recalled goes with the message to the model and is not stored', async (t) => {
  const { turn, requests, used, memory, all } = await start(t)
  const events = await turn('a', 'What is my name?')
  const sent = messagesOf(requests[0])
  assert.match(sent, /What is my name\?\\n\\n<memory-context>\\nBackground .*- What is known about: What is my name\?/)
  assert.match(sent, /# Test memory/)
  assert.ok(JSON.stringify(requests[0]?.body.tools).includes('test_lookup'))
  const stored = await used.sessions.messages('a')
  assert.deepEqual(
    stored.map(({ message }) => message.content),
    ['What is my name?', 'Done.'],
  )
  assert.deepEqual(notices(events), [])
  await all.context.scopes.close('a')
  assert.deepEqual(memory.calls, ['recall What is my name?', 'turn What is my name? / Done.', 'close'])
  const [opened] = memory.starts
  assert.deepEqual(
    [opened?.sessionId, opened?.platform, opened?.role, opened?.identity],
    ['a', 'cli', 'primary', 'default'],
  )
})

test('every request begins with the whole one before it', async (t) => {
  const { turn, requests } = await start(t, {
    script: ({ body }) =>
      body.messages?.at(-1)?.role === 'tool'
        ? { text: 'Found.' }
        : { text: 'A moment.', toolCalls: [{ name: 'test_lookup', arguments: { query: 'x' } }] },
  })
  for (let n = 0; n < 6; n++) await turn('a', `Question number ${n} of many`)
  assert.equal(requests.length, 12)
  for (const [at, { body, problem }] of requests.entries()) {
    assert.equal(problem, undefined)
    const before = requests[at - 1]?.body.messages
    if (before) assert.equal(JSON.stringify(body.messages?.slice(0, before.length)), JSON.stringify(before))
  }
  assert.match(messagesOf(requests.at(-1)), /Question number 0 of many\\n\\n<memory-context>/)
  assert.match(messagesOf(requests.at(-1)), /\{\\"found\\":\{\\"query\\":\\"x\\"\}\}/)
})

test('a memory that hangs holds a turn for no longer than its limit, and is told of once', async (t) => {
  const { turn, requests } = await start(t, { provider: { recall: () => new Promise(() => {}) } })
  const started = performance.now()
  const events = await turn('a', 'Hello there')
  assert.ok(performance.now() - started < 30_000)
  const end = events.at(-1)
  assert.equal(end?.type === 'turn-end' && end.status, 'completed')
  assert.match(
    notices(events).join(),
    /memory provider test could not be used \(recall\): it did not answer within 0.1 s/,
  )
  assert.deepEqual(notices(await turn('a', 'Hello again')), [])
  assert.ok(!messagesOf(requests[0]).includes('memory-context'))
})

test('a memory that cannot be used is told of once, and turns go on without it', async (t) => {
  const { turn, requests } = await start(t, { available: 'Set TEST_KEY first.' })
  assert.match(
    notices(await turn('a', 'Hello')).join(),
    /test is not used: Set TEST_KEY first\. "hermes memory status"/,
  )
  assert.deepEqual(notices(await turn('a', 'Hello')), [])
  assert.equal(requests.length, 2)
  assert.ok(!JSON.stringify(requests[0]?.body).includes('test_lookup'))
})

test('a turn without memory has neither recall nor tools, and nothing of it is kept', async (t) => {
  const { turn, requests, memory, all } = await start(t)
  await turn('a', 'Hello', { minimalPrompt: true })
  await all.context.scopes.close('a')
  assert.ok(!JSON.stringify(requests[0]?.body).includes('test_lookup'))
  assert.deepEqual(memory.calls, [])
})

test('a job keeps nothing of what it does', async (t) => {
  const { turn, memory, all } = await start(t)
  await turn('a', 'Do the daily work', { session: { id: 'a', source: 'cron' } })
  await all.context.scopes.close('a')
  assert.deepEqual(memory.calls, ['recall Do the daily work', 'close'])
  assert.equal(memory.starts[0]?.role, 'cron')
})

test('only what ended well is kept', async (t) => {
  const { turn, memory, all } = await start(t, { script: () => ({ fault: { type: 'http', status: 400 } }) })
  await turn('a', 'Hello there')
  await all.context.scopes.close('a')
  assert.deepEqual(memory.calls, ['recall Hello there', 'close'])
})

test('a note of the agent reaches the memory', async (t) => {
  const { turn, memory, all } = await start(t, {
    script: ({ body }) =>
      body.messages?.at(-1)?.role === 'tool'
        ? { text: 'Noted.' }
        : { toolCalls: [{ name: 'memory', arguments: { action: 'add', target: 'user', content: 'likes tea' } }] },
  })
  await turn('a', 'I like tea')
  await all.context.scopes.close('a')
  assert.ok(memory.calls.includes('note add user likes tea'), memory.calls.join('\n'))
})

test('what a sub-agent came to is kept, and nothing else of it', async (t) => {
  const { turn, memory, all } = await start(t, {
    script: ({ body }) => {
      const last = body.messages?.at(-1)
      if (last?.role === 'tool') return { text: 'All counted.' }
      if (JSON.stringify(last).includes('Count the files')) return { text: 'There are 7.' }
      return { toolCalls: [{ name: 'delegate_task', arguments: { goal: 'Count the files' } }] }
    },
  })
  await turn('a', 'How many are there?')
  await all.context.scopes.close('a')
  assert.deepEqual(memory.calls, [
    'recall How many are there?',
    'delegation Count the files',
    'turn How many are there? / All counted.',
    'close',
  ])
})

test('a compaction asks the memory before, and the summary gets what must not be lost', async (t) => {
  const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(60)
  const { turn, memory, requests } = await start(t, {
    contextLength: 16_000,
    config: 'memory: {flush_min_turns: 0}',
    script: (request) => (isSummaryRequest(request) ? { text: '## Goal\nGo on.' } : { text: [longText] }),
  })
  let session = 'a'
  let last: readonly NumberedEvent[] = []
  for (let n = 0; n < 12 && session === 'a'; n++) {
    last = await turn(session, `Message number ${n}`)
    for (const event of last) if (event.type === 'compaction') session = event.sessionId
  }
  assert.notEqual(session, 'a')
  const summary = requests.find(isSummaryRequest)
  assert.match(messagesOf(summary), /<facts>\\n\\n- The code of the vault is K-77\./)
  assert.ok(!messagesOf(summary).includes('memory-context'))
  assert.ok(memory.calls.some((call) => call.startsWith('session ')))
  const user = (await turn(session, 'And now?')) && messagesOf(requests.at(-1))
  assert.match(user, /And now\?\\n\\n<memory-context>/)
})

test('where it gets too much, what was recalled earlier is left out before anything is summarised', async (t) => {
  let n = 0
  const recall = async () => Array.from({ length: 40 }, () => `- Fact ${++n} is about something of its own.`).join('\n')
  const { turn, requests } = await start(t, {
    provider: { recall },
    contextLength: 16_000,
    config: 'memory: {flush_min_turns: 0}',
    script: (request) => (isSummaryRequest(request) ? { text: '## Goal\nGo on.' } : { text: 'Done.' }),
  })
  let session = 'a'
  let compactions = 0
  for (let message = 0; message < 40; message++) {
    const events = await turn(session, `Message number ${message}`)
    assert.ok(!notices(events).some((text) => text.includes('not done any more')), notices(events).join())
    for (const event of events) {
      if (event.type !== 'compaction') continue
      session = event.sessionId
      compactions += 1
    }
  }
  assert.deepEqual([session, compactions, requests.length], ['a', 0, 40])
  for (const { body } of requests) assert.ok(JSON.stringify(body).length / 4 < 16_000)
  const last = messagesOf(requests.at(-1))
  assert.ok(!last.includes('- Fact 1 is about') && last.includes(`- Fact ${n} is about`))
})

test('the provider that the settings name is opened, and no other profile loads one', async () => {
  await using plain = await startScriptedAgent()
  assert.equal(plain.context.longTermMemory, undefined)
  await using all = await startScriptedAgent({ config: 'memory: {provider: holographic}' })
  await all.turn('a', 'I like green tea from Uji.')
  assert.ok(JSON.stringify(all.model.requests[0]?.body.tools).includes('fact_store'))
  await using other = await startScriptedAgent({ config: 'memory: {provider: nonsense}' })
  assert.match(
    notices(await other.turn('a', 'Hello')).join(),
    /there is no memory provider "nonsense"; there are .*holographic/,
  )
})
