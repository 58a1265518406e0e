import { randomUUID } from 'node:crypto'
import { secretOf } from '@hermes/gateway/platforms/webhook/settings.ts'
import { hmac } from '@hermes/gateway/platforms/webhook/signature.ts'
import { readSubscriptions } from '@hermes/gateway/platforms/webhook/subscriptions.ts'
import type { Command } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeOut } from '../sessions/write-out.ts'
import { localUrl, openWebhooks, routeName } from './open-webhooks.ts'

/** Longest that the gateway may take to answer, ms. */
const timeoutMs = 15_000

export const test: Command = {
  name: 'test',
  summary: 'Send a signed event to the gateway that runs',
  positionals: '<name>',
  options: {
    payload: { type: 'string', value: 'JSON', description: 'What the event says' },
    event: {
      type: 'string',
      value: 'KIND',
      description: 'Its kind (default: the first that the route lets in, else "test")',
    },
  },
  examples: [`hermes webhook test deploys --payload '{"repository":{"name":"app"}}'`],
  async run({ positionals, options }, cli) {
    const name = routeName(positionals[0])
    const { home, settings } = await openWebhooks(cli)
    const routes = { ...(await readSubscriptions(home)), ...settings.routes }
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined
    if (!route) throw new CommandError(`There is no route "${name}"; "hermes webhook list" shows those there are.`)
    const body = typeof options['payload'] === 'string' ? options['payload'] : '{"test":true}'
    if (!isJson(body)) throw new UsageError('hermes webhook test: --payload is not valid JSON.')
    const kind = typeof options['event'] === 'string' ? options['event'] : (route.events[0] ?? 'test')
    const event = { body, kind, secret: secretOf(route, settings), signal: cli.signal }
    const answer = await send(localUrl(settings, name), event)
    await writeOut(cli, `${answer.status} ${cleanLine(await answer.text())}\n`)
    return answer.ok ? 0 : 1
  },
}

interface EventToSend {
  readonly body: string
  readonly kind: string
  readonly secret: string
  readonly signal: AbortSignal
}

async function send(url: string, { body, kind, secret, signal }: EventToSend): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': kind,
        'x-github-delivery': randomUUID(),
        // By this one the same payload may be tried again.
        'x-webhook-signature': `sha256=${hmac(secret, body)}`,
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new CommandError(`Nobody answers at ${url}. Does the gateway run? "hermes gateway run" starts it.`, 1, {
      cause: error,
    })
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
