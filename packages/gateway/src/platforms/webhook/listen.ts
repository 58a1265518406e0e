import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '@hermes/core/log/logger.ts'
import { PlatformError } from '../platform-error.ts'
import type { WebhookSettings } from './settings.ts'
import type { Answer } from './take-request.ts'

/** Time for a request to arrive whole, ms. */
const requestMs = 10_000

const pathPattern = /^\/webhooks\/([a-z0-9][\w.-]*)$/i

/** The server that webhooks are brought to. */
export interface WebhookServer extends AsyncDisposable {
  readonly port: number
  /** Resolves with the reason when it does not listen any more. */
  readonly closed: Promise<unknown>
}

/** Listens. What `take` cannot take over is answered with 503, so that the service brings it again. */
export async function listen(
  { host, port }: Pick<WebhookSettings, 'host' | 'port'>,
  take: (route: string, request: IncomingMessage) => Promise<Answer>,
  log: Logger,
): Promise<WebhookServer> {
  const closed = Promise.withResolvers<unknown>()
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, headers } = await answerTo(request)
    // What is left of a body that was refused is not read, so the connection is of no further use.
    const connection = request.complete ? {} : { connection: 'close' }
    response.writeHead(status, { 'content-type': 'application/json', ...connection, ...headers })
    response.end(JSON.stringify(body))
  }

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    if (path === '/health' && request.method === 'GET') {
      return { status: 200, body: { status: 'ok', platform: 'webhook' } }
    }
    const route = pathPattern.exec(path)?.[1]
    if (route === undefined) return { status: 404, body: { error: 'There is nothing here.' } }
    if (request.method !== 'POST') {
      return { status: 405, body: { error: 'Webhooks are sent by POST.' }, headers: { allow: 'POST' } }
    }
    try {
      return await take(route, request)
    } catch (error) {
      log.error({ route, error: String(error) }, 'a webhook cannot be taken over')
      return { status: 503, body: { error: 'It cannot be taken over now; send it again.' } }
    }
  }

  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new PlatformError('unreachable', `Port ${port} cannot be used for webhooks (${code}). Set WEBHOOK_PORT.`)
  }
  server.on('close', () => closed.resolve(new Error('the server for webhooks does not listen any more')))
  return {
    port: (server.address() as AddressInfo).port,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await closed.promise
    },
  }
}
