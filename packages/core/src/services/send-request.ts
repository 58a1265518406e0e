import { proxyFor } from '../security/network/proxy-for.ts'
import type { ServiceClientOptions, ServiceRequest } from './service-client.ts'
import { ServiceError } from './service-error.ts'

type Options = Pick<ServiceClientOptions, 'auth' | 'headers' | 'service' | 'environment'>

/** Sends one request. Redirects are answers: a key in a header of its own would follow one to another host. */
export async function sendRequest(
  base: string,
  request: ServiceRequest,
  options: Options,
  signal: AbortSignal,
): Promise<Response> {
  const url = urlOf(base, request)
  const init = {
    method: request.method ?? 'GET',
    headers: headersOf(options, request),
    body: bodyOf(request.body),
    redirect: 'manual' as const,
    signal,
  }
  const proxy = options.environment && proxyOf(url, options.environment)
  return proxy === undefined ? fetch(url, init) : fetchThrough(proxy, url, init)
}

function proxyOf(url: URL, environment: NonNullable<Options['environment']>): string | undefined {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return proxyFor({ url, hostname: url.hostname.replace(/^\[|\]$/g, ''), port }, environment)
}

/** Node's own fetch takes no proxy of ours; the library's takes no form of Node's. */
async function fetchThrough(proxy: string, url: URL, init: RequestInit & { headers: Headers }): Promise<Response> {
  const { ProxyAgent, fetch: libraryFetch } = await import('undici')
  const { method, redirect, signal } = init
  const headers = Object.fromEntries(init.headers)
  let body: string | Uint8Array | undefined
  if (init.body instanceof FormData) {
    const encoded = new Response(init.body)
    headers['content-type'] = encoded.headers.get('content-type') ?? ''
    body = new Uint8Array(await encoded.arrayBuffer())
  } else if (typeof init.body === 'string') body = init.body
  return libraryFetch(url, {
    method,
    redirect,
    signal,
    headers,
    body,
    dispatcher: new ProxyAgent({ uri: proxy, connections: 1 }),
  })
}

function urlOf(base: string, { path, query = {} }: ServiceRequest): URL {
  const url = new URL(base + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

function headersOf({ auth, headers, service }: Options, request: ServiceRequest): Headers {
  const isJson = request.body !== undefined && !(request.body instanceof FormData)
  const all = new Headers({ accept: 'application/json', ...(isJson && { 'content-type': 'application/json' }) })
  for (const [name, value] of Object.entries({ ...headers, ...request.headers })) all.set(name, value)
  if (auth === undefined) return all
  if (!/^[\x21-\x7e]+$/.test(auth.key)) {
    throw new ServiceError('unconfigured', `The key of ${service} has characters that no key has. Set it anew.`)
  }
  all.set(auth.header ?? 'authorization', auth.scheme === undefined ? auth.key : `${auth.scheme} ${auth.key}`)
  return all
}

function bodyOf(body: unknown): string | FormData | undefined {
  if (body === undefined) return undefined
  return body instanceof FormData ? body : JSON.stringify(body)
}
