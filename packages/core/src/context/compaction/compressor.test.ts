import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { wellFormed, withPairedResults } from '../../agent/well-formed.ts'
import type { TranscriptMessage } from '../../models/transcript.ts'
import { validateTranscript } from '../../models/validate-transcript.ts'
import { compressor } from './compressor.ts'
import { isSummaryMessage, summaryMessage } from './summary-message.ts'
import { result, said, testModel, testRequest, user } from './test-request.ts'

const never = new AbortController().signal
const words = (count: number) => 'all of it was looked at and found to be in order '.repeat(Math.ceil(count / 11))
const compact = (...given: Parameters<typeof testRequest>) => compressor.compact(testRequest(...given), never)

/** Any history that a store may hold: results without calls, calls without results, ids used again, texts of all sizes. */
const history = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 900 }).map((n) => user(`${n}: ${words(n)}`)) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(fc.integer({ min: 0, max: 900 }), fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }))
        .map(([n, ids]) => said(n === 0 ? '' : words(n), ...ids)),
    },
    {
      weight: 7,
      arbitrary: fc
        .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 0, max: 6_000 }))
        .map(([id, n]) => result(id, words(n))),
    },
  ),
  { minLength: 1, maxLength: 60 },
)

test('whatever is compacted, calls keep their results, and the last message of a person stays as it is', async () => {
  let shortened = 0
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 4_000, max: 32_000 }), async (given, contextLength) => {
      const request = testRequest(given, { contextLength, thresholdTokens: contextLength / 2 })
      let compacted = await compressor.compact(request, never)
      const instruction = given.findLast(({ role }) => role === 'user')
      for (let generation = 0; generation < 3 && compacted; generation++) {
        shortened++
        const { messages } = compacted
        assert.deepEqual(withPairedResults(messages), messages, 'no call and no result is alone')
        assert.equal(validateTranscript(wellFormed([...withUniqueIds(messages), user('next')])), undefined)
        if (instruction)
          assert.ok(messages.some(({ role, content }) => role === 'user' && content === instruction.content))
        assert.ok(request.meter.messages(messages) < request.meter.messages(withPairedResults(given)) + 200)
        compacted = await compact(messages, { contextLength, thresholdTokens: contextLength / 2 })
      }
    }),
    { numRuns: 150 },
  )
  assert.ok(shortened > 100)
})

/** Ids are used again in these histories, as some servers do; what is sent gives each call its own. */
function withUniqueIds(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  let call = 0
  return messages.map((message) => {
    if (message.role === 'assistant') call++
    if (message.role === 'tool') return { ...message, toolCallId: `${call}-${message.toolCallId}` }
    if (message.role !== 'assistant') return message
    return { ...message, toolCalls: message.toolCalls.map((each) => ({ ...each, id: `${call}-${each.id}` })) }
  })
}

const steps = (count: number, size: number) =>
  Array.from({ length: count }, (_, n) => [said(`Step ${n}.`, `call_${n}`), result(`call_${n}`, words(size))]).flat()

