import type { UserFromGetMe } from 'grammy/types'
import { endingWhenRefused } from '../ending-when-refused.ts'
import type { Connection, ProgressMark, SendingConnection, SendingHost } from '../platform.ts'
import { claimAccount } from '../token-lock.ts'
import { openClient } from './client.ts'
import type { TelegramClient } from './client.ts'
import { setMenu } from './menu.ts'
import { pollUpdates } from './poll.ts'
import { editText, sendPart, threadId } from './send.ts'
import type { TelegramSettings } from './settings.ts'
import { createUpdateTaker, updateKinds } from './take-update.ts'
import type { TelegramHost, UpdateTaker } from './take-update.ts'
import { createTopics, makeTopics } from './topics.ts'
import { listenForUpdates } from './webhook.ts'

/**
 * What the service allows, a little less: calls do not arrive in the rhythm in which they were made.
 * https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
const rates = { perSecond: 25, perChatSecond: 0.95, perGroupMinute: 19 }

const emojis = { working: '👀', done: '👍', failed: '👎' } as const satisfies Record<ProgressMark, string>

/** Connects the bot of a token: claims it, asks who it is, and begins to take updates. Throws `PlatformError`. */
export async function connectTelegram(
  settings: TelegramSettings,
  host: TelegramHost,
  signal: AbortSignal,
): Promise<Connection> {
  await using opening = new AsyncDisposableStack()
  opening.defer(await claimAccount('telegram-bot-token', settings.token, host.environment))
  const client = openClient(settings, host.environment)
  opening.defer(() => client.close())
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const me = await client.call('getMe', {}, { signal })
  const topics = createTopics(settings.topics)
  const taker = createUpdateTaker({ client, settings, host, me, topics }, both)
  opening.defer(() => taker.close())
  opening.defer(() => ending.abort(new DOMException('The connection ends.', 'AbortError')))
  const { closed } = await takeUpdates({ client, settings, host, taker, opening }, both)
  setMenu(client, host, both).catch((error: unknown) => {
    if (!both.aborted) host.log.warn({ error: String(error) }, 'the menu of commands could not be set')
  })
  makeTopics({ wanted: settings.newTopics, topics, client, host }, both).catch((error: unknown) => {
    if (!both.aborted) host.log.warn({ error: String(error) }, 'the numbers of topics cannot be written')
  })
  const held = opening.move()
  const connection: Connection = {
    ...connectionOf(client, settings, me),
    closed,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
  // Whoever polls is told by that.
  return settings.webhook ? endingWhenRefused(connection) : connection
}

/** Connects the bot of a token only to send. Throws `PlatformError`. */
export async function connectTelegramToSend(
  settings: TelegramSettings,
  { environment }: SendingHost,
): Promise<SendingConnection> {
  await using opening = new AsyncDisposableStack()
  opening.defer(await claimAccount('telegram-bot-token', settings.token, environment, 'send'))
  const client = openClient(settings, environment)
  opening.defer(() => client.close())
  const held = opening.move()
  return {
    rates,
    send: (to, part, { again }, signal) => sendPart(to, part, undefined, { client, signal, again }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

interface TakingOptions {
  readonly client: TelegramClient
  readonly settings: TelegramSettings
  readonly host: TelegramHost
  readonly taker: UpdateTaker
  readonly opening: AsyncDisposableStack
}

/** Begins to take updates, by webhook or by polling. `closed` resolves when that is lost. */
async function takeUpdates(
  { client, settings, host, taker, opening }: TakingOptions,
  signal: AbortSignal,
): Promise<{ readonly closed: Promise<unknown> }> {
  const take: UpdateTaker['take'] = (update) => taker.take(update)
  const { webhook, timing } = settings
  if (!webhook) {
    await client.call('deleteWebhook', {}, { signal })
    return { closed: pollUpdates({ client, timing, log: host.log, take }, signal) }
  }
  const listener = opening.use(await listenForUpdates(webhook, take))
  const hook = { url: webhook.url, secret_token: webhook.secret, allowed_updates: updateKinds }
  await client.call('setWebhook', hook, { signal })
  return { closed: listener.closed }
}

function connectionOf(
  client: TelegramClient,
  settings: TelegramSettings,
  me: UserFromGetMe,
): Omit<Connection, 'closed' | typeof Symbol.asyncDispose> {
  return {
    account: String(me.id),
    rates,
    send: (to, part, { replyTo, again }, signal) =>
      sendPart(to, part, settings.replyTo === 'off' ? undefined : replyTo, { client, signal, again }),
    editing: {
      edit: (message, text, signal, how) => editText(message, text, { client, signal, ...how }),
      async remove({ chat, messageId }, signal) {
        const target = { chat_id: chat.chatId, message_id: Number(messageId) }
        await client.call('deleteMessage', target, { signal })
      },
    },
    typing: {
      lastsMs: 5_000,
      async show(chat, signal) {
        const thread = threadId(chat)
        const action = {
          chat_id: chat.chatId,
          action: 'typing' as const,
          ...(thread !== undefined && { message_thread_id: thread }),
        }
        await client.call('sendChatAction', action, { signal })
      },
    },
    ...(settings.reactions && {
      reactions: {
        async react(chat, messageId, mark, signal) {
          const reaction = mark === undefined ? [] : [{ type: 'emoji' as const, emoji: emojis[mark] }]
          const target = { chat_id: chat.chatId, message_id: Number(messageId), reaction }
          await client.call('setMessageReaction', target, { signal })
        },
      },
    }),
    buttons: {
      maxDataBytes: 64,
      close: (message, text, signal, how) => editText(message, text, { client, signal, ...how }),
      change: (message, text, buttons, signal, how) => editText(message, text, { client, signal, ...how }, buttons),
    },
  }
}
