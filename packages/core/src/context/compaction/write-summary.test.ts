import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelError } from '../../models/model-error.ts'
import type { ModelEvent, ModelRequest, ResolvedModel } from '../../models/model.ts'
import { ContextMeter } from '../context-meter.ts'
import { said, testModel, testRequest, user } from './test-request.ts'
import { writeSummary } from './write-summary.ts'
import type { SummaryTask } from './write-summary.ts'

const never = new AbortController().signal
const words = (count: number) => 'this was said about it and nothing else '.repeat(Math.ceil(count / 8))

function task(models: readonly ResolvedModel[], changes: Partial<SummaryTask> = {}): SummaryTask {
  const request = testRequest([], { summariser: { models: async () => models, timeoutMs: 30_000 } })
  const messages = [user('Find the heron.'), said('I found it.')]
  return { request, previous: undefined, messages, wantedTokens: 1_000, maxTokens: 2_000, ...changes }
}

const tokensOf = ({ messages }: ModelRequest) => new ContextMeter().messages(messages)

test('the model gets the conversation as data, and what it writes is the summary', async () => {
  const { model, requests } = testModel(() => '## Goal\nFind it.\n')
  const written = await writeSummary(task([model]), never)
  assert.equal(written.text, '## Goal\nFind it.')
  const [request] = requests
  assert.deepEqual(request?.tools, [])
  assert.match(
    request?.messages[1]?.content ?? '',
    /<messages>\s+\[USER\] Find the heron\.\s+\[AGENT\] I found it\.\s+<\/messages>/,
  )
  assert.deepEqual(
    written.spent.map(({ model: spent }) => spent),
    [model],
  )
})

test('a focus is told', async () => {
  const { model, requests } = testModel(() => '## Goal\nFind it.')
  const plain = task([model])
  await writeSummary({ ...plain, request: { ...plain.request, focus: 'the colour of the heron' } }, never)
  assert.match(requests[0]?.messages[1]?.content ?? '', /the colour of the heron/)
})

test('a conversation that is longer than the window is summarised in parts, each of which fits', async () => {
  const { model, requests } = testModel((_request, n) => `## Goal\nPart ${n}.`, 16_000)
  const messages = Array.from({ length: 60 }, (_, n) => user(`${n} ${words(900)}`))
  const written = await writeSummary(task([model], { messages }), never)
  assert.equal(written.text, `## Goal\nPart ${requests.length - 1}.`)
  assert.ok(requests.length > 1 && requests.length <= 6, `${requests.length} calls`)
  for (const request of requests) assert.ok(tokensOf(request) + (request.maxOutputTokens ?? 0) <= 16_000)
  assert.match(requests[1]?.messages[1]?.content ?? '', /<summary_so_far>\s+## Goal\nPart 0\./)
  assert.match(requests.at(-1)?.messages[1]?.content ?? '', /\[USER\] 59 /)
})

test('where one model fails the next one writes; where none can, the last reason is told', async () => {
  const broken = testModel(() => new ModelError('server', 'It broke.')).model
  const { model } = testModel(() => '## Goal\nFind it.')
  const written = await writeSummary(task([broken, model]), never)
  assert.equal(written.text, '## Goal\nFind it.')
  assert.equal(written.spent.length, 2)
  const failed = await writeSummary(task([broken, broken]), never)
  assert.deepEqual([failed.text, failed.problem], [undefined, { code: 'failed', message: 'It broke.' }])
  const none = await writeSummary(task([]), never)
  assert.deepEqual([none.text, none.problem], [undefined, undefined])
})

test('each kind of useless answer is known for what it is', async () => {
  for (const [answer, code] of [
    ['', 'empty'],
    [' \n', 'empty'],
    ['I cannot help with that.', 'refused'],
    ['Sure! What should I do?', 'refused'],
    [`## Goal\n${words(4_000)}`, 'too-long'],
  ] as const) {
    const written = await writeSummary(task([testModel(() => answer).model]), never)
    assert.deepEqual([written.text, written.problem?.code], [undefined, code])
  }
})

test('a model that never ends is given up in time; being stopped is no failure', async () => {
  async function* stream(_request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    yield { type: 'text-delta', text: '## Goal' }
    // Ends when it is aborted, and not before.
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  }
  const model: ResolvedModel = { provider: { name: 'test', stream }, model: 'slow', contextLength: 32_000 }
  const slow = task([model])
  const summariser = { models: async () => [model], timeoutMs: 50 }
  const late = await writeSummary({ ...slow, request: { ...slow.request, summariser } }, never)
  assert.equal(late.problem?.code, 'timeout')
  await assert.rejects(writeSummary(slow, AbortSignal.timeout(20)), { name: 'TimeoutError' })
})