test('clearing old output is tried first, without a model, and says where it is', async () => {
  const { model, requests } = testModel(() => '## Goal\nnone')
  const given = [user('Read them all.'), ...steps(20, 800)]
  const compacted = await compact(given, { summariser: { models: async () => [model], timeoutMs: 30_000 } })
  assert.equal(compacted?.method, 'pruned')
  assert.equal(requests.length, 0)
  assert.equal(compacted.messages.length, given.length)
  assert.match(
    compacted.messages[4]?.content ?? '',
    /^\[Output of \d+ characters cleared.*session session-1.*all of it was/,
  )
  assert.equal(compacted.messages.at(-1), given.at(-1), 'the last output is whole')
})

test('output that the model has not read yet is cut only as far as it must be', async () => {
  const given = [user('Read it.'), said('', 'a'), result('a', words(40_000))]
  const compacted = await compact(given)
  const { content = '' } = compacted?.messages.at(-1) ?? {}
  assert.match(content, /\[… \d+ characters left out …\]/)
  const tokens = testRequest(compacted?.messages ?? []).tokens
  assert.ok(tokens <= 12_800 && tokens > 10_000, `${tokens} tokens`)
})

test('long arguments of calls are shortened to valid JSON before output that is not read is cut', async () => {
  const write = {
    ...said('', 'w'),
    toolCalls: [{ id: 'w', name: 'write_file', arguments: JSON.stringify({ path: 'a.txt', content: words(30_000) }) }],
  }
  const compacted = await compact([
    user('Write it.'),
    write,
    result('w', 'written'),
    said('', 'r'),
    result('r', words(700)),
  ])
  const kept = compacted?.messages.find((message) => message.role === 'assistant' && message.toolCalls[0]?.id === 'w')
  const args = kept?.role === 'assistant' ? JSON.parse(kept.toolCalls[0]?.arguments ?? '') : undefined
  assert.equal(args.path, 'a.txt')
  assert.match(args.content, /characters left out/)
  assert.equal(compacted?.messages.at(-1)?.content, words(700))
})

test('the instruction that a long tool loop follows stands between the summary and the last steps', async () => {
  const chat = Array.from({ length: 10 }, (_, n) => [user(`Question ${n}`), said(words(300))]).flat()
  const given = [
    ...chat,
    user('Now do   this, exactly.'),
    ...steps(40, 20).map((each) => ({ ...each, content: words(150) })),
  ]
  const compacted = await compact(given)
  const messages = compacted?.messages ?? []
  const summaryAt = messages.findIndex(isSummaryMessage)
  assert.ok(summaryAt > 0)
  assert.deepEqual(messages[summaryAt + 1], user('Now do   this, exactly.'))
  assert.equal(messages[summaryAt + 2]?.role, 'assistant')
  assert.deepEqual(messages[0], user('Question 0'))
})

test('the task list and an earlier summary are carried on, each once', async () => {
  const todos = [{ id: '1', content: 'line one\nline two', status: 'pending' }] as const
  const chat = (count: number) =>
    Array.from({ length: count }, (_, n) => [user(`Remember: item ${n} is B-${n}77.`), said(words(500))]).flat()
  const first = await compact(chat(30), { todos })
  const second = await compact([...(first?.messages ?? []), ...chat(30).slice(20)], { todos })
  const [summary, ...others] = (second?.messages ?? []).filter(isSummaryMessage)
  assert.equal(others.length, 0)
  assert.equal(summary?.content.split('## Task list').length, 2)
  assert.match(
    summary?.content ?? '',
    /\{"todos":\[\{"id":"1","content":"line one\\nline two","status":"pending"\}\]\}/,
  )
  assert.equal(summary?.content.match(/stands for earlier messages/g)?.length, 1)
  assert.match(summary?.content ?? '', /item 3 is B-377/)
})

test('the end that stays is the tail budget, and half as much again while it is among the last messages', async () => {
  const given = Array.from({ length: 60 }, (_, n) => [user(`Question ${n}?`), said(words(150))]).flat()
  const settings = testRequest([]).settings
  const kept = async (protectLastN: number) => {
    const compacted = await compact(given, { settings: { ...settings, protect_last_n: protectLastN } })
    const messages = compacted?.messages ?? []
    return messages.length - 1 - messages.findIndex(isSummaryMessage)
  }
  const [few, more] = [await kept(0), await kept(60)]
  assert.ok(few >= 10 && more >= few * 1.4 && more <= few * 1.6, `${few} and ${more} messages`)
})

test('a summary that was written for a larger window is made to fit a smaller one', async () => {
  const summary = `## Goal\nFeed the heron H-17.\n\n## Critical Context\n${Array.from({ length: 900 }, (_, n) => `- Item ${n} is ok.`).join('\n')}`
  const given = [user('Begin.'), summaryMessage({ summary, todos: [], sessionId: 's' }), user('Go on.')]
  const compacted = await compact(given, { contextLength: 16_000, thresholdTokens: 8_000, targetTokens: 5_000 })
  const kept = compacted?.messages.find(isSummaryMessage)?.content ?? ''
  assert.ok(kept.length < summary.length / 2)
  assert.match(kept, /heron H-17/)
})

test('what cannot be made shorter is left alone', async () => {
  assert.equal(await compact([user(words(20_000))]), undefined)
  assert.equal(await compact([user('Hi'), said('Hello.')]), undefined)
})
