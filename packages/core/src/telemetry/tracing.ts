import { AsyncLocalStorage } from 'node:async_hooks'
import { isSpanContextValid, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes, Context, Span } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { AgentContext } from '../agent/context.ts'
import type { ObservedWork, Work, WorkEnd, WorkKind, WorkObserver } from '../agent/work-observer.ts'
import { settlesWithin } from '../terminals/settles-within.ts'
import { createOtlpExporter } from './otlp-exporter.ts'
import { endAttributes, spanOf, textAttributes } from './span-attributes.ts'
import { traceSettings } from './trace-settings.ts'

export type TracingOptions = Pick<AgentContext, 'config' | 'environment' | 'redactor' | 'log'>

/** Traces of what the agent does. Disposing of it sends what is left, for at most two seconds. */
export interface Tracing extends WorkObserver, AsyncDisposable {}

/** Longest that the end waits for the collector, ms, and that it may take at other times. */
const endMs = 2_000
const exportMs = 10_000

/** How often spans are sent, ms. */
const sendEveryMs = 1_000

/** What a piece of work can be a part of; of other kinds each is a trace of its own, whatever set it going. */
const parents: Readonly<Record<WorkKind, readonly WorkKind[]>> = {
  turn: ['tool-call', 'job-run', 'request'],
  'model-call': ['turn', 'tool-call', 'job-run', 'request'],
  'tool-call': ['turn', 'tool-call'],
  delivery: [],
  'job-run': [],
  request: [],
}

interface Running {
  readonly kind: WorkKind
  readonly span: Span
}

/** Undefined where the settings name no collector. Nothing global is touched: each profile has its own. */
export function startTracing({ config, environment, redactor, log: parent }: TracingOptions): Tracing | undefined {
  const settings = traceSettings({ config, environment })
  const log = parent.child({ name: 'agent.telemetry' })
  if (!settings) {
    log.warn({}, 'traces are switched on, but no collector is named: OTEL_EXPORTER_OTLP_ENDPOINT')
    return undefined
  }
  const redact = (text: string) => redactor.redact(text)
  const giveUp = new AbortController()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createOtlpExporter({ ...settings, log, timeoutMs: exportMs, signal: giveUp.signal }),
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: exportMs * 2,
      }),
    ],
  })
  const tracer = provider.getTracer('hermes')
  const current = new AsyncLocalStorage<Running>()

  const begin = (work: Work): ObservedWork => {
    const { name, attributes } = spanOf(work)
    const texts = 'text' in work && settings.capturesContent ? textAttributes(work, 'begin', work.text, redact) : {}
    const all = { ...redacted(attributes, redact), ...texts }
    const span = tracer.startSpan(redact(name), { attributes: all, kind: spanKinds[work.kind] }, above(work, current))
    return {
      run: (task) => current.run({ kind: work.kind, span }, task),
      end(end) {
        span.setAttributes(redacted(endAttributes(end), redact))
        if (settings.capturesContent) span.setAttributes(textAttributes(work, 'end', end.text, redact))
        if (end.isFailure) span.setStatus(failed(end, redact))
        span.end()
      },
    }
  }
  return {
    begin,
    note() {},
    async [Symbol.asyncDispose]() {
      const ended = provider.shutdown().catch((error: unknown) => log.warn({ error: String(error) }, 'traces are lost'))
      const isDone = await settlesWithin(ended, endMs)
      giveUp.abort(new DOMException('The process ends.', 'AbortError'))
      if (!isDone) await ended
    },
  }
}

const spanKinds: Readonly<Record<WorkKind, SpanKind>> = {
  turn: SpanKind.INTERNAL,
  'model-call': SpanKind.CLIENT,
  'tool-call': SpanKind.INTERNAL,
  delivery: SpanKind.PRODUCER,
  'job-run': SpanKind.INTERNAL,
  request: SpanKind.SERVER,
}

function above(work: Work, current: AsyncLocalStorage<Running>): Context {
  const running = current.getStore()
  if (running && parents[work.kind].includes(running.kind)) return trace.setSpan(ROOT_CONTEXT, running.span)
  return work.kind === 'request' ? remoteParent(work.traceparent) : ROOT_CONTEXT
}

/** The client's span, by the header of W3C trace context: https://www.w3.org/TR/trace-context/#traceparent-header */
function remoteParent(header: string | undefined): Context {
  const [, traceId, spanId, flags] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(header ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT
}

function failed({ code, status }: WorkEnd, redact: (text: string) => string) {
  return { code: SpanStatusCode.ERROR, message: redact(code ?? status) }
}

function redacted(attributes: Attributes, redact: (text: string) => string): Attributes {
  const entries = Object.entries(attributes)
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? redact(value) : value]))
}
