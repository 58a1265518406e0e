import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { readFile } from 'node:fs/promises'
import { startOtlpCollector } from '@hermes/testing/otlp-collector/server.ts'
import { startApiServer } from '../openai/start-api-server.ts'
import { testHeaders, testSettings } from '../openai/test-settings.ts'
import { readMetrics } from './read-metrics.ts'
import { createRegistry } from './registry.ts'
import { checkMetricsExposure, readMetricsSettings } from './settings.ts'
import type { MetricsSettings } from './settings.ts'
import { startMetricsServer } from './start-metrics-server.ts'
import { workMetrics } from './work-metrics.ts'

/** An API server whose agent reads a file and answers, and where its metrics are read. */
async function open({ config = '', ...change }: Partial<MetricsSettings> & { readonly config?: string } = {}) {
  const registry = createRegistry()
  const all = await startScriptedAgent({
    config,
    work: { 'a.txt': 'words of the file' },
    context: { observers: [workMetrics(registry)] },
    script: (_request, n) =>
      n === 0
        ? { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }
        : { text: 'Done.', usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } },
  })
  const { context } = all
  const api = await startApiServer({ agent: context, settings: testSettings() })
  const server = await startMetricsServer({
    registry,
    settings: { host: '127.0.0.1', port: 0, token: '', ...change },
    log: context.log,
    backlog: () => ({
      inbox: { waiting: 2, running: 1 },
      outbox: [{ platform: 'telegram', waiting: 3, dead: 1, oldestAt: 5_000 }],
    }),
    now: () => 65_000,
  })
  return {
    all,
    server,
    ask: async (headers: Readonly<Record<string, string>> = {}) => {
      const answer = await fetch(`${api.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...testHeaders, ...headers },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'words of the person' }] }),
      })
      assert.equal(answer.status, 200)
      await answer.text()
    },
    get: (path: string) => fetch(`${api.url}${path}`).then((answer) => answer.text()),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
      await all[Symbol.asyncDispose]()
    },
  }
}

test('turns, calls of models and tools, requests, backlog and the process are measured', async () => {
  await using all = await open()
  await all.ask()
  await all.get('/no-such-place')
  const answer = await fetch(all.server.url)
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const text = await answer.text()
  const samples = readMetrics(text)
  const expected: Readonly<Record<string, number>> = {
    'hermes_turns_total{platform="api_server",status="completed"}': 1,
    'hermes_turn_duration_seconds_count{platform="api_server"}': 1,
    hermes_turns_running: 0,
    'hermes_model_calls_total{provider="custom",model="scripted-model",status="ok",code=""}': 2,
    'hermes_model_tokens_total{provider="custom",model="scripted-model",kind="output"}': 120,
    'hermes_model_cost_usd_total{provider="custom",model="scripted-model"}': 0,
    'hermes_tool_calls_total{tool="read_file",status="ok"}': 1,
    'hermes_tool_call_duration_seconds_bucket{tool="read_file",le="+Inf"}': 1,
    'hermes_api_requests_total{method="POST",route="/v1/chat/completions",status="200"}': 1,
    'hermes_inbox_messages{state="waiting"}': 2,
    'hermes_outbox_messages{platform="telegram",state="dead"}': 1,
    'hermes_outbox_oldest_seconds{platform="telegram"}': 60,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(samples.get(name), value, `${name}\n${text}`)
  assert.ok((samples.get('process_resident_memory_bytes') ?? 0) > 1e7)
  assert.ok((samples.get('process_cpu_seconds_total') ?? 0) > 0)
  assert.ok((samples.get('nodejs_eventloop_lag_seconds{quantile="0.99"}') ?? -1) >= 0)
  assert.doesNotMatch(text, /words of|no-such-place/)
})

test('each request is a line of the log that says nothing of what was asked', async () => {
  await using all = await open()
  await all.ask()
  await all.get('/health')
  const log = await readFile(all.all.home.path('logs', 'agent.log'), 'utf8')
  assert.match(
    log,
    / INFO server: request \{"method":"POST","route":"\/v1\/chat\/completions","status":"200","durationMs":\d+\}\n/,
  )
  assert.match(log, / agent: turn finished /)
  assert.doesNotMatch(log, /words of|\/health/)
})

test('a request is a span below the client’s own, and the turn is below it', async () => {
  await using collector = await startOtlpCollector()
  await using all = await open({ config: `telemetry: {otlp: {enabled: true, endpoint: "${collector.url}"}}` })
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  await all.ask({ traceparent: `00-${traceId}-${spanId}-01` })
  const spans = await collector.until('POST /v1/chat/completions', 'invoke_agent hermes')
  const request = spans.find(({ name }) => name === 'POST /v1/chat/completions')
  const turn = spans.find(({ name }) => name === 'invoke_agent hermes')
  assert.deepEqual([request?.traceId, request?.parentSpanId], [traceId, spanId])
  assert.equal(request?.attributes['http.response.status_code'], 200)
  assert.equal(turn?.parentSpanId, request?.spanId)
})

test('who has no token reads nothing, and without one loopback alone is let in', async () => {
  await using all = await open({ token: 'made-up-token' })
  assert.equal((await fetch(all.server.url)).status, 401)
  const authorization = 'Bearer made-up-token'
  assert.equal((await fetch(all.server.url, { headers: { authorization } })).status, 200)
  assert.equal((await fetch(all.server.url, { method: 'POST', headers: { authorization } })).status, 405)

  await assert.rejects(checkMetricsExposure({ host: '0.0.0.0', port: 0, token: '' }), { code: 'no-token' })
})

test('a page whose name was pointed at loopback reads nothing', async () => {
  await using all = await open()
  const { port } = new URL(all.server.url)
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const options = { port, path: '/metrics', headers: { host: `evil.example:${port}` } }
  httpRequest(options, (response) => {
    response.resume()
    resolve(response.statusCode)
  }).end()
  assert.equal(await promise, 403)
})

test('the environment goes before the file, and a port that is none is told', async () => {
  await using all = await startScriptedAgent({ config: 'telemetry: {metrics: {host: "::1", port: 9000, token: t}}' })
  const { config } = all.context
  const read = (environment: Readonly<Record<string, string>>) => readMetricsSettings({ config, environment })
  assert.deepEqual(read({}), { host: '::1', port: 9000, token: 't' })
  assert.deepEqual(read({ HERMES_METRICS_PORT: '9001', HERMES_METRICS_TOKEN: 'u' }), {
    host: '::1',
    port: 9001,
    token: 'u',
  })
  assert.throws(() => read({ HERMES_METRICS_PORT: 'many' }), { code: 'bad-setting' })
})
