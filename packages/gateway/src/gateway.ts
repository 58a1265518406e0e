import { agentView } from '@hermes/core/agent/agent-view.ts'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Messenger } from '@hermes/core/agent/messenger.ts'
import { isAuthorised } from './access/authorise.ts'
import { createPairingStore } from './access/pairing-store.ts'
import { meetStranger } from './access/meet-stranger.ts'
import type { PairingStore } from './access/pairing-store.ts'
import type { ChatServices } from './commands/command.ts'
import { createOpenMenus } from './commands/open-menus.ts'
import { createCourier } from './deliver/courier.ts'
import type { Courier } from './deliver/courier.ts'
import { createGivenUpNotices, notingGivenUp } from './deliver/given-up.ts'
import { homeChats } from './deliver/home-chats.ts'
import { watchWakes } from './deliver/wake-file.ts'
import { runBoot } from './hooks/boot.ts'
import { openHooks } from './hooks/hooks.ts'
import { createLanes } from './lanes/lanes.ts'
import { createLiveAgent } from './life/live-agent.ts'
import type { RenewedSettings } from './life/live-agent.ts'
import { createPlatformSet } from './life/platform-set.ts'
import type { PlatformChange } from './life/platform-set.ts'
import type { Restarts } from './life/restarts.ts'
import { withMirrors } from './mirrors/with-mirrors.ts'
import { createMessenger } from './messenger/messenger.ts'
import { observedReception, observedStatus } from './observe/observed-gateway.ts'
import { observedOutbox } from './observe/observed-outbox.ts'
import { tidyMedia } from './media/tidy-media.ts'
import { chatOf } from './messages/chat-of.ts'
import type { InboundMessage, MessageSource } from './messages/inbound-message.ts'
import type { PlatformStatus } from './platforms/platform-runner.ts'
import type { Platform } from './platforms/platform.ts'
import type { FaceHost, Reception } from './platforms/turn-face.ts'
import { createChatSessions } from './sessions/chat-sessions.ts'
import { withOlderTranscripts } from './sessions/older-transcripts.ts'
import { createChannelLister } from './sessions/list-channels.ts'
import { createChatSettings } from './sessions/chat-settings.ts'
import { watchExpiry } from './sessions/expired-sessions.ts'
import { importChats, createSessionMirror } from './sessions/session-mirror.ts'
import { createVoiceModes } from './sessions/voice-modes.ts'
import { sessionKey } from './sessions/session-key.ts'
import { openGatewayDatabase } from './store/gateway-database.ts'
import { createInbox } from './store/inbox.ts'
import type { InboxEntry } from './store/inbox.ts'
import { createOutbox } from './store/outbox.ts'
import { outlookOf } from './store/outlook.ts'
import { createDecisions } from './turn/decisions.ts'
import { askInChat } from './turn/show-decision.ts'
import type { DispatchServices } from './turn/dispatch.ts'
import { pressButton } from './turn/press-button.ts'
import { createProcessNews } from './turn/process-news.ts'
import { createSteering } from './turn/steering.ts'
import { createUnansweredImages } from './turn/unanswered-images.ts'

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

/** What answers chats is loaded with the first platform, or what was left open: an API server alone does without. */
const loadDispatch = () => import('./turn/dispatch.ts')

/** Starts it: what was left open by the last process is taken up first, then the platforms connect. */
export async function startGateway({ agent, platforms, onStatus, restarts }: GatewayOptions): Promise<Gateway> {
  const { clock, config, home, observer } = agent
  const log = agent.log.child({ name: 'gateway' })
  const now = () => clock.now()
  const db = await openGatewayDatabase(home, { isWritten: true })
  const inbox = withMirrors(createInbox(db, now), {
    home,
    log,
    agent: () => live.current,
    find: (place) => courier.find(place),
    limits: (name) => byName.get(name)?.limits,
    wake: (name) => wake(name),
  })
  const outbox = notingGivenUp(observedOutbox(createOutbox(db, now), { log, observer }), () => givenUp.look())
  const hooks = await openHooks(agent)
  const mirror = createSessionMirror(agent)
  const known = createChatSessions(
    db,
    () => live.current,
    (session) => mirror.note(session),
  )
  const sessions = withOlderTranscripts(known, () => live.current)
  await importChats(sessions, mirror, agent).catch((error: unknown) =>
    log.error({ error: String(error) }, 'what another program has noted of chats cannot be taken over'),
  )
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
  const set = createPlatformSet(platforms, async ({ platform, settings }) => {
    const [{ startPlatform }] = await Promise.all([import('./platforms/platform-runner.ts'), loadDispatch()])
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
    homes: () => homeChats(set.statuses(), courier),
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
    dropAnswers: (key) => outbox.dropAnswers(key),
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
      await meetStranger(message, { agent: live.current, pairing, outbox, wake })
      return 'refused'
    }
    const entry = await inbox.add(message, keyOf(source))
    if (!entry) return 'duplicate'
    givenUp.heard(chatOf(source))
    const { dispatch } = await loadDispatch()
    const reception = await dispatch(entry, services)
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
  const services: DispatchServices = {
    chats,
    inbox,
    outbox,
    wake,
    connectionOf,
    images: createUnansweredImages(),
    news: createProcessNews({ agent: () => live.current, lanes, submit }),
    runnerOf: (name) => applied.promise.then(() => set.runner(name)),
    isDraining: () => isDraining,
  }
  const buttons = { chats, connectionOf, mayEnter, keyOf }

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
    press: (pressed) => pressButton(pressed, buttons),
  })
  for (const entry of await inbox.open()) {
    const { dispatch } = await loadDispatch()
    await dispatch(entry, services).catch((error: unknown) =>
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
