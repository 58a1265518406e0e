import type { AgentContext } from '@hermes/core/agent/context.ts'
import { sideLane, speakingLane } from '../commands/command.ts'
import type { ChatServices } from '../commands/command.ts'
import { pausedTimes } from '../deliver/human-delay.ts'
import { areAllReplies } from '../deliver/reply-mode.ts'
import { boundedMessages } from '../deliver/bounded-messages.ts'
import { plainLimits, textMessages } from '../deliver/text-messages.ts'
import { chatDisplay } from '../display/chat-display.ts'
import { createTurnView } from '../display/turn-view.ts'
import type { TurnView } from '../display/turn-view.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { tellTurn } from '../hooks/turn-hooks.ts'
import { isOwnEnd } from '../lanes/lanes.ts'
import type { Lanes } from '../lanes/lanes.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { InboundAttachment } from '../messages/inbound-message.ts'
import type { SentRef } from '../messages/outbound-message.ts'
import type { LiveConnection, PlatformStatus } from '../platforms/platform-runner.ts'
import type { Platform } from '../platforms/platform.ts'
import type { FaceTurn, TurnSettlement } from '../platforms/turn-face.ts'
import type { ChatSessions, CurrentSession } from '../sessions/chat-sessions.ts'
import type { ChatSettings } from '../sessions/chat-settings.ts'
import type { ResetReason } from '../sessions/reset-policy.ts'
import { isSpoken } from '../sessions/voice-modes.ts'
import type { VoiceModes } from '../sessions/voice-modes.ts'
import type { Inbox, InboxEntry } from '../store/inbox.ts'
import type { Outbox, Outgoing } from '../store/outbox.ts'
import { chatPlace } from './chat-place.ts'
import { deliverFiles } from './deliver-files.ts'
import type { ProcessNews } from './process-news.ts'
import { markProgress } from './progress-marks.ts'
import { runChatTurn } from './run-chat-turn.ts'
import type { ChatTurnResult } from './run-chat-turn.ts'
import { speakAnswer } from './speak-answer.ts'
import type { Steering } from './steering.ts'
import { watchTurn } from './turn-limits.ts'
import { createTurnRecord } from './turn-record.ts'
import type { TurnRecord } from './turn-record.ts'
import { showTyping } from './typing.ts'
import type { UnansweredImages } from './unanswered-images.ts'

export interface AnswerOptions {
  readonly entry: InboxEntry
  /** With its settings as they are now. */
  readonly agent: AgentContext
  readonly lanes: Lanes
  readonly inbox: Inbox
  readonly outbox: Outbox
  readonly sessions: ChatSessions
  readonly settings: ChatSettings
  readonly voice: VoiceModes
  readonly steering: Steering
  readonly hooks: Hooks
  readonly decideIn: ChatServices['decideIn']
  readonly news: ProcessNews
  readonly images: UnansweredImages
  readonly platform: Platform | undefined
  readonly live: LiveConnection | undefined
  /** Those that run. */
  readonly platforms: () => readonly PlatformStatus[]
  /** Something was queued for a platform. */
  readonly wake: (platform: string) => void
  /** As in `ChatTurn`. */
  readonly ending: AbortSignal
  /** The chat's session begins or goes on with this message; whether something was said in it before. */
  readonly onSession?: (session: CurrentSession, isStored: boolean) => Promise<void>
}

/**
 * Answers one message: runs its turn and queues what is said, in one step with noting that it is dealt with. A turn that
 * the gateway's own end stops stays open and goes on after the next start.
 */
