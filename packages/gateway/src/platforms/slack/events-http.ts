import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { readBody } from '../../http/read-body.ts'
import { PlatformError } from '../platform-error.ts'
import type { PlatformHost } from '../platform.ts'
import type { SlackTransport } from './settings.ts'
import { isFromSlack } from './signature.ts'
import type { Envelope } from './socket.ts'

/** Largest request, bytes, and the time for one to arrive whole, ms. */
const maxBodyBytes = 1024 * 1024
const requestMs = 10_000

const path = '/slack/events'

const handshake = lazily(() => z.looseObject({ type: z.literal('url_verification'), challenge: z.string().max(1_000) }))
const eventBody = lazily(() => z.looseObject({ type: z.literal('event_callback') }))
const commandBody = lazily(() => z.looseObject({ command: z.string() }))

export interface EventsListener extends AsyncDisposable {
  readonly port: number
  /** Resolves with the reason when it does not listen any more. */
  readonly closed: Promise<unknown>
}

/**
 * Listens for events, commands and presses of buttons at `/slack/events`. A request is answered when it is taken over; one
 * that is not is answered with 503, and Slack brings events again. Throws `PlatformError`.
 */
export async function listenForEvents(
  { host, port, signingSecret }: Extract<SlackTransport, { type: 'http' }>,
  take: (envelope: Envelope) => Promise<void>,
  { clock, log }: Pick<PlatformHost, 'clock' | 'log'>,
): Promise<EventsListener> {
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  const closed = Promise.withResolvers<unknown>()

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, text = '' } = await answer(request)
    const connection = request.complete ? {} : { connection: 'close' }
    response.writeHead(status, { 'content-type': 'text/plain', ...connection }).end(text)
  }

  async function answer(request: IncomingMessage): Promise<{ readonly status: number; readonly text?: string }> {
    if (request.method !== 'POST' || (request.url ?? '').split('?')[0] !== path) return { status: 404 }
    const body = await readBody(request, maxBodyBytes)
    if (!body) return { status: 413 }
    const header = (name: string) => String(request.headers[name] ?? '')
    const signed = { timestamp: header('x-slack-request-timestamp'), signature: header('x-slack-signature'), body }
    if (!isFromSlack(signed, signingSecret, clock.now())) return { status: 401 }
    const payload = readPayload(header('content-type'), body.toString('utf8'))
    const asked = handshake().safeParse(payload)
    if (asked.success) return { status: 200, text: asked.data.challenge }
    const type = typeOf(payload)
    if (type === undefined) return { status: 400 }
    try {
      await take({ type, body: payload })
      return { status: 200 }
    } catch (error) {
      log.warn({ error: String(error) }, 'an event of Slack is not acknowledged')
      return { status: 503 }
    }
  }

  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new PlatformError(
      'unreachable',
      `Port ${port} cannot be used for Slack’s events (${code}). Set SLACK_HTTP_PORT.`,
    )
  }
  server.on('close', () => closed.resolve(new Error('nothing listens for Slack’s events any more')))
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

/** Events come as JSON, commands as a form, presses as JSON in a form. */
function readPayload(contentType: string, text: string): unknown {
  if (!contentType.includes('form')) return parseJson(text)
  const form = Object.fromEntries(new URLSearchParams(text))
  return form['payload'] === undefined ? form : parseJson(form['payload'])
}

function typeOf(payload: unknown): string | undefined {
  if (eventBody().safeParse(payload).success) return 'events_api'
  if (commandBody().safeParse(payload).success) return 'slash_commands'
  return z.looseObject({ type: z.string() }).safeParse(payload).success ? 'interactive' : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
