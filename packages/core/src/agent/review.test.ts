import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import { isReviewRequest, isSummaryRequest, textOf } from '@hermes/testing/long-conversation.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { ScriptedAgentOptions } from '@hermes/testing/scripted-agent.ts'
import { nobody } from './decision.ts'
import type { NumberedEvent } from './events.ts'
import { saveSession } from './save-session.ts'

const lasting = { face: { name: 'cli', decide: nobody, isLasting: true } } as const

function isTitle(request: RecordedRequest): boolean {
  return textOf(request).includes('You name conversations')
}

async function start(
  t: TestContext,
  reviewed: (request: RecordedRequest, n: number) => ScriptedAnswer,
  options: Omit<ScriptedAgentOptions, 'script'> & {
    readonly answer?: (request: RecordedRequest) => ScriptedAnswer
  } = {},
) {
  const { answer = () => ({ text: 'Done.' }), ...others } = options
  const reviews: RecordedRequest[] = []
  const all = await startScriptedAgent({
    ...others,
    script(request) {
      if (isTitle(request)) return { text: 'A title' }
      if (isSummaryRequest(request)) return { text: '## Goal\nGo on.' }
      if (!isReviewRequest(request)) return answer(request)
      reviews.push(request)
      return reviewed(request, reviews.length)
    },
  })
  t.after(() => all[Symbol.asyncDispose]())
  const memories = (file = 'MEMORY.md') => readFile(all.home.path('memories', file), 'utf8').catch(() => '')
  return { all, reviews, memories }
}

const add = (content: string, target = 'user') => ({ name: 'memory', arguments: { action: 'add', target, content } })

const notices = (events: readonly NumberedEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))

const toolsOf = ({ body }: RecordedRequest) => (body.tools ?? []).map((tool) => JSON.stringify(tool))

test('after so many turns the conversation is looked through for what to remember', async (t) => {
  const { promise: second, resolve } = Promise.withResolvers<void>()
  const { all, reviews, memories } = await start(
    t,
    (_request, n) => {
      if (n === 1) return { toolCalls: [add('Likes green tea.')] }
      resolve()
      return { text: 'Nothing.' }
    },
    { config: 'memory: {nudge_interval: 3}' },
  )
  for (let n = 1; n <= 3; n++) await all.turn('a', `I like green tea, number ${n}`, lasting)
  await second
  assert.equal(await memories('USER.md'), 'Likes green tea.')
  assert.equal(reviews.length, 2)
  const [first] = reviews
  assert.equal(toolsOf(first!).length, 1)
  assert.match(toolsOf(first!)[0] ?? '', /"memory"/)
  assert.match(textOf(first!), /number 1[^]*number 3/)
  const stored = (await all.context.sessions.messages('a')).map(({ message }) => message.role)
  assert.deepEqual(stored, ['user', 'assistant', 'user', 'assistant', 'user', 'assistant'])
})

test('what a review kept is told once, when the next turn begins, and the review is counted', async (t) => {
  const { promise: kept, resolve } = Promise.withResolvers<void>()
  const { all } = await start(
    t,
    ({ body }) => {
      if (body.messages?.at(-1)?.role !== 'tool') return { toolCalls: [add('Likes green tea.')] }
      setImmediate(resolve)
      return { text: 'Nothing.' }
    },
    { config: 'memory: {nudge_interval: 1}' },
  )
  await all.turn('a', 'I like green tea', lasting)
  await kept
  const { learning } = all.context.scopes.get('a')
  while (learning.kept.length === 0) await new Promise((next) => setImmediate(next))
  const counted = (await all.context.sessions.get('a'))?.usage.outputTokens ?? 0
  assert.ok(counted > 0)
  const events = await all.turn('a', 'Go on')
  assert.deepEqual(notices(events), ['Kept from this conversation: add user: Likes green tea.'])
  assert.deepEqual(notices(await all.turn('a', 'Go on')), [])
})

test('where the agent itself remembers, where the process ends, and where it is switched off, nothing is reviewed', async (t) => {
  const { all, reviews } = await start(t, () => ({ text: 'Nothing.' }), {
    config: 'memory: {nudge_interval: 2}',
    answer: (request) =>
      request.body.messages?.at(-1)?.role === 'user' && textOf(request).includes('remember')
        ? { toolCalls: [add(`Fact ${request.body.messages.length}`)] }
        : { text: 'Done.' },
  })
  for (let n = 0; n < 4; n++) await all.turn('a', `remember ${n}`, lasting)
  for (let n = 0; n < 4; n++) await all.turn('b', `one-shot ${n}`)
  await all.context.scopes.close('a')
  await all.context.scopes.close('b')
  assert.equal(reviews.length, 0)
  const off = await start(t, () => ({ text: 'Nothing.' }), {
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}',
  })
  for (let n = 0; n < 12; n++) await off.all.turn('a', `Message ${n}`, lasting)
  assert.equal(off.reviews.length, 0)
})

