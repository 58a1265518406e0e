import type { Connection, PlatformHost } from '../platform.ts'
import type { Outbound } from '../../http/outbound.ts'
import { chatOfTarget, deliverAnswer, textOf } from './deliver.ts'
import { openDeliveries } from './deliveries.ts'
import { createFindRoute } from './find-route.ts'
import { listen } from './listen.ts'
import { postAnswer, readUrlTarget } from './post-answer.ts'
import { secretOf } from './settings.ts'
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
  const findRoute = createFindRoute(settings, host)
  const server = await listen(settings, createIntake({ settings, host, deliveries, findRoute }), host.log)
  let opening: Promise<Outbound> | undefined
  // It brings TLS along, which most need not.
  const outbound = () => {
    opening ??= import('../../http/outbound.ts').then(({ openOutbound }) => openOutbound(host.environment))
    return opening
  }
  return {
    port: server.port,
    account: 'webhook',
    rates,
    closed: server.closed,
    async send(chat, part, { key }, cutting) {
      const { chatId } = chat
      const delivery = deliveries.find(chatId)
      const url = delivery && readUrlTarget(delivery.target)
      if (url) {
        const { route } = delivery
        const found = await findRoute(route)
        const deliveryId = chatId.slice(`webhook:${route}:`.length)
        const secret = found ? secretOf(found, settings) : ''
        await postAnswer({ url, key, route, deliveryId, text: textOf(part), secret }, await outbound(), cutting)
      } else await deliverAnswer({ key, chatId, part, delivery }, host, cutting)
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
      const opened = await opening
      opened?.close()
    },
  }
}
