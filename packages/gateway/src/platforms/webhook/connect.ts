import type { Connection, PlatformHost } from '../platform.ts'
import { chatOfTarget, deliverAnswer } from './deliver.ts'
import { openDeliveries } from './deliveries.ts'
import { listen } from './listen.ts'
import type { WebhookSettings } from './settings.ts'
import { createIntake } from './take-request.ts'

/** Many answers may go out at once: the platforms that they go to have limits of their own. */
const rates = { perSecond: 1_000, perChatSecond: 1_000 }

/** Listens for webhooks. Throws `PlatformError`. */
export async function connectWebhook(
  settings: WebhookSettings,
  host: PlatformHost,
  signal: AbortSignal,
): Promise<Connection & { readonly port: number }> {
  signal.throwIfAborted()
  const deliveries = await openDeliveries(host.home)
  const server = await listen(settings, createIntake(settings, host, deliveries), host.log)
  return {
    port: server.port,
    account: 'webhook',
    rates,
    closed: server.closed,
    async send(chat, part, { key }, cutting) {
      const { chatId } = chat
      await deliverAnswer({ key, chatId, part, delivery: deliveries.find(chatId) }, host, cutting)
      return { chat, messageId: key }
    },
    async asksElsewhere({ chatId }) {
      const delivery = deliveries.find(chatId)
      const chat = delivery && (await chatOfTarget(delivery.target, host))
      return (
        chat && { chat, by: `The webhook "${delivery.route}" (${chatId.slice(`webhook:${delivery.route}:`.length)})` }
      )
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
    },
  }
}