export async function answerMessage(options: AnswerOptions, signal: AbortSignal): Promise<void> {
  const { entry, agent, inbox, sessions, platform, live, wake } = options
  const { message, sessionKey } = entry
  const chat = chatOf(message.source)
  const { sessionId, resetReason } = await openSession(options)
  const own = message.attachments.filter(({ kind }) => kind === 'image')
  const isOwn = ({ path }: InboundAttachment) => own.some((one) => one.path === path)
  const images = [...options.images.of(sessionId).filter((one) => !isOwn(one)), ...own]
  options.news.follow({ sessionKey, sessionId, source: message.source })
  const place = placeOf(options, resetReason)
  const typing = live && showTyping(live, chat, agent.log)
  const mark = markProgress({ live, chat, messageId: message.messageId, log: agent.log })
  const limits = watchTurn({ settings: agent.config.agent, tell: (text) => tell(text, options) })
  const steering = options.steering.open(sessionKey)
  const record = createTurnRecord(agent.home)
  const told = tellTurn(options.hooks, { message, sessionId })
  const follower = live?.connection.face?.begin(turnOf(options, sessionId))
  const view = follower ?? turnView(options)
  const both = AbortSignal.any([signal, limits.signal])
  try {
    const chosen = await options.settings.all(sessionKey)
    const result = await runChatTurn(
      {
        entry,
        sessionId,
        promptHint: platform?.promptHint ?? '',
        ...(place !== undefined && { place }),
        ...chosen,
        images,
        ending: options.ending,
        takeSteering: steering.take,
        decide: options.decideIn(message, sessionKey, both),
        onEvent(event) {
          limits.note(event)
          typing?.note(event)
          record.note(event)
          told.note(event)
          view.onEvent(event)
        },
      },
      agent,
      both,
    )
    const isCut = result.status === 'cancelled'
    steering.close()
    told.end(result.text)
    const shown = await view.end({ isCut })
    if (result.sessionId !== sessionId) await sessions.moveTo(sessionKey, result.sessionId, message.source)
    if (isCut && isOwnEnd(signal)) {
      follower?.settled({ status: 'suspended', texts: 0, files: 0 })
      return
    }
    const final = limits.ended === undefined ? result : { ...result, notice: limits.ended }
    const isInterrupted = isCut && limits.ended === undefined
    options.images.keep(result.sessionId, isInterrupted ? images : [])
    const said = isInterrupted ? [] : await replies(final, { shown, record, options }, signal)
    await inbox.end([entry.id], isInterrupted ? 'refused' : endOf(final), said)
    follower?.settled(settlementOf(final, isInterrupted, said))
    mark(isInterrupted ? undefined : result.status === 'failed' ? 'failed' : 'done')
    wake(chat.platform)
    if (result.status === 'completed' && record.toolTags.length === 0) await speak(result, options)
  } catch (error) {
    // It was stopped before its turn began: nothing shows any more that it is worked on.
    if (options.ending.aborted && !isOwnEnd(options.ending)) {
      mark(undefined)
      told.end('')
    }
    throw error
  } finally {
    limits.stop()
    steering.close()
    typing?.stop()
  }
}

/** The session of the message. One that it takes the place of goes. */
async function openSession(options: AnswerOptions): Promise<{
  readonly sessionId: string
  readonly resetReason?: ResetReason
}> {
  const { entry, agent, inbox, sessions, onSession } = options
  const { message, sessionKey, begun } = entry
  if (begun) return { sessionId: begun.sessionId }
  const replaces = message.prepared?.replaces
  const present = replaces === undefined ? await presentSession(options) : undefined
  // Where nothing is to be told first, that the turn begins is noted in the same step.
  const session = await sessions.forMessage(sessionKey, message.source, ({ sessionId: chosen }) => {
    if (chosen === present?.chosen) inbox.beginInStep(entry.id, present.sessionId, present.messagesBefore)
  })
  if (present && session.sessionId === present.chosen) {
    await onSession?.(session, present.isStored)
    return { sessionId: present.sessionId }
  }
  const sessionId = (await agent.sessions.carriedOnBy(session.sessionId))?.id ?? session.sessionId
  await onSession?.(session, (await agent.sessions.get(session.sessionId)) !== undefined)
  if (replaces !== undefined) {
    const stored = (await agent.sessions.messages(sessionId)).find(({ id }) => id === replaces)
    if (stored) await agent.sessions.removeMessages(sessionId, replaces)
  }
  const before = (await agent.sessions.get(sessionId))?.messageCount ?? 0
  await inbox.begin(entry.id, sessionId, before)
  const { resetReason } = session
  return { sessionId, ...(resetReason && { resetReason }) }
}

/** The session that the chat is in, as it stands before the message. */
async function presentSession({ entry, agent, sessions }: AnswerOptions) {
  const chosen = (await sessions.find(entry.sessionKey))?.sessionId
  if (chosen === undefined) return undefined
  const stored = await agent.sessions.carriedOnBy(chosen)
  const { id: sessionId = chosen, messageCount: messagesBefore = 0 } = stored ?? {}
  return { chosen, sessionId, messagesBefore, isStored: stored !== undefined }
}

function turnOf({ entry: { message, sessionKey, begun } }: AnswerOptions, sessionId: string): FaceTurn {
  const isResumed = begun !== undefined
  return { chat: chatOf(message.source), sessionKey, sessionId, eventId: message.eventId, isResumed }
}

function placeOf(
  { entry: { message }, agent, platform, platforms }: AnswerOptions,
  resetReason: ResetReason | undefined,
): string | undefined {
  const connected = platforms().flatMap(({ platform: name, state }) => (state === 'connected' ? [name] : []))
  const label = platform?.label ?? message.source.platform
  return chatPlace({ message, label, platforms: connected, ...(resetReason && { resetReason }) }, agent)
}

