import { ModelError } from '../../model-error.ts'
import { isLoopback } from '../../net/address.ts'
import type { HttpClient, HttpResponse } from '../../net/http-client.ts'
import { fromTransport } from './transport-failure.ts'
import type { ModelSource } from './model-source.ts'

/** What a server tells of a file. */
export interface RemoteFile {
  readonly source: ModelSource
  readonly bytes: number
  /** In hexadecimal digits; undefined where the server does not tell. */
  readonly sha256: string | undefined
  /** What changes when the file does. */
  readonly version: string | undefined
}

/**
 * Asks for a file's size and checksum without fetching it: Hugging Face tells them in headers of its own, of which
 * `x-linked-etag` is the SHA-256 of a large file. Throws `ModelError`.
 */
export async function remoteFile(source: ModelSource, http: HttpClient, signal: AbortSignal): Promise<RemoteFile> {
  const { response, headers } = await openFile(source, { http, from: 0, to: 0 }, signal)
  response.release()
  const total = Number(/\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'])
  const bytes = Number(headers['x-linked-size'] ?? total)
  if (!(bytes > 0)) {
    throw new ModelError('invalid-request', `${source.url} does not say how large it is, so it cannot be checked.`)
  }
  const tag = (headers['x-linked-etag'] ?? headers['etag'])?.replace(/^W\//, '').replaceAll('"', '')
  const linked = headers['x-linked-etag']?.replaceAll('"', '').toLowerCase()
  const sha256 = linked !== undefined && /^[0-9a-f]{64}$/.test(linked) ? linked : undefined
  return { source, bytes, sha256, version: tag }
}

/** The part of a file to fetch. */
export interface Part {
  readonly http: HttpClient
  readonly from: number
  /** The last byte; the end of the file where absent. */
  readonly to?: number
}

export interface OpenedFile {
  readonly response: HttpResponse
  /** Those of every answer on the way, later ones before earlier: Hugging Face tells of a file before it leads elsewhere. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The hosts of large files are reached by leading on. */
const mostRedirects = 5

/** Weights are large: what counts is that bytes come. */
const limits = { connectMs: 30_000, silenceMs: 60_000, progressMs: 2 ** 31 - 1, totalMs: 2 ** 31 - 1 }

/** Opens a file, wherever its address leads. Throws `ModelError`; when `signal` aborts, its reason. */
export async function openFile(source: ModelSource, part: Part, signal: AbortSignal): Promise<OpenedFile> {
  let url = new URL(source.url)
  let headers: OpenedFile['headers'] = {}
  for (let step = 0; step <= mostRedirects; step++) {
    const response = await send(url, source, part, signal)
    headers = { ...headers, ...textHeaders(response) }
    if (response.status === 200 || response.status === 206) return { response, headers }
    response.release()
    if (response.status < 300 || response.status > 399) throw refusal(response.status, url, source)
    const next = URL.parse(response.headers.location ?? '', url.href)
    if (!next) throw refusal(response.status, url, source)
    if (url.protocol === 'https:' && next.protocol !== 'https:') {
      throw new ModelError('invalid-request', `${url.host} leads to ${next.host} without encryption.`)
    }
    url = next
  }
  throw new ModelError('invalid-request', `${source.url} leads on and on.`)
}

async function send(url: URL, source: ModelSource, part: Part, signal: AbortSignal): Promise<HttpResponse> {
  const { http, from, to } = part
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new ModelError('invalid-request', `${url.href} is not encrypted; model files are fetched by https:// alone.`)
  }
  const isHome = url.host === new URL(source.url).host
  const headers = {
    'user-agent': 'hermes-agent',
    'accept-encoding': 'identity',
    range: `bytes=${from}-${to ?? ''}`,
    ...(source.token !== undefined && isHome && { authorization: `Bearer ${source.token}` }),
  }
  try {
    return await http.send({ method: 'GET', url: url.href, headers, limits }, signal)
  } catch (error) {
    throw fromTransport(error)
  }
}

function textHeaders({ headers }: HttpResponse): Record<string, string> {
  const texts = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(texts)
}

function refusal(status: number, url: URL, { url: asked }: ModelSource): ModelError {
  if (status === 404) return new ModelError('model-not-found', `There is no file at ${asked}.`, { status })
  if (status === 401 || status === 403) {
    const message = `${url.host} does not give ${asked} to everybody: accept its terms there, and set HF_TOKEN.`
    return new ModelError('auth', message, { status })
  }
  const code = status >= 500 || status === 429 ? 'network' : 'invalid-request'
  return new ModelError(code, `${url.host} answers ${status} for ${asked}.`, { status })
}
