import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface CopilotTokenServerOptions {
  /** How long the tokens hold. Default 1800, as GitHub's. */
  readonly ttlSeconds?: number
  /** The address that is told with a token; none where absent. */
  readonly apiUrl?: string
  /** GitHub tokens that are known; all where absent. */
  readonly githubTokens?: readonly string[]
  /** How long every answer takes. */
  readonly latencyMs?: number
  readonly now?: () => number
}

/** GitHub's exchange of its own tokens for short-lived ones of Copilot, on loopback. */
export interface CopilotTokenServer extends AsyncDisposable {
  readonly url: string
  /** The tokens that were given, in order. */
  readonly issued: readonly string[]
  /** The headers of every request, in order. */
  readonly requests: readonly IncomingHttpHeaders[]
  /** The next request is answered so; several calls queue up. */
  failNext(status: number, body?: unknown): void
}

export async function startCopilotTokenServer(options: CopilotTokenServerOptions = {}): Promise<CopilotTokenServer> {
  const { ttlSeconds = 1800, apiUrl, githubTokens, latencyMs = 0, now = Date.now } = options
  const issued: string[] = []
  const requests: IncomingHttpHeaders[] = []
  const failures: { readonly status: number; readonly body: unknown }[] = []

  const answerTo = (headers: IncomingHttpHeaders): { readonly status: number; readonly body: unknown } => {
    const failure = failures.shift()
    if (failure) return failure
    const given = /^(?:token|Bearer) (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (given === undefined || (githubTokens && !githubTokens.includes(given))) {
      return { status: 401, body: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest' } }
    }
    const expiresAt = Math.floor(now() / 1000) + ttlSeconds
    const token = `tid=made-up-${issued.length + 1};exp=${expiresAt};sku=made_up;8kp=1:0123456789abcdef`
    issued.push(token)
    const endpoints = apiUrl === undefined ? {} : { endpoints: { api: apiUrl, proxy: 'https://proxy.invalid' } }
    const body = { chat_enabled: true, token, expires_at: expiresAt, refresh_in: ttlSeconds - 300, ...endpoints }
    return { status: 200, body }
  }
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/copilot_internal/v2/token') {
      sendJson(response, 404, { message: 'Not Found' })
      return
    }
    requests.push(request.headers)
    const { status, body } = answerTo(request.headers)
    void sleep(latencyMs).then(() => sendJson(response, status, body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    issued,
    requests,
    failNext: (status, body = { message: 'made up' }) => void failures.push({ status, body }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
