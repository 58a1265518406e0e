import type { IncomingHttpHeaders } from 'node:http'
import type { EventStream, StreamOptions } from './event-stream.ts'
import type { HttpError } from './http-error.ts'

/** One request and its answer. */
export interface Exchange {
  readonly method: string
  readonly path: string
  /** The parts of the path that its route names. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Aborts when the client goes before it has its answer, or the server closes. */
  readonly signal: AbortSignal
  /** The body as JSON. Throws `HttpError`. */
  json(): Promise<unknown>
  send(status: number, body: unknown, headers?: Readonly<Record<string, string>>): void
  sendText(status: number, body: string, contentType: string): void
  stream(options: StreamOptions): EventStream
}

/** What is done for one method and path. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** e.g. `/v1/runs/:id/events`. */
  readonly path: string
  /** Answered without a key. */
  readonly isOpen?: true
  /** Largest body, bytes. */
  readonly maxBodyBytes?: number
  /** How its errors look; the server's own way when absent. */
  readonly errorBody?: (error: HttpError) => unknown
  handle(exchange: Exchange): Promise<void>
}

export interface MatchedRoute {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export interface Router {
  find(method: string, path: string): MatchedRoute | undefined
  /** The methods that a path has. */
  methods(path: string): readonly string[]
}

/** Finds routes: paths without parameters at once, the others one after the other. */
export function createRouter(routes: readonly Route[]): Router {
  const fixed = new Map<string, MatchedRoute>()
  const open: { readonly route: Route; readonly parts: readonly string[] }[] = []
  for (const route of routes) {
    if (route.path.includes(':')) open.push({ route, parts: route.path.split('/') })
    else fixed.set(`${route.method} ${route.path}`, { route, params: {} })
  }
  const matches = (path: string) => {
    const parts = path.split('/')
    return open.flatMap(({ route, parts: wanted }): MatchedRoute[] => {
      if (wanted.length !== parts.length) return []
      const params: Record<string, string> = {}
      for (const [index, part] of wanted.entries()) {
        const given = parts[index] ?? ''
        if (part.startsWith(':') && given !== '') params[part.slice(1)] = given
        else if (part !== given) return []
      }
      return [{ route, params }]
    })
  }
  return {
    find: (method, path) =>
      fixed.get(`${method} ${path}`) ?? matches(path).find(({ route }) => route.method === method),
    methods: (path) => [
      ...routes.filter((route) => route.path === path).map(({ method }) => method),
      ...matches(path).map(({ route }) => route.method),
    ],
  }
}
