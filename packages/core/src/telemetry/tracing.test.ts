import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startOtlpCollector } from '@hermes/testing/otlp-collector/server.ts'
import type { CollectedSpan } from '@hermes/testing/otlp-collector/server.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'

const secret = `ghp_${'a1B2'.repeat(9)}`

/** One turn that reads a file, by an agent whose traces go to this collector. */
async function traced(config: string, collector: { readonly url: string }, more: { readonly file?: string } = {}) {
  await using all = await startScriptedAgent({
    work: { 'a.txt': more.file ?? 'words of the file' },
    config: config.replaceAll('URL', collector.url),
    script: (_request, n) =>
      n === 0
        ? { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }
        : { text: 'words of the answer', usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } },
  })
  const events = await all.turn('20260101_000000_aaaaaa', `words of the person ${secret}`)
  const startedAt = performance.now()
  await all.context[Symbol.asyncDispose]()
  const endMs = performance.now() - startedAt
  const log = await readFile(all.home.path('logs', 'agent.log'), 'utf8')
  assert.equal(events.at(-1)?.type === 'turn-end' && events.at(-1)?.type, 'turn-end')
  return { endMs, log }
}

const on = 'telemetry: {otlp: {enabled: true, endpoint: "URL", headers: {x-team: blue}}}'

test('a turn is a span, and its calls of models and tools are spans below it', async () => {
  await using collector = await startOtlpCollector()
  await traced(on, collector)
  const [turn, ...others] = ofKind(collector.spans, 'invoke_agent')
  assert.ok(turn)
  assert.deepEqual(others, [])
  assert.equal(turn.parentSpanId, undefined)
  const calls = ofKind(collector.spans, 'chat')
  const tools = ofKind(collector.spans, 'execute_tool')
  assert.deepEqual(
    [...calls, ...tools].map(({ name, parentSpanId, traceId }) => [name, parentSpanId, traceId]),
    ['chat scripted-model', 'chat scripted-model', 'execute_tool read_file'].map((name) => [
      name,
      turn.spanId,
      turn.traceId,
    ]),
  )
  assert.equal(turn.attributes['hermes.status'], 'completed')
  assert.equal(turn.attributes['hermes.model_calls'], 2)
  assert.equal(turn.attributes['gen_ai.conversation.id'], '20260101_000000_aaaaaa')
  assert.equal(calls[1]?.attributes['gen_ai.usage.input_tokens'], 1000)
  assert.equal(calls[1]?.attributes['gen_ai.usage.output_tokens'], 100)
  assert.equal(tools[0]?.attributes['hermes.status'], 'ok')
  assert.equal(turn.resource['service.name'], 'hermes')
  assert.equal(collector.requests[0]?.['x-team'], 'blue')
})

test('nothing that anybody said is in a trace, unless it is asked for; secrets never are', async () => {
  await using collector = await startOtlpCollector()
  await traced(on, collector)
  assert.doesNotMatch(JSON.stringify(collector.spans), /words of|ghp_/)

  await using other = await startOtlpCollector()
  await traced(on.replace('{otlp', '{capture_content: true, otlp'), other, { file: `words of the file ${secret}` })
  const text = JSON.stringify(other.spans)
  for (const who of ['person', 'file', 'answer']) assert.match(text, new RegExp(`words of the ${who}`))
  assert.doesNotMatch(text, /a1B2a1B2/)
})

test('a sub-agent’s turn is below the call that began it', async () => {
  await using collector = await startOtlpCollector()
  await using all = await startScriptedAgent({
    config: on.replaceAll('URL', collector.url),
    script: ({ body }) => {
      const last = JSON.stringify(body.messages?.at(-1))
      if (last.includes('begin it')) {
        return { toolCalls: [{ name: 'delegate_task', arguments: { goal: 'the smaller task' } }] }
      }
      return { text: 'Done.' }
    },
  })
  await all.turn('20260101_000000_aaaaaa', 'begin it')
  await all.context[Symbol.asyncDispose]()
  const turns = ofKind(collector.spans, 'invoke_agent')
  const child = turns.find(({ attributes }) => attributes['hermes.sub_agent'] === true)
  const call = collector.spans.find(({ name }) => name === 'execute_tool delegate_task')
  const parent = turns.find((one) => one !== child)
  assert.equal(turns.length, 2)
  assert.equal(child?.parentSpanId, call?.spanId)
  assert.equal(call?.parentSpanId, parent?.spanId)
  const ofChild = ofKind(collector.spans, 'chat').filter(({ parentSpanId }) => parentSpanId === child?.spanId)
  assert.equal(ofChild.length, 1)
})

