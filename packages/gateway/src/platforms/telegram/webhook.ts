import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Update } from 'grammy/types'
import { z } from 'zod'
import { readBody } from '../../http/read-body.ts'
import { isSameSecret } from '../../http/same-secret.ts'
import { PlatformError } from '../platform-error.ts'
import type { WebhookSettings } from './settings.ts'

/** Largest update, bytes. */
const maxBodyBytes = 1024 * 1024

/** Time for a call to arrive whole, ms. */
const requestMs = 10_000

const updateShape = z.looseObject({ update_id: z.int() })

/** Where Telegram brings updates. */
export interface WebhookListener extends AsyncDisposable {
  readonly port: number
  /** Resolves with the reason when it does not listen any more. */
  readonly closed: Promise<unknown>
}

/**
 * Listens for updates. A call is answered when the update is stored; one that is not is answered with 503, and Telegram
 * brings it again. Calls without the secret are refused.
 */
export async function listenForUpdates(
  { url, port, secret }: WebhookSettings,
  take: (update: Update) => Promise<void>,
): Promise<WebhookListener> {
  const { pathname } = new URL(url)
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const closed = Promise.withResolvers<unknown>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const end = (status: number) =>
      void response.writeHead(status, { connection: status === 200 ? 'keep-alive' : 'close' }).end()
    if (request.method !== 'POST' || new URL(request.url ?? '/', 'http://host').pathname !== pathname) return end(404)
    if (!isSameSecret(String(request.headers['x-telegram-bot-api-secret-token'] ?? ''), secret)) return end(401)
    const body = await readBody(request, maxBodyBytes)
    if (body === undefined) return end(413)
    const parsed = updateShape.safeParse(parseJson(body.toString('utf8')))
    if (!parsed.success) return end(400)
    try {
      // Only who knows the secret can have made it; its fields are read one by one, as those of a poll are.
      await take(parsed.data)
    } catch {
      return end(503)
    }
    end(200)
  }

  server.listen(port)
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new PlatformError(
      'unreachable',
      `Port ${port} for the webhook cannot be used (${code}). Set TELEGRAM_WEBHOOK_PORT.`,
    )
  }
  server.on('close', () => closed.resolve(new Error('the webhook does not listen any more')))
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
