import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'

/** A span as a collector gets it, its attributes as one object. */
export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly kind: number
  /** 0: not set, 2: failed. */
  readonly status: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** Attributes of the process that it comes from. */
  readonly resource: Readonly<Record<string, string | number | boolean>>
}

export interface OtlpCollector extends AsyncDisposable {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Headers of each request. */
  readonly requests: readonly IncomingHttpHeaders[]
  /** What it answers from now on; `hang`: nothing. */
  answer: number | 'hang'
  /** Waits until spans of all these names are there, at most five seconds. */
  until(...names: readonly string[]): Promise<readonly CollectedSpan[]>
}

const value = z.union([
  z.object({ stringValue: z.string() }).transform((one) => one.stringValue),
  z.object({ boolValue: z.boolean() }).transform((one) => one.boolValue),
  z.object({ intValue: z.coerce.number() }).transform((one) => one.intValue),
  z.object({ doubleValue: z.number() }).transform((one) => one.doubleValue),
])

const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((list) => Object.fromEntries(list.map((one) => [one.key, one.value])))

const id = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`))

const span = z.object({
  name: z.string(),
  traceId: id(32),
  spanId: id(16),
  parentSpanId: id(16).optional(),
  kind: z.number(),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes,
  status: z.object({ code: z.number().default(0) }),
})

const exported = z.object({
  resourceSpans: z.array(
    z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
})

/** A collector of traces by OTLP over HTTP in JSON: https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = []
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      requests.push(request.headers)
      if (collector.answer === 'hang') return
      const isFine = request.method === 'POST' && request.url === '/v1/traces'
      const parsed = exported.safeParse(isFine ? JSON.parse(body) : undefined)
      const status = parsed.success ? collector.answer : 400
      if (status === 200 && parsed.success) spans.push(...spansOf(parsed.data))
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  // An address of a listening TCP server is never a path.
  const { port } = server.address() as AddressInfo
  const collector: OtlpCollector = {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    answer: 200,
    async until(...names) {
      const isMissing = (name: string) => !spans.some((one) => one.name === name)
      for (let tries = 0; names.some(isMissing); tries++) {
        if (tries > 100) throw new Error(`no span ${names.filter(isMissing).join(', ')}`)
        await wait(50)
      }
      return spans
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return collector
}

function spansOf({ resourceSpans }: z.infer<typeof exported>): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ parentSpanId, status, ...one }) => ({
        ...one,
        parentSpanId,
        status: status.code,
        resource: resource.attributes,
      })),
    ),
  )
}