function endOf({ status, text }: ChatTurnResult): 'answered' | 'failed' {
  return status === 'failed' && text === '' ? 'failed' : 'answered'
}

function turnView({ entry, agent, inbox, live, platform }: AnswerOptions): TurnView {
  const { message, id, draft } = entry
  const chat = chatOf(message.source)
  return createTurnView({
    live,
    chat,
    limits: platform?.limits ?? plainLimits,
    config: agent.config,
    log: agent.log,
    key: `view:${id}`,
    ...(message.messageId !== undefined && { replyTo: message.messageId }),
    ...(draft !== undefined && { draft: { chat, messageId: draft } }),
    async onDraft(sent) {
      try {
        await inbox.draft(id, sent?.messageId)
      } catch (error) {
        agent.log.warn({ chat: chat.platform, error: String(error) }, 'a half answer would not be found again')
      }
    },
  })
}

function settlementOf(
  { status, notice }: ChatTurnResult,
  isInterrupted: boolean,
  said: readonly Outgoing[],
): TurnSettlement {
  const texts = said.filter(({ part }) => part.type === 'text').length
  const failed = status === 'completed' || status === 'incomplete' ? 'completed' : 'failed'
  return {
    status: isInterrupted ? 'interrupted' : failed,
    texts,
    files: said.length - texts,
    ...(notice !== undefined && { notice }),
  }
}

interface Said {
  readonly shown: SentRef | undefined
  readonly record: TurnRecord
  readonly options: AnswerOptions
}

/** What the chat is told: text first, then its files. */
async function replies(
  result: ChatTurnResult,
  { shown, record, options }: Said,
  signal: AbortSignal,
): Promise<readonly Outgoing[]> {
  const { entry, platform, agent } = options
  const { messageId, source, eventId } = entry.message
  const cwd = agent.scopes.get(result.sessionId).cwd()
  // An answer that is there is told, also where a newer message or /stop comes while its pictures are fetched.
  const isLeftOut = () => !isOwnEnd(signal)
  const said = { text: result.text.trim(), toolTags: record.toolTags, cwd, isLeftOut }
  const delivered = await deliverFiles(said, agent, signal)
  const notice = result.notice === undefined ? [] : [`⚠️ ${result.notice}`]
  const reasoning = chatDisplay(agent.config, source.platform).showReasoning ? record.reasoning() : undefined
  const whole = [...(reasoning === undefined ? [] : [reasoning]), delivered.text, ...notice]
  const chat = chatOf(source)
  const text = {
    key: `reply:${entry.id}`,
    chat,
    text: agent.redactor.redact(whole.filter((part) => part !== '').join('\n\n')),
    limits: platform?.limits,
    areAllReplies: areAllReplies(platform, agent),
    answers: eventId,
    elsewhere: `hermes sessions export ${result.sessionId} FILE`,
    ...(messageId !== undefined && { replyTo: messageId }),
  }
  const texts = await boundedMessages(text, agent)
  const times = pausedTimes(delivered.files.length, agent.config.human_delay, agent.clock.now())
  const files = delivered.files.map((part, at): Outgoing => ({
    key: `file:${entry.id}:${at}`,
    chat,
    part,
    answers: eventId,
    ...(times[at] !== undefined && { notBefore: times[at] }),
  }))
  return [...texts.map((text, at) => (at === 0 && shown ? { ...text, editOf: shown.messageId } : text)), ...files]
}

/** Says something while a turn runs, past nothing that is queued. */
function tell(text: string, { entry, agent, outbox, platform, wake }: AnswerOptions): void {
  const chat = chatOf(entry.message.source)
  const key = `told:${entry.id}:${Date.now()}`
  outbox
    .add(textMessages({ key, chat, text, limits: platform?.limits, isNotice: true }))
    .then(() => wake(chat.platform))
    .catch((error: unknown) => agent.log.error({ error: String(error) }, 'the chat cannot be told'))
}

/** The answer is spoken too, where the chat wants that; its text does not wait for it. */
async function speak(
  result: ChatTurnResult,
  { entry, agent, lanes, outbox, voice, wake }: AnswerOptions,
): Promise<void> {
  const { source, attachments } = entry.message
  const isVoice = attachments.some(({ kind }) => kind === 'voice')
  if (!isSpoken(await voice.get(source.chatId), isVoice)) return
  lanes.add(sideLane(entry.sessionKey, speakingLane), async (signal) => {
    const part = await speakAnswer(result.text, agent, signal)
    if (!part) return
    signal.throwIfAborted()
    await outbox.add([{ key: `voice:${entry.id}`, chat: chatOf(source), part, answers: entry.message.eventId }])
    wake(source.platform)
  })
}
