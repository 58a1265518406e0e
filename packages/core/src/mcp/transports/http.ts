import type { AuthProvider, FetchLike, Transport } from '@modelcontextprotocol/client'
import type { ServerSettings } from '../settings.ts'
import { boundedBodies } from './bounded-body.ts'
import { followRedirects } from './follow-redirects.ts'

export type HttpKind = 'streamable-http' | 'sse'

/** The ways to reach a server over HTTP, in the order in which they are tried. */
export function httpKinds({ transport }: Pick<ServerSettings, 'transport'>): readonly HttpKind[] {
  const wanted = transport.toLowerCase().replaceAll(/[^a-z]/g, '')
  if (wanted === 'sse') return ['sse']
  return wanted === '' ? ['streamable-http', 'sse'] : ['streamable-http']
}

/** Whether a server that refuses a first message so may be one of the older kind. */
export function mayBeOlder(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' && [400, 404, 405, 406, 415].includes(status)
}

/** A connection over HTTP, not opened yet. */
export async function httpTransport(
  kind: HttpKind,
  { url, headers }: Pick<ServerSettings, 'url' | 'headers'>,
  authProvider: AuthProvider | undefined,
): Promise<Transport> {
  const { StreamableHTTPClientTransport, SSEClientTransport } = await import('@modelcontextprotocol/client')
  const options = {
    fetch: serverFetch(headers),
    redirectPolicy: 'follow' as const,
    requestInit: { headers },
    ...(authProvider && { authProvider }),
  }
  if (kind === 'streamable-http') return new StreamableHTTPClientTransport(new URL(url), options)
  return new SSEClientTransport(new URL(url), options)
}

/** Requests to a server: bounded answers, and redirects that give nothing away. */
export function serverFetch(headers: ServerSettings['headers']): FetchLike {
  return followRedirects(boundedBodies(fetch), Object.keys(headers))
}
