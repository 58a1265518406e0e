import type { AgentContext } from '../agent/context.ts'

/** Where traces go. */
export interface TraceSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** Whether what people, models and tools say may be in them. */
  readonly capturesContent: boolean
}

const usualEndpoint = 'http://127.0.0.1:4318'
const tracesPath = 'v1/traces'

/**
 * What `telemetry` and OpenTelemetry's own variables say; the variables go first, as everywhere. Undefined where no collector
 * is named or the address is none.
 */
export function traceSettings({
  config,
  environment,
}: Pick<AgentContext, 'config' | 'environment'>): TraceSettings | undefined {
  const { otlp, capture_content: capturesContent } = config.telemetry
  const url = collectorUrl(environment, otlp.enabled ? otlp.endpoint || usualEndpoint : '')
  if (url === undefined) return undefined
  return {
    url,
    headers: { ...otlp.headers, ...headersOf(environment['OTEL_EXPORTER_OTLP_HEADERS']) },
    serviceName: environment['OTEL_SERVICE_NAME']?.trim() || 'hermes',
    capturesContent,
  }
}

/** The variable for traces is taken as it is; the others name the collector, below which traces have their path. */
function collectorUrl(environment: AgentContext['environment'], configured: string): string | undefined {
  const whole = environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim()
  const base = environment['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim() || configured
  const url = whole ? URL.parse(whole) : base === '' ? null : URL.parse(tracesPath, base.replace(/\/*$/, '/'))
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** `name=value,other=value`, values percent-encoded. */
function headersOf(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    return at > 0 && name !== '' ? [[name, decoded(pair.slice(at + 1).trim())]] : []
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
