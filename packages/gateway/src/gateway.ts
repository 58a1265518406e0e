import { agentView } from '@hermes/core/agent/agent-view.ts'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Messenger } from '@hermes/core/agent/messenger.ts'
import { isAuthorised } from './access/authorise.ts'
import { strangersGet } from './access/strangers.ts'
import { createPairingStore } from './access/pairing-store.ts'
import type { PairingStore } from './access/pairing-store.ts'
import { readCommand } from './commands/command.ts'
import type { ChatServices } from './commands/command.ts'
import { createOpenMenus } from './commands/open-menus.ts'
import { asSteering } from './commands/queue.ts'
import { runCommand } from './commands/run-command.ts'
import { createCourier } from './deliver/courier.ts'
import type { Courier } from './deliver/courier.ts'
import { createGivenUpNotices, notingGivenUp } from './deliver/given-up.ts'
import { DeliveryError } from './deliver/delivery-error.ts'
import { watchWakes } from './deliver/wake-file.ts'
import { runBoot } from './hooks/boot.ts'
import { openHooks } from './hooks/hooks.ts'
import { createLanes } from './lanes/lanes.ts'
import { createLiveAgent } from './life/live-agent.ts'
import type { RenewedSettings } from './life/live-agent.ts'
import { createPlatformSet } from './life/platform-set.ts'
import { untilTried } from './life/until-tried.ts'
import type { PlatformChange } from './life/platform-set.ts'
import type { Restarts } from './life/restarts.ts'
import { withMirrors } from './mirrors/with-mirrors.ts'
import { createMessenger } from './messenger/messenger.ts'
import { observedReception, observedStatus } from './observe/observed-gateway.ts'
import { observedOutbox } from './observe/observed-outbox.ts'
import { tidyMedia } from './media/tidy-media.ts'
import { chatOf } from './messages/chat-of.ts'
import type { ChatRef } from './messages/outbound-message.ts'
import type { InboundMessage, MessageSource } from './messages/inbound-message.ts'
import { startPlatform } from './platforms/platform-runner.ts'
import type { PlatformStatus } from './platforms/platform-runner.ts'
import type { ButtonPress, Platform } from './platforms/platform.ts'
import type { FaceHost, Reception, TurnSettlement } from './platforms/turn-face.ts'
import type { CurrentSession } from './sessions/chat-sessions.ts'
import { createChatSessions } from './sessions/chat-sessions.ts'
import { createChannelLister } from './sessions/list-channels.ts'
import { createChatSettings } from './sessions/chat-settings.ts'
import { watchExpiry } from './sessions/expired-sessions.ts'
import { importChats, createSessionMirror } from './sessions/session-mirror.ts'
import { asWritten } from './commands/as-written.ts'
import { sessionNotices } from './sessions/session-notices.ts'
import { createVoiceModes } from './sessions/voice-modes.ts'
import { sessionKey } from './sessions/session-key.ts'
import { openGatewayDatabase } from './store/gateway-database.ts'
import { createInbox } from './store/inbox.ts'
import type { InboxEntry } from './store/inbox.ts'
import { createOutbox } from './store/outbox.ts'
import { outlookOf } from './store/outlook.ts'
import { answerMessage } from './turn/answer-message.ts'
import { clarifyAnswer, pressedDecision } from './turn/decision-text.ts'
import { createDecisions } from './turn/decisions.ts'
import { askInChat } from './turn/show-decision.ts'
import { createProcessNews } from './turn/process-news.ts'
import { createSteering } from './turn/steering.ts'
import { untilSettled } from './turn/until-settled.ts'

/** A platform with its settings. */
export interface ConfiguredPlatform<Settings = unknown> {
  readonly platform: Platform<Settings, FaceHost>
  readonly settings: Settings
}

export interface GatewayOptions {
  readonly agent: AgentContext
  readonly platforms: readonly ConfiguredPlatform[]
  readonly onStatus?: (status: PlatformStatus) => void
  /** How chats have it started anew; absent where nothing would. */
  readonly restarts?: Restarts
}

/** The agent on chat platforms. */
export interface Gateway extends AsyncDisposable {
  platforms(): readonly PlatformStatus[]
  readonly pairing: PairingStore
  /** With its settings as they are at each look; for what runs beside the platforms, as the next two. */
  readonly agent: AgentContext
  readonly courier: Courier
  readonly messenger: Messenger
  /** Turns that run now. */
  readonly busy: number
  /** Takes up changed settings. Platforms that they do not concern stay connected. Resolves to what became of others. */
  reload(settings: RenewedSettings, platforms: readonly ConfiguredPlatform[]): Promise<readonly PlatformChange[]>
  /** Takes no new turns and waits for those that run, at most so long; the rest goes on after the next start. */
  drain(timeoutMs: number): Promise<void>
}

