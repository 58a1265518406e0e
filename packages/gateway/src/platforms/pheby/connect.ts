import { MAX_REQUEST_BYTES, LOCKOUT_FAILURES, LOCKOUT_WINDOW_MS } from '@hermes/protocol/pheby/constants.ts'
import { createLockOut } from '../../http/lock-out.ts'
import { createOriginCheck } from '../../http/page-origins.ts'
import { servePhoneApp } from '../../http/phone-app.ts'
import { listenForSockets } from '../../http/socket-server.ts'
import type { Connection } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { acceptSocket } from './accept-socket.ts'
import { openAttachments } from './attachments.ts'
import { errorEvent } from './client.ts'
import { createClients } from './clients.ts'
import { deliver, replaceDraft } from './deliver.ts'
import { account } from './pheby.ts'
import type { Pheby } from './pheby.ts'
import { createQuestions } from './questions.ts'
import { createRuns } from './runs.ts'
import { serveAttachment } from './serve-attachment.ts'
import type { PhebySettings } from './settings.ts'
import { createConversations } from './store/conversations.ts'
import { openPhebyDatabase } from './store/database.ts'
import { createDeliveries } from './store/deliveries.ts'
import { createStoredAttachments } from './store/stored-attachments.ts'
import { createStoredRuns } from './store/stored-runs.ts'
import { createPhebyFace } from './turn-face.ts'
import { watchRuns } from './watch-runs.ts'
import { watchTitles } from './watch-titles.ts'

/** Everything that is sent goes to this machine's own sockets. */
const rates = { perSecond: 10_000, perChatSecond: 10_000 }

const maxConnections = 100

/** Downloads with a wrong secret that lock an address out of all of them; an app may try its old one on many files. */
const downloadFailures = 20

/** How often what is over is removed, ms. */
const tidyMs = 3_600_000

/** Listens for the app. Throws `PlatformError`. */
export async function connectPheby(
  settings: PhebySettings,
  host: FaceHost,
  signal: AbortSignal,
): Promise<Connection & { readonly port: number }> {
  signal.throwIfAborted()
  const { clock, log, home } = host
  const now = () => clock.now()
  const { live, decisions, sessions } = host.chats
  const redact = (text: string) => live.current.redactor.redact(text)
  await using opened = new AsyncDisposableStack()
  const db = await openPhebyDatabase(home)
  opened.defer(() => db.close())
  const ending = new AbortController()
  opened.defer(() => ending.abort(new DOMException('The connection ends.', 'AbortError')))

  const clients = createClients()
  const conversations = createConversations(db, now)
  const storedRuns = createStoredRuns(db, now)
  const attachments = await openAttachments({
    home,
    stored: createStoredAttachments(db, now),
    clock,
    retentionDays: settings.retentionDays,
  })
  const titles = opened.use(watchTitles({ host, clients, conversations }))
  const onEnd = (conversationId: string) => titles.look(conversationId)
  const runs = createRuns({ clients, stored: storedRuns, clock, log, redact, onEnd })
  opened.defer(() => runs.stop())
  const questions = createQuestions({ clients, decisions, clock, redact })
  const deliveries = createDeliveries(db)
  const pheby: Pheby = {
    host,
    clients,
    conversations,
    deliveries,
    attachments,
    storedRuns,
    runs,
    questions,
    ending: ending.signal,
  }

  // Chats of the other program go on as conversations.
  for (const { source, updatedAt } of await sessions.all()) {
    if (source.platform === 'pheby') await conversations.adopt(source.chatId, source.chatName ?? '', updatedAt)
  }
  opened.use(await watchRuns(pheby))
  await attachments.tidy()
  const tidying = setInterval(() => {
    Promise.all([attachments.tidy(), storedRuns.tidy()]).catch((error: unknown) =>
      log.error({ error: String(error) }, 'attachments of the app cannot be tidied'),
    )
  }, tidyMs).unref()
  opened.defer(() => clearInterval(tidying))

  const lockOut = createLockOut({
    failures: LOCKOUT_FAILURES,
    windowMs: LOCKOUT_WINDOW_MS,
    lockedMs: LOCKOUT_WINDOW_MS,
    now,
  })
  const downloads = createLockOut({
    failures: downloadFailures,
    windowMs: LOCKOUT_WINDOW_MS,
    lockedMs: LOCKOUT_WINDOW_MS,
    now,
  })
  const tooLarge = { code: 'too_large', message: `A frame has at most ${MAX_REQUEST_BYTES} bytes` } as const
  const server = opened.use(
    await listenForSockets({
      host: settings.host,
      port: settings.port,
      portVariable: 'PHEBY_PORT',
      path: '/ws',
      maxFrameBytes: MAX_REQUEST_BYTES,
      tooLarge: () => JSON.stringify(errorEvent(tooLarge, undefined, now())),
      maxConnections,
      pingMs: settings.pingMs,
      mayConnect: (address) => !lockOut.isLocked(address),
      mayOpen: createOriginCheck({ allowed: settings.origins, variable: 'PHEBY_ALLOWED_ORIGINS', log }),
      socketHandler: async () => (socket, address, _request, admit) =>
        acceptSocket(socket, { address, admit }, { pheby, settings, lockOut }),
      async onRequest(request, response) {
        if (await servePhoneApp(request, response, 'pheby')) return
        await serveAttachment(request, response, { attachments, secret: settings.secret, lockOut: downloads })
      },
    }),
  )
  const everything = opened.move()
  return {
    port: server.port,
    account,
    rates,
    knowsKeys: true,
    closed: server.closed,
    face: createPhebyFace({ runs, questions, redactor: () => live.current.redactor }),
    send: (chat, part, options, cutting) => deliver(pheby, { chat, part, options }, cutting),
    editing: {
      edit: async (message, text) => replaceDraft(pheby, message, text),
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}
