import { z } from 'zod'
import type { Connection, SendingConnection, SendingHost } from '../platform.ts'
import { claimAccount } from '../token-lock.ts'
import { openAccountState } from './account-state.ts'
import { createChoices } from './choices.ts'
import { apiPath, openClient } from './client.ts'
import type { MatrixClient } from './client.ts'
import { openEncryption } from './crypto/open-encryption.ts'
import { MatrixError } from './errors.ts'
import { uploadLimit } from './media.ts'
import { createProgressReactions } from './progress-reactions.ts'
import { redactEvent, setTyping } from './room-calls.ts'
import { createRooms } from './rooms.ts'
import { editText, sendPart } from './send.ts'
import type { SendParts } from './send.ts'
import type { MatrixSettings } from './settings.ts'
import { signIn } from './sign-in.ts'
import type { Session } from './sign-in.ts'
import { syncForever } from './sync.ts'
import { createEventTaker } from './take-event.ts'
import type { MatrixHost, MatrixParts } from './take-event.ts'
import { openThreads } from './threads.ts'

/** Servers allow some ten at once and then one in five seconds, unless they are told otherwise; what they refuse is waited for. */
const rates = { perSecond: 5, perChatSecond: 1 }

/** Where the server does not say how large a file may be, bytes. */
const usualFileBytes = 50 * 1024 * 1024

const typingMs = 10_000

/** Connects an account: signs in, opens its keys, and begins to take what happens. Throws `PlatformError`. */
export async function connectMatrix(
  settings: MatrixSettings,
  host: MatrixHost,
  signal: AbortSignal,
): Promise<Connection> {
  await using opening = new AsyncDisposableStack()
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const client = openClient(settings.homeserver, host.environment)
  opening.defer(() => client.close())
  const session = await signIn(client, settings, host.home, both)
  opening.defer(await claimAccount('matrix-device', deviceOf(session), host.environment))
  const state = await openAccountState(host.home, session)
  opening.defer(() => state.close())
  const opened = settings.encryption
    ? await openEncryption({ client, session, settings, host, state }, both)
    : undefined
  if (opened) opening.defer(() => opened.close())
  const encryption = opened?.encryption
  const rooms = createRooms(
    {
      client,
      userId: session.userId,
      remember: async (roomId, claimed) => (encryption ? encryption.remember(roomId, claimed) : claimed),
    },
    both,
  )
  rooms.setDirect(await directRooms(client, session, both))
  const choices = createChoices()
  const threads = await openThreads(host.home)
  const parts: MatrixParts = { client, session, settings, host, state, rooms, threads, choices, encryption }
  const maxFileBytes = (await uploadLimit(client, both)) ?? usualFileBytes
  const taker = createEventTaker(parts, both)
  opening.defer(() => taker.close())
  const closed = syncForever(parts, taker, both)
  // In the end nothing more is taken, before that from which it is taken is closed.
  opening.defer(async () => {
    ending.abort(new DOMException('The connection ends.', 'AbortError'))
    taker.close()
    await closed
  })
  const held = opening.move()
  return {
    ...connectionOf({ ...parts, maxFileBytes }),
    closed,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Signs in only to send, to rooms that are not encrypted: keys belong to a device that follows its rooms. Throws `PlatformError`. */
export async function connectMatrixToSend(
  settings: MatrixSettings,
  host: SendingHost,
  signal: AbortSignal,
): Promise<SendingConnection> {
  await using opening = new AsyncDisposableStack()
  const client = openClient(settings.homeserver, host.environment)
  opening.defer(() => client.close())
  const session = await signIn(client, settings, host.home, signal)
  opening.defer(await claimAccount('matrix-device', deviceOf(session), host.environment, 'send'))
  const rooms = createRooms({ client, userId: session.userId, remember: async (_id, claimed) => claimed }, signal)
  const maxFileBytes = (await uploadLimit(client, signal)) ?? usualFileBytes
  const threads = await openThreads(host.home)
  const parts = { client, rooms, settings, threads, choices: createChoices(), encryption: undefined, maxFileBytes }
  const held = opening.move()
  return {
    rates,
    send: (to, part, options, cutting) => sendPart(to, part, options, parts, cutting),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

function deviceOf({ userId, deviceId }: Session): string {
  return `${userId} ${deviceId}`
}

async function directRooms(client: MatrixClient, { userId }: Session, signal: AbortSignal): Promise<unknown> {
  const path = apiPath`/client/v3/user/${userId}/account_data/m.direct`
  return client.call(z.unknown(), { method: 'GET', path }, signal).catch((error: unknown) => {
    if (error instanceof MatrixError && error.errcode === 'M_NOT_FOUND') return {}
    throw error
  })
}

function connectionOf(parts: MatrixParts & SendParts): Omit<Connection, 'closed' | typeof Symbol.asyncDispose> {
  const { client, session, settings, choices } = parts
  const { userId } = session
  const typingIn = new Set<string>()
  return {
    account: userId,
    rates,
    knowsKeys: true,
    async send(to, part, options, signal) {
      const sent = await sendPart(to, part, options, parts, signal)
      // Apps show that we write until they are told that we do not.
      if (typingIn.delete(to.chatId)) {
        setTyping(client, { roomId: to.chatId, userId, timeoutMs: 0 }, signal).catch(() => undefined)
      }
      return sent
    },
    editing: {
      edit: (message, text, signal) => editText(message, text, parts, signal),
      remove: ({ chat, messageId }, signal) =>
        redactEvent(client, { roomId: chat.chatId, eventId: messageId, transaction: `remove-${messageId}` }, signal),
    },
    typing: {
      lastsMs: typingMs,
      async show({ chatId }, signal) {
        typingIn.add(chatId)
        await setTyping(client, { roomId: chatId, userId, timeoutMs: typingMs }, signal)
      },
    },
    ...(settings.reactions && { reactions: createProgressReactions(client) }),
    buttons: {
      maxDataBytes: 1_024,
      async close(message, text, signal) {
        choices.close(message.messageId)
        await editText(message, text, parts, signal)
      },
    },
  }
}