/** How often what ended long ago is forgotten, ms. */
const tidyMs = 3_600_000

/** Starts it: what was left open by the last process is taken up first, then the platforms connect. */
export async function startGateway({ agent, platforms, onStatus, restarts }: GatewayOptions): Promise<Gateway> {
  const { clock, config, home, observer } = agent
  const log = agent.log.child({ name: 'gateway' })
  const now = () => clock.now()
  const db = await openGatewayDatabase(home)
  const inbox = withMirrors(createInbox(db, now), {
    home,
    log,
    find: (place) => courier.find(place),
    limits: (name) => byName.get(name)?.limits,
    wake: (name) => wake(name),
  })
  const outbox = notingGivenUp(observedOutbox(createOutbox(db, now), { log, observer }), () => givenUp.look())
  const hooks = await openHooks(agent)
  const mirror = createSessionMirror(agent)
  const sessions = createChatSessions(
    db,
    () => live.current,
    (session) => mirror.note(session),
  )
  await importChats(sessions, agent)
  const expiry = watchExpiry({ db, sessions, agent: () => live.current })
  const pairing = createPairingStore(home, now)
  const decisions = createDecisions(config.approvals.gateway_timeout * 1000)
  const lanes = createLanes((key, error) => log.error({ chat: key, error: String(error) }, 'a turn broke'))
  const report = observedStatus(
    (status) => {
      if (status.state === 'connected') lister.connected(status.platform)
      onStatus?.(status)
    },
    { log, observer },
  )
  const set = createPlatformSet(platforms, ({ platform, settings }) => {
    const host = hostOf(platform.name)
    return startPlatform({ platform, settings, host, outbox, log: host.log, now, onStatus: report })
  })
  const byName = set.platforms
  const applied = Promise.withResolvers<void>()
  let isDraining = false
  const startedAt = now()

  const wake = (platform: string) => set.runner(platform)?.wake()
  const connectionOf = (platform: string) => set.runner(platform)?.live
  const lister = createChannelLister({ home, log, now, connectionOf: (name) => connectionOf(name)?.connection })
  const courier = createCourier({ agent: () => live.current, db, outbox, sessions, platforms: byName, wake })
  const givenUp = createGivenUpNotices({
    db,
    wake,
    log,
    now,
    redact: (text) => live.current.redactor.redact(text),
    homes: () => homesOf(set.statuses(), courier),
  })
  const messenger = createMessenger({ agent: () => live.current, platforms: byName, sessions, courier })
  const live = createLiveAgent({ ...agent, messenger })
  const chats: ChatServices = {
    live,
    lanes,
    sessions,
    settings: createChatSettings(db),
    voice: createVoiceModes(home),
    decisions,
    steering: createSteering(),
    menus: createOpenMenus({ connectionOf, lanes, log, now, redact: (text) => live.current.redactor.redact(text) }),
    hooks,
    platforms: () => set.statuses(),
    ...(restarts && { restarts }),
    platform: (name) => byName.get(name),
    decideIn: ({ source }, key, signal) =>
      askInChat(decisions, { sessionKey: key, chat: chatOf(source), connectionOf, log }, signal),
  }
  const keyOf = (source: MessageSource) => {
    const { group_sessions_per_user: groupSessionsPerUser, thread_sessions_per_user: threadSessionsPerUser } =
      live.current.config
    return sessionKey(source, { groupSessionsPerUser, threadSessionsPerUser })
  }

  async function mayEnter(source: MessageSource): Promise<boolean> {
    const platform = byName.get(source.platform)
    if (!platform) return false
    return isAuthorised(source, {
      environment: live.current.environment,
      pairing,
      variablePrefix: platform.variablePrefix,
    })
  }

  async function take(message: InboundMessage): Promise<Reception> {
    const { source } = message
    if (!byName.has(source.platform)) return 'refused'
    if (!message.isInternal && !(await mayEnter(source))) {
      await meetStranger(message)
      return 'refused'
    }
    const entry = await inbox.add(message, keyOf(source))
    if (!entry) return 'duplicate'
    givenUp.heard(chatOf(source))
    const reception = await dispatch(entry)
    if (isDraining && reception === 'queued') await tellOfEnd(entry)
    return reception
  }

  /** What comes while the gateway ends is answered after its next start; each chat is told once. */
  async function tellOfEnd({ message: { source }, sessionKey: key }: InboxEntry): Promise<void> {
    if (connectionOf(source.platform)?.connection.face || source.platform === 'webhook') return
    const text = '♻️ I am about to stop, and answer this after my next start.'
    const notice = {
      key: `ending:${startedAt}:${key}`,
      chat: chatOf(source),
      part: { type: 'text', text },
      isNotice: true,
    } as const
    await outbox.add([notice])
    wake(source.platform)
  }

  const submit = observedReception(take, { log, observer })
  const news = createProcessNews({ agent: () => live.current, lanes, submit })

  /** In a direct chat a stranger gets a code; elsewhere nothing is said. */
  async function meetStranger({ source, eventId }: InboundMessage): Promise<void> {
    const { userId, platform } = source
    if (!userId || source.chatType !== 'dm' || strangersGet(platform, live.current.config) !== 'pair') return
    const got = await pairing.request(platform, userId, source.userName ?? '')
    if (got.type === 'silence') return
    const text =
      got.type === 'code'
        ? `Hello! I do not know you yet. If this agent is yours, run this where it is installed:\n\n\`hermes pairing approve ${platform} ${got.code}\`\n\nThe code holds for an hour.`
        : 'Too many people have asked to be let in. Try again later.'
    await outbox.add([
      { key: `pair:${platform}:${source.chatId}:${eventId}`, chat: chatOf(source), part: { type: 'text', text } },
    ])
    wake(platform)
  }

  async function dispatch(given: InboxEntry): Promise<Reception> {
    const entry = steers(given) ? asSteering(given) : given
    const { message, sessionKey: key } = entry
    if (await runCommand(entry, { chats, inbox, outbox, wake, dispatch })) return 'command'
    const isOwn = message.isInternal === true || message.prepared !== undefined
    if (!entry.begun && !isOwn && answersQuestion(key, message)) {
      await inbox.end([entry.id], 'answered', [])
      return 'answered'
    }
    // What waits already will be answered first; only what runs can be interrupted.
    const interrupts = live.current.config.display.busy_input_mode !== 'queue' && !entry.begun && !isOwn
    if (interrupts && lanes.isBusy(key) && message.attachments.length === 0) {
      lanes.interrupt(key, 'A newer message of the user.')
    }
    lanes.add(
      key,
      async (signal) => {
        const { platform: name } = message.source
        await untilTried(
          applied.promise.then(() => set.runner(name)),
          signal,
        )
        if (isDraining) return
        const now = { agent: live.current, live: connectionOf(name), platform: byName.get(name) }
        const onSession = (session: CurrentSession, isStored: boolean) => tellOfSession(session, isStored, entry)
        const answer = (left: InboxEntry) =>
          answerMessage({ ...chats, ...now, entry: left, inbox, outbox, wake, onSession, news }, signal)
        const onEnd = (outcome: TurnSettlement) => {
          const turn = { chat: chatOf(message.source), sessionKey: key, sessionId: entry.begun?.sessionId ?? '' }
          connectionOf(name)
            ?.connection.face?.begin({ ...turn, eventId: message.eventId, isResumed: true })
            .settled(outcome)
        }
        await untilSettled(entry, answer, { inbox, agent: live.current, wake, onEnd }, signal)
      },
      message,
    )
    return 'queued'
  }

  async function tellOfSession(session: CurrentSession, isStored: boolean, { id }: InboxEntry): Promise<void> {
    const { source, sessionId, sessionKey: key, before } = session
    const facts = { platform: source.platform, user_id: source.userId ?? '', session_key: key }
    if (before !== undefined) for (const event of ['session:end', 'session:reset']) hooks.emit(event, facts)
    if (!isStored) hooks.emit('session:start', { ...facts, session_id: sessionId })
    const start = byName.get(source.platform)?.commandStart
    const notices = (await sessionNotices(session, live.current)).map((text) => asWritten(text, start))
    if (notices.length === 0) return
    const chat = chatOf(source)
    await outbox.add(
      notices.map((text, at) => ({ key: `notice:${id}:${at}`, chat, part: { type: 'text', text }, isNotice: true })),
    )
    wake(source.platform)
  }

  /** Whether a message is for the turn that runs, by `display.busy_input_mode`. */
  function steers({ message, sessionKey: key, begun }: InboxEntry): boolean {
    if (live.current.config.display.busy_input_mode !== 'steer' || begun || !chats.steering.isOpen(key)) return false
    const isPlain = !message.isInternal && !message.prepared && message.attachments.length === 0
    return (
      isPlain && !readCommand(message.text) && !decisions.open(key).some(({ request }) => request.kind === 'clarify')
    )
  }

  /** Whether the message answers a question that a turn has asked. */
  function answersQuestion(key: string, { text }: InboundMessage): boolean {
    const open = decisions.open(key).find(({ request }) => request.kind === 'clarify')
    return open !== undefined && decisions.answer(key, open.id, clarifyAnswer(open.request, text))
  }

  async function press({ chat, userId, userName, listedAs, data }: ButtonPress): Promise<string> {
    if (!byName.has(chat.platform)) return 'This button is no longer in use.'
    const account = connectionOf(chat.platform)?.connection.account ?? ''
    const names = { ...(userName !== undefined && { userName }), ...(listedAs !== undefined && { listedAs }) }
    const source = { ...chat, account, userId, ...names }
    if (!(await mayEnter(source))) return 'You may not decide this.'
    const key = keyOf(source)
    const told = chats.menus.press(data, key)
    if (told !== undefined) return told
    const pressed = pressedDecision(data)
    if (!pressed) return 'This button is no longer in use.'
    const open = decisions.open(key, chat).find(({ id }) => id === pressed.id)
    const value = open?.request.kind === 'clarify' ? (open.request.choices[Number(pressed.value)] ?? '') : pressed.value
    return open && decisions.answer(open.sessionKey, open.id, value) ? 'Decided.' : 'This is decided already.'
  }

  const hostOf = (platform: string): FaceHost => ({
    home,
    environment: live.current.environment,
    clock,
    log: log.child({ name: `gateway.${platform}` }),
    courier,
    chats,
    access: {
      isAuthorised: mayEnter,
      requestCode: (userId, userName) => pairing.request(platform, userId, userName),
    },
    sessionKey: keyOf,
    outlook: (source, eventId) => outlookOf(db, { source, eventId }),
    submit,
    receive: async (message) => void (await submit(message)),
    press,
  })
  for (const entry of await inbox.open()) {
    await dispatch(entry).catch((error: unknown) =>
      log.error({ chat: entry.sessionKey, error: String(error) }, 'a message that was left open cannot be taken up'),
    )
  }
  await set.apply(platforms)
  applied.resolve()
  givenUp.look()
  hooks.emit('gateway:startup', { platforms: [...byName.keys()] })
  lanes.add('boot', (signal) => runBoot(live.current, signal))
  const wakes = watchWakes({ home, log }, () => {
    for (const name of byName.keys()) wake(name)
  })
  const tidying = setInterval(() => {
    Promise.all([inbox.tidy(), outbox.tidy(), tidyMedia(home, clock.now())]).catch((error: unknown) =>
      log.error({ error: String(error) }, 'the gateway’s store cannot be tidied'),
    )
  }, tidyMs).unref()

  return {
    platforms: () => set.statuses(),
    pairing,
    agent: agentView(() => live.current),
    courier,
    messenger,
    get busy() {
      return lanes.busy
    },
    reload(settings, wanted) {
      live.renew(settings)
      return set.apply(wanted)
    },
    async drain(timeoutMs) {
      isDraining = true
      await lanes.idle(AbortSignal.timeout(timeoutMs))
    },
    async [Symbol.asyncDispose]() {
      isDraining = true
      clearInterval(tidying)
      wakes[Symbol.dispose]()
      givenUp[Symbol.dispose]()
      lister[Symbol.dispose]()
      await expiry[Symbol.asyncDispose]()
      await hooks[Symbol.asyncDispose]()
      await lanes[Symbol.asyncDispose]()
      await set[Symbol.asyncDispose]()
      await mirror[Symbol.asyncDispose]()
      db.close()
    },
  }
}

/** The home channels of platforms, of those first that are connected. */
async function homesOf(platforms: readonly PlatformStatus[], courier: Courier): Promise<readonly ChatRef[]> {
  const byUse = platforms.toSorted((a, b) => Number(b.state === 'connected') - Number(a.state === 'connected'))
  const found = await Promise.all(
    byUse.map(async ({ platform }) => {
      try {
        return await courier.find(platform)
      } catch (error) {
        if (error instanceof DeliveryError) return undefined
        throw error
      }
    }),
  )
  return found.flatMap((chat) => chat ?? [])
}
