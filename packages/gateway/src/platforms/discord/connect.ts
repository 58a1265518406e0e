import { PlatformError } from '../platform-error.ts'
import type { Connection, SendingConnection, SendingHost } from '../platform.ts'
import { claimAccount } from '../token-lock.ts'
import { createFileFetcher } from './attachments.ts'
import { catchUp } from './catch-up.ts'
import { setCommands } from './commands.ts'
import { keepSession } from './gateway-session.ts'
import type { DiscordHost } from './index.ts'
import { openJoinedThreads } from './joined-threads.ts'
import { openOutbound } from './outbound-http.ts'
import { gatewayInfo } from './payloads.ts'
import type { DiscordReady } from './payloads.ts'
import { channelIdOf, createPlaces } from './places.ts'
import type { Places } from './places.ts'
import { react } from './react.ts'
import { createRest } from './rest.ts'
import type { DiscordRest } from './rest.ts'
import { openSeen } from './seen.ts'
import { editText, sendPart } from './send.ts'
import type { DiscordSettings } from './settings.ts'
import { createEventTaker } from './take-event.ts'
import type { EventTaker } from './take-event.ts'

/** What the service allows, a little less: https://discord.com/developers/docs/topics/rate-limits */
const rates = { perSecond: 40, perChatSecond: 0.95 }

/** Longest that setting the commands may take, ms. */
const commandsMs = 30_000

/** Connects the bot of a token: claims it, begins a session and takes what it gives. Throws `PlatformError`. */
export async function connectDiscord(
  settings: DiscordSettings,
  host: DiscordHost,
  signal: AbortSignal,
): Promise<Connection> {
  await using opening = new AsyncDisposableStack()
  opening.defer(await claimAccount('discord-bot-token', settings.token, host.environment))
  const outbound = openOutbound(host.environment, settings.proxy)
  opening.defer(() => outbound.close())
  const rest = createRest({ ...settings, send: outbound.send })
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const { url, session_start_limit: starts } = await rest.call(
    gatewayInfo,
    { method: 'GET', path: '/gateway/bot' },
    both,
  )
  if (starts?.remaining === 0) {
    const message = 'Discord lets the bot connect no more often for now.'
    throw new PlatformError('rate-limited', message, { retryAfterMs: starts.reset_after })
  }
  let accountId = ''
  const places = createPlaces(rest, () => accountId)
  const joined = await openJoinedThreads(host.home)
  const fetchFiles = createFileFetcher({ send: outbound.send, roots: settings.fileRoots, host })
  const first = Promise.withResolvers<DiscordReady>()
  const taking = Promise.withResolvers<EventTaker>()
  taking.promise.catch(() => undefined)
  let taker: EventTaker | undefined
  const closed = keepSession(
    {
      url,
      token: settings.token,
      connect: outbound.connect,
      timing: settings.timing,
      log: host.log,
      onReady(session) {
        accountId = session.user.id
        first.resolve(session)
        taker?.catchUp()
      },
      // What comes before all is set up waits for it.
      onEvent: (type, data) =>
        taker ? taker.take(type, data) : void taking.promise.then((set) => set.take(type, data)).catch(() => undefined),
    },
    both,
  )
  const stop = () => ending.abort(new DOMException('The connection ends.', 'AbortError'))
  opening.defer(async () => {
    stop()
    await closed
  })
  const late = AbortSignal.any([both, AbortSignal.timeout(settings.timing.readyMs)])
  const session = await Promise.race([first.promise, closed.then(failed), aborted(late)])
  const account = { id: session.user.id, applicationId: session.application.id }
  const seen = await openSeen(host.home, account.id, (error) =>
    host.log.warn({ error: String(error) }, 'how far channels are read cannot be written'),
  )
  opening.defer(() => seen.close())
  const all = { settings, host, account, rest, places, joined, seen, fetchFiles }
  const made = createEventTaker(
    all,
    (take) => catchUp({ ...all, log: host.log, now: () => host.clock.now(), take }, both),
    both,
  )
  taker = made
  taking.resolve(made)
  opening.defer(() => made.close())
  opening.defer(stop)
  made.catchUp()
  const { applicationId } = account
  setCommands({ rest, host, applicationId }, AbortSignal.any([both, AbortSignal.timeout(commandsMs)])).catch(
    (error: unknown) => {
      if (!both.aborted) host.log.warn({ error: String(error) }, 'the commands could not be set')
    },
  )
  const held = opening.move()
  return {
    ...connectionOf(rest, places, settings),
    account: account.id,
    closed,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Connects the bot of a token only to send: without a session. Throws `PlatformError`. */
export async function connectDiscordToSend(
  settings: DiscordSettings,
  { environment }: SendingHost,
): Promise<SendingConnection> {
  await using opening = new AsyncDisposableStack()
  opening.defer(await claimAccount('discord-bot-token', settings.token, environment, 'send'))
  const outbound = openOutbound(environment, settings.proxy)
  opening.defer(() => outbound.close())
  const rest = createRest({ ...settings, send: outbound.send })
  const held = opening.move()
  return {
    rates,
    send: (to, part, { key, again }, signal) => sendPart(to, part, { key, again }, { rest, signal }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

function failed(reason: unknown): never {
  throw reason instanceof Error ? reason : new PlatformError('unreachable', 'Discord ended the connection.')
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () =>
      reject(
        signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
          ? new PlatformError('unreachable', 'Discord’s gateway did not get ready in time.')
          : signal.reason,
      )
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

function connectionOf(
  rest: DiscordRest,
  places: Places,
  settings: DiscordSettings,
): Omit<Connection, 'account' | 'closed' | typeof Symbol.asyncDispose> {
  return {
    rates,
    send(to, part, { replyTo, ...options }, signal) {
      const reply = settings.replyTo === 'off' || replyTo === undefined ? {} : { replyTo }
      return sendPart(to, part, { ...options, ...reply }, { rest, signal })
    },
    editing: {
      edit: (message, text, signal) => editText(message, text, { rest, signal }),
      remove: ({ chat, messageId }, signal) =>
        rest.run({ method: 'DELETE', path: `/channels/${channelIdOf(chat)}/messages/${messageId}` }, signal),
    },
    typing: {
      lastsMs: 10_000,
      show: (chat, signal) => rest.run({ method: 'POST', path: `/channels/${channelIdOf(chat)}/typing` }, signal),
    },
    ...(settings.reactions && {
      reactions: { react: (chat, messageId, mark, signal) => react(chat, messageId, mark, { rest, places, signal }) },
    }),
    channels: { list: async () => places.list() },
    buttons: {
      maxDataBytes: 100,
      close: (message, text, signal) => editText(message, text, { rest, signal }, []),
      change: (message, text, buttons, signal) => editText(message, text, { rest, signal }, buttons),
    },
  }
}
