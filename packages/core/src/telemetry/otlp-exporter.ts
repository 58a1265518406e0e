import { ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { Logger } from '../log/logger.ts'
import type { TraceSettings } from './trace-settings.ts'

export interface OtlpExporterOptions extends Pick<TraceSettings, 'url' | 'headers'> {
  readonly log: Logger
  /** Longest that the collector may take, ms. */
  readonly timeoutMs: number
  /** Gives up what is under way. */
  readonly signal: AbortSignal
}

/** Spans that are kept for the next try, at most. */
const maxKept = 2048

/** The collector will take them later: too many requests, or it is not quite there. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Sends spans to a collector by HTTP and JSON. The SDK's own exporter waits and tries again inside one export, which would
 * hold up the end of a process whose collector is away; here what did not go out goes with the next batch. Trouble is one
 * line in the log until it is over.
 */
export function createOtlpExporter({ url, headers, log, timeoutMs, signal }: OtlpExporterOptions): SpanExporter {
  let kept: ReadableSpan[] = []
  let isFailing = false
  const underWay = new Set<Promise<void>>()

  async function send(spans: readonly ReadableSpan[]): Promise<void> {
    const batch = [...kept, ...spans]
    kept = []
    const problem = await post(batch)
    if (problem === undefined) {
      if (isFailing) log.info({}, 'traces are sent again')
      isFailing = false
      return
    }
    if (problem.isPassing) kept = [...batch, ...kept].slice(-maxKept)
    if (!isFailing) log.warn({ url: withoutSecrets(url), error: problem.message }, 'traces cannot be sent')
    isFailing = true
  }

  async function post(spans: readonly ReadableSpan[]): Promise<Problem | undefined> {
    const body = JsonTraceSerializer.serializeRequest([...spans])
    if (!body) return { message: 'they cannot be written as JSON', isPassing: false }
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: new Uint8Array(body),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      await response.body?.cancel()
      if (response.ok) return undefined
      return { message: `HTTP ${response.status}`, isPassing: passing.has(response.status) }
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      return { message: cause instanceof Error ? cause.message || cause.name : String(cause), isPassing: true }
    }
  }

  const flush = async () => {
    await Promise.all(underWay)
  }
  return {
    export(spans, done) {
      const sending = send(spans).finally(() => {
        underWay.delete(sending)
        // What became of them is told here: the SDK would write to the console.
        done({ code: ExportResultCode.SUCCESS })
      })
      underWay.add(sending)
    },
    forceFlush: flush,
    shutdown: flush,
  }
}

interface Problem {
  readonly message: string
  readonly isPassing: boolean
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
