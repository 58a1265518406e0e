import { answerLane, readCommand, sideLane } from '../commands/command.ts'
import type { ChatServices } from '../commands/command.ts'
import { asSteering } from '../commands/queue.ts'
import { runCommand } from '../commands/run-command.ts'
import { newerMessage } from '../lanes/lanes.ts'
import { untilTried } from '../life/until-tried.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { LiveConnection, PlatformRunner } from '../platforms/platform-runner.ts'
import type { Reception, TurnSettlement } from '../platforms/turn-face.ts'
import { tellOfSession } from '../sessions/tell-of-session.ts'
import type { Inbox, InboxEntry } from '../store/inbox.ts'
import type { Outbox } from '../store/outbox.ts'
import { answerMessage } from './answer-message.ts'
import type { AnswerOptions } from './answer-message.ts'
import { clarifyAnswer } from './decision-text.ts'
import type { OpenDecision } from './decisions.ts'
import { inboundContent } from './inbound-content.ts'
import type { ProcessNews } from './process-news.ts'
import type { UnansweredImages } from './unanswered-images.ts'
import { untilSettled } from './until-settled.ts'
import type { Settling } from './until-settled.ts'

export interface DispatchServices {
  readonly chats: ChatServices
  readonly inbox: Inbox
  readonly outbox: Outbox
  readonly news: ProcessNews
  readonly images: UnansweredImages
  readonly wake: (platform: string) => void
  readonly connectionOf: (platform: string) => LiveConnection | undefined
  /** Of a platform, once those of the start have been taken up. */
  readonly runnerOf: (platform: string) => Promise<PlatformRunner | undefined>
  /** Whether the gateway ends, so that no turn begins any more. */
  readonly isDraining: () => boolean
}

/**
 * Decides what a stored message is for: a command, the answer to a question, words for the turn that runs, or a turn of its
 * own in the lane of its chat. Resolves as soon as that is decided; the turn follows.
 */
export async function dispatch(given: InboxEntry, services: DispatchServices): Promise<Reception> {
  const { chats, inbox, outbox, wake } = services
  const entry = steers(given, chats) ? asSteering(given) : given
  const { message, sessionKey: key } = entry
  const again = (one: InboxEntry) => dispatch(one, services)
  if (await runCommand(entry, { chats, inbox, outbox, wake, dispatch: again })) return 'command'
  const isOwn = message.isInternal === true || message.prepared !== undefined
  const { lanes, live } = chats
  const question = entry.begun || isOwn ? undefined : openQuestion(key, chats)
  if (question && message.attachments.length > 0) {
    const answer = (signal: AbortSignal) => answerWithFiles(entry, question, services, signal)
    lanes.add(sideLane(key, answerLane), (signal) =>
      untilSettled(entry, () => answer(signal), settlingOf(entry, services), signal),
    )
    return 'answered'
  }
  if (question && chats.decisions.answer(key, question.id, clarifyAnswer(question.request, message.text))) {
    await inbox.end([entry.id], 'answered', [])
    return 'answered'
  }
  // What waits already will be answered first; only what runs can be interrupted.
  const interrupts = live.current.config.display.busy_input_mode !== 'queue' && !entry.begun && !isOwn
  if (interrupts && lanes.isBusy(key) && message.attachments.length === 0) {
    lanes.interrupt(key, newerMessage)
  }
  lanes.add(key, (...signals) => runTurn(entry, services, ...signals), message)
  return 'queued'
}

/** Answers a message when its turn has come; one that the gateway's end leaves open goes on after the next start. */
async function runTurn(
  entry: InboxEntry,
  services: DispatchServices,
  signal: AbortSignal,
  ending: AbortSignal,
): Promise<void> {
  const { chats, inbox, outbox, news, images, wake, connectionOf } = services
  const { platform: name } = entry.message.source
  const isDropped = signal.aborted
  if (!isDropped) await untilTried(services.runnerOf(name), signal)
  if (services.isDraining()) return
  const now = { agent: chats.live.current, live: connectionOf(name), platform: chats.platform(name) }
  const told = { agent: now.agent, hooks: chats.hooks, outbox, wake, commandStart: now.platform?.commandStart }
  const onSession: AnswerOptions['onSession'] = (session, isStored) =>
    tellOfSession(session, { isStored, messageRow: entry.id }, told)
  const answer = async (left: InboxEntry) => {
    // It stays out of the conversation.
    if (isDropped) throw signal.reason
    return answerMessage(
      { ...chats, ...now, entry: left, inbox, outbox, wake, news, images, onSession, ending },
      signal,
    )
  }
  await untilSettled(entry, answer, { ...settlingOf(entry, services), ending }, signal)
}

function settlingOf(entry: InboxEntry, { chats, inbox, wake, connectionOf }: DispatchServices): Settling {
  const onEnd = (outcome: TurnSettlement) => showEnd(entry, outcome, connectionOf(entry.message.source.platform))
  return { inbox, agent: chats.live.current, wake, onEnd }
}

/** A face that shows turns is told of an end that the turn itself has not told. */
function showEnd({ message, sessionKey, begun }: InboxEntry, outcome: TurnSettlement, live?: LiveConnection): void {
  const turn = { chat: chatOf(message.source), sessionKey, sessionId: begun?.sessionId ?? '' }
  live?.connection.face?.begin({ ...turn, eventId: message.eventId, isResumed: true }).settled(outcome)
}

/** Whether a message is for the turn that runs, by `display.busy_input_mode`. */
function steers({ message, sessionKey: key, begun }: InboxEntry, chats: ChatServices): boolean {
  const { live, steering } = chats
  if (live.current.config.display.busy_input_mode !== 'steer' || begun || !steering.isOpen(key)) return false
  const isPlain = !message.isInternal && !message.prepared && message.attachments.length === 0
  return isPlain && !readCommand(message.text) && !openQuestion(key, chats)
}

/** The question of a turn that the next message answers. */
function openQuestion(key: string, { decisions }: ChatServices): OpenDecision | undefined {
  return decisions.open(key).find(({ request }) => request.kind === 'clarify')
}

/** An answer that has files says what they say, or where they are. Where that comes too late, it is a message of its own. */
async function answerWithFiles(
  entry: InboxEntry,
  { id, request }: OpenDecision,
  services: DispatchServices,
  signal: AbortSignal,
): Promise<void> {
  const { chats, inbox } = services
  const { message, sessionKey: key } = entry
  const words = message.text.trim() === '' ? [] : [clarifyAnswer(request, message.text)]
  const files = await inboundContent(message, chats.live.current, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    chats.live.current.log.error({ error: String(error) }, 'the files of an answer cannot be read')
    return undefined
  })
  // A turn of its own tells of that, or of what comes too late.
  const isTaken = files && chats.decisions.answer(key, id, [...words, ...files].join('\n\n'))
  if (isTaken) await inbox.end([entry.id], 'answered', [])
  else chats.lanes.add(key, (...own) => runTurn(entry, services, ...own), message)
}
