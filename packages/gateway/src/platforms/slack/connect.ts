import { endingWhenRefused } from '../ending-when-refused.ts'
import type { Connection, SendingConnection, SendingHost } from '../platform.ts'
import { claimAccount } from '../token-lock.ts'
import { maxButtonData } from './buttons.ts'
import { createChannelJudge } from './channel-rules.ts'
import { openClient } from './client.ts'
import { createEditBudget } from './edit-budget.ts'
import { listChannels } from './list-channels.ts'
import { listenForEvents } from './events-http.ts'
import { createWorkingStatus, showMark } from './progress.ts'
import { createResponseUrls } from './response-urls.ts'
import { editText, removeMessage, sendPart } from './send.ts'
import type { SendContext } from './send.ts'
import type { SlackSettings } from './settings.ts'
import { openSocket } from './socket.ts'
import { createEnvelopeTaker } from './take-envelope.ts'
import type { EnvelopeTaker, SlackHost } from './take-envelope.ts'
import { openTeams } from './teams.ts'

export type { SlackHost } from './take-envelope.ts'

/**
 * What the service allows, a little less: calls do not arrive in the rhythm in which they were made.
 * https://docs.slack.dev/apis/web-api/rate-limits
 */
const rates = { perSecond: 15, perChatSecond: 0.95 }

/** How often it is shown again that we write, ms: each message of ours takes it away. */
const statusMs = 20_000

/** Connects the app: claims it, asks who it is in each workspace, and begins to take events. Throws `PlatformError`. */
export async function connectSlack(settings: SlackSettings, host: SlackHost, signal: AbortSignal): Promise<Connection> {
  await using opening = new AsyncDisposableStack()
  opening.defer(await claimAccount(...accountOf(settings), host.environment))
  const client = openClient(settings, host.environment)
  opening.defer(() => client.close())
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const teams = await openTeams(settings.botTokens, client, { host, signal: both })
  const judge = createChannelJudge(settings.channels, () => host.clock.now())
  const responseUrls = createResponseUrls(() => host.clock.now())
  const taker = createEnvelopeTaker({ client, teams, settings, host, judge, responseUrls }, both)
  opening.defer(() => taker.close())
  opening.defer(() => ending.abort(new DOMException('The connection ends.', 'AbortError')))
  const { closed } = await takeEnvelopes({ settings, host, client, taker, opening }, both)
  taker
    .resume()
    .catch((error: unknown) => host.log.error({ error: String(error) }, 'events that were kept cannot be read'))
  const context: SendContext = { client, teams, settings, judge, responseUrls, edits: createEditBudget() }
  const held = opening.move()
  const connection: Connection = {
    ...connectionOf(context, settings),
    account: teams.all.map(({ id }) => id).join(','),
    closed,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
  // One workspace that has removed the app is no matter of the others.
  return teams.all.length === 1 ? endingWhenRefused(connection) : connection
}

/** Connects the app only to send. Throws `PlatformError`. */
export async function connectSlackToSend(
  settings: SlackSettings,
  host: SendingHost,
  signal: AbortSignal,
): Promise<SendingConnection> {
  const now = () => host.clock.now()
  await using opening = new AsyncDisposableStack()
  opening.defer(await claimAccount(...accountOf(settings), host.environment, 'send'))
  const client = openClient(settings, host.environment)
  opening.defer(() => client.close())
  const teams = await openTeams(settings.botTokens, client, { host, signal })
  const [judge, responseUrls] = [createChannelJudge(settings.channels, now), createResponseUrls(now)]
  const context: SendContext = { client, teams, settings, judge, responseUrls, edits: createEditBudget() }
  const held = opening.move()
  return {
    rates,
    send: (to, part, options, cutting) => sendPart(to, part, options, context, cutting),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** What is claimed: scope and identity. */
function accountOf({ transport, botTokens }: SlackSettings): readonly [scope: string, identity: string] {
  return transport.type === 'socket'
    ? ['slack-app-token', transport.appToken]
    : ['slack-bot-token', botTokens.join(',')]
}

interface TakingOptions {
  readonly settings: SlackSettings
  readonly host: SlackHost
  readonly client: SendContext['client']
  readonly taker: EnvelopeTaker
  readonly opening: AsyncDisposableStack
}

/** Begins to take what the service brings. `closed` resolves when that is lost. */
async function takeEnvelopes(
  { settings, host, client, taker, opening }: TakingOptions,
  signal: AbortSignal,
): Promise<{ readonly closed: Promise<unknown> }> {
  const { transport, timing } = settings
  const take: EnvelopeTaker['take'] = (envelope) => taker.take(envelope)
  if (transport.type === 'http') return opening.use(await listenForEvents(transport, take, host))
  return openSocket({ appToken: transport.appToken, client, timing, log: host.log, take }, signal)
}

function connectionOf(
  context: SendContext,
  settings: SlackSettings,
): Omit<Connection, 'account' | 'closed' | typeof Symbol.asyncDispose> {
  const status = createWorkingStatus(context)
  return {
    rates,
    send: (to, part, options, signal) => sendPart(to, part, options, context, signal),
    editing: {
      edit: (message, text, signal) => editText(message, text, context, signal),
      remove: (message, signal) => removeMessage(message, context, signal),
    },
    typing: { lastsMs: statusMs, show: (chat, signal) => status.show(chat, signal) },
    ...(settings.reactions && {
      reactions: {
        async react(chat, messageId, mark, signal) {
          // Elsewhere people write to each other.
          if (!context.judge.isAddressed(chat.chatId, messageId)) return
          await showMark(chat, messageId, mark, context, signal)
        },
      },
    }),
    channels: { list: (signal) => listChannels(context, signal) },
    buttons: {
      maxDataBytes: maxButtonData,
      close: (message, text, signal) => editText(message, text, context, signal),
      change: (message, text, buttons, signal) => editText(message, text, context, signal, buttons),
    },
  }
}