test('what fails is marked, and the trace of another turn has nothing to do with it', async () => {
  await using collector = await startOtlpCollector()
  await using all = await startScriptedAgent({
    config: `${on.replaceAll('URL', collector.url)}\nfallback_providers: []`,
    script: (_request, n) => (n === 0 ? { fault: { type: 'http', status: 401 } } : { text: 'Done.' }),
  })
  await all.turn('20260101_000000_aaaaaa', 'one')
  await all.turn('20260101_000000_bbbbbb', 'two')
  await all.context[Symbol.asyncDispose]()
  const turns = ofKind(collector.spans, 'invoke_agent')
  assert.deepEqual(
    turns.map(({ status, attributes }) => [status, attributes['hermes.status'], attributes['error.type']]),
    [
      [2, 'failed', 'auth'],
      [0, 'completed', undefined],
    ],
  )
  assert.equal(new Set(turns.map(({ traceId }) => traceId)).size, 2)
  const [failed] = ofKind(collector.spans, 'chat')
  assert.deepEqual([failed?.status, failed?.attributes['error.type']], [2, 'auth'])
})

test('a collector that is away costs a line in the log', async () => {
  const collector = await startOtlpCollector()
  const { url } = collector
  await collector[Symbol.asyncDispose]()
  const { endMs, log } = await traced(on, { url })
  assert.ok(endMs < 20_000, `${endMs} ms`)
  assert.equal(log.match(/telemetry: traces cannot be sent/g)?.length, 1)
  assert.doesNotMatch(log, /ERROR/)
})

test('one that never answers holds the end up for two seconds', async () => {
  await using collector = await startOtlpCollector()
  collector.answer = 'hang'
  const { endMs, log } = await traced(on, collector)
  assert.ok(endMs < 20_000, `${endMs} ms`)
  assert.match(log, /traces cannot be sent/)
})

test('the variables of OpenTelemetry name the collector where traces are switched on', async () => {
  await using collector = await startOtlpCollector()
  const config = 'telemetry: {enabled: true}'
  const home = {
    '.env': [
      `OTEL_EXPORTER_OTLP_ENDPOINT=${collector.url}/`,
      'OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20abc',
      'OTEL_SERVICE_NAME=my-agent',
    ].join('\n'),
  }
  await using all = await startScriptedAgent({ config, home })
  await all.turn('20260101_000000_aaaaaa', 'hi')
  await all.context[Symbol.asyncDispose]()
  assert.equal(collector.spans[0]?.resource['service.name'], 'my-agent')
  assert.equal(collector.requests[0]?.['authorization'], 'Bearer abc')

  await using off = await startOtlpCollector()
  await using unasked = await startScriptedAgent({ home: { '.env': `OTEL_EXPORTER_OTLP_ENDPOINT=${off.url}` } })
  await unasked.turn('20260101_000000_aaaaaa', 'hi')
  await unasked.context[Symbol.asyncDispose]()
  assert.deepEqual(off.requests, [])
})

test('spans that a collector cannot take now go with the next ones', async () => {
  await using collector = await startOtlpCollector()
  await using all = await startScriptedAgent({ config: on.replaceAll('URL', collector.url) })
  collector.answer = 503
  await all.turn('20260101_000000_aaaaaa', 'one')
  while (collector.requests.length === 0) await setTimeout(20)
  collector.answer = 200
  await all.turn('20260101_000000_bbbbbb', 'two')
  await all.context[Symbol.asyncDispose]()
  assert.deepEqual(
    ofKind(collector.spans, 'invoke_agent').map(({ attributes }) => attributes['gen_ai.conversation.id']),
    ['20260101_000000_aaaaaa', '20260101_000000_bbbbbb'],
  )
})

function ofKind(spans: readonly CollectedSpan[], operation: string): readonly CollectedSpan[] {
  return spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === operation)
}