test('after so many answers with tool calls the conversation is looked through for a skill', async (t) => {
  const { promise: seen, resolve } = Promise.withResolvers<RecordedRequest>()
  const { all } = await start(
    t,
    (request) => {
      resolve(request)
      return { text: 'Nothing.' }
    },
    {
      config: 'skills: {creation_nudge_interval: 2}',
      answer: ({ body }) =>
        body.messages?.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ name: 'todo', arguments: {} }] },
    },
  )
  await all.turn('a', 'one', lasting)
  await all.turn('a', 'two', lasting)
  const request = await seen
  assert.deepEqual(
    toolsOf(request).map((tool) => /"name":"(\w+)"/.exec(tool)?.[1]),
    ['skill_manage', 'skill_view', 'skills_list'],
  )
})

test('a review can call nothing but its own tools, and a model that goes on for ever is stopped', async (t) => {
  const { all, reviews, memories } = await start(
    t,
    (_request, n) => ({
      toolCalls: [{ name: 'terminal', arguments: { command: 'touch stolen' } }, add(`Fact ${n}`, 'memory')],
    }),
    { config: 'memory: {nudge_interval: 1}' },
  )
  await all.turn('a', 'one', lasting)
  const { learning } = all.context.scopes.get('a')
  while (learning.kept.length === 0) await new Promise((next) => setImmediate(next))
  assert.equal(reviews.length, 8)
  assert.match(textOf(reviews[1]!), /Unknown tool: terminal/)
  assert.equal((await memories()).split('\n§\n').length, 8)
  await assert.rejects(readFile(`${all.work}/stolen`), { code: 'ENOENT' })
})

test('before a compaction of a session that is long enough, one call writes down what should stay', async (t) => {
  const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(40)
  const { all, reviews, memories } = await start(t, () => ({ toolCalls: [add('The vault is green.', 'memory')] }), {
    contextLength: 16_000,
    answer: () => ({ text: [longText] }),
  })
  let session = 'a'
  for (let n = 0; n < 20 && session === 'a'; n++) {
    for (const event of await all.turn(session, `Message number ${n}`)) {
      if (event.type === 'compaction') session = event.sessionId
    }
  }
  assert.notEqual(session, 'a')
  assert.equal(reviews.length, 1)
  assert.equal(await memories(), 'The vault is green.')
  const at = all.model.requests.findIndex(isReviewRequest)
  assert.ok(at >= 0 && at < all.model.requests.findIndex(isSummaryRequest), 'before the summary')
  assert.match(textOf(all.model.requests.at(-1)!), /The vault is green\./, 'the new prompt has it')
  assert.ok(!(await all.context.sessions.messages('a')).some(({ message }) => message.role === 'tool'))
})

test('a compaction goes on where the memories cannot be saved', async (t) => {
  const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(40)
  const { all, reviews } = await start(t, () => ({ fault: { type: 'http', status: 500 } }), {
    contextLength: 16_000,
    answer: () => ({ text: [longText] }),
  })
  let session = 'a'
  for (let n = 0; n < 20 && session === 'a'; n++) {
    for (const event of await all.turn(session, `Message number ${n}`)) {
      if (event.type === 'compaction') session = event.sessionId
    }
  }
  assert.notEqual(session, 'a')
  assert.equal(reviews.length, 1)
})

test('a session that ends is looked through when it is long enough, and not twice', async (t) => {
  const { all, reviews, memories } = await start(t, () => ({ toolCalls: [add('Likes tea.')] }), {
    config: 'memory: {flush_min_turns: 3}',
  })
  const { signal } = new AbortController()
  const turn = { session: { id: 'a', source: 'cli' }, ...lasting }
  let waits = 0
  const save = () => saveSession({ turn, onWait: () => (waits += 1) }, all.context, signal)
  await save()
  await all.turn('a', 'one')
  await all.turn('a', 'two')
  await save()
  assert.equal(reviews.length, 0)
  await all.turn('a', 'three')
  await save()
  await save()
  assert.deepEqual([reviews.length, waits], [1, 1])
  assert.equal(await memories('USER.md'), 'Likes tea.')
  await all.turn('a', 'four')
  await assert.rejects(
    saveSession({ turn }, all.context, AbortSignal.abort(new DOMException('Killed.', 'AbortError'))),
    { name: 'AbortError' },
  )
  assert.equal(reviews.length, 1)
})

test('where a person has to agree to each entry, nothing is written while they do something else', async (t) => {
  const { all, reviews } = await start(t, () => ({ toolCalls: [add('Likes tea.')] }), {
    config: 'memory: {flush_min_turns: 1, nudge_interval: 1, write_approval: true}',
  })
  await all.turn('a', 'one', lasting)
  const turn = { session: { id: 'a', source: 'cli' }, ...lasting }
  await saveSession({ turn }, all.context, new AbortController().signal)
  assert.equal(reviews.length, 0)
})
