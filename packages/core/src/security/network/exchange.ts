import type { IncomingHttpHeaders } from 'node:http'
import type { Environment } from '../../agent/context.ts'
import type { UrlVerdict } from './check-url.ts'
import type { FetchLimits } from './guarded-fetch.ts'
import { NetworkError } from './network-error.ts'
import { openConnection } from './open-connection.ts'
import { proxyFor } from './proxy-for.ts'
import type { Hop } from './redirect.ts'
import { unpackBody } from './unpack-body.ts'

/** One request and its answer, over its own connection. */
export interface Exchange {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export interface ExchangeRequest {
  readonly hop: Hop
  readonly verdict: Extract<UrlVerdict, { readonly allowed: true }>
  readonly environment: Environment
  readonly limits: FetchLimits
}

/** Sends a request that has been judged. Throws `NetworkError`; when `signal` aborts, its reason. */
export async function startExchange(
  { hop, verdict, environment, limits }: ExchangeRequest,
  signal: AbortSignal,
): Promise<Exchange> {
  const { target, addresses } = verdict
  const { url } = target
  const proxy = proxyFor(target, environment)
  const connection = await openConnection({ addresses, proxy, connectMs: limits.connectMs })
  const close = async () => {
    await connection.destroy()
  }
  try {
    const response = await connection.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: hop.method,
      headers: { ...hop.headers },
      body: hop.body === undefined ? null : hop.body,
      headersTimeout: limits.silenceMs,
      bodyTimeout: limits.silenceMs,
      signal,
    })
    const headers = plainHeaders(response.headers)
    // Whoever is not read to the end is closed, and that is no failure of anybody.
    response.body.on('error', () => undefined)
    const parts = unpackBody(response.body, hop.method === 'HEAD' ? '' : (headers['content-encoding'] ?? ''), {
      maxBytes: limits.maxBytes,
      host: url.host,
    })
    return { status: response.statusCode, headers, body: translated(parts, url.host), close }
  } catch (error) {
    await close()
    throw asNetworkError(error, url.host)
  }
}

async function* translated(parts: AsyncIterable<Uint8Array>, host: string): AsyncGenerator<Uint8Array> {
  try {
    yield* parts
  } catch (error) {
    throw asNetworkError(error, host)
  }
}

function plainHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
}

function asNetworkError(error: unknown, host: string): unknown {
  if (!(error instanceof Error) || error instanceof NetworkError) return error
  const { code = '' } = error as NodeJS.ErrnoException
  if (/TIMEOUT/.test(code)) return new NetworkError('timeout', `${host} does not answer`, { cause: error })
  if (/^(?:ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|ERR_SSL)/.test(code)) {
    return new NetworkError('unreachable', `${host} has no certificate that can be trusted (${code})`, { cause: error })
  }
  if (error.name === 'TypeError') return error
  return new NetworkError('unreachable', `${host} cannot be reached (${code || error.name})`, { cause: error })
}
