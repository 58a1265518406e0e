import { oneLine } from '@hermes/core/text/one-line.ts'
import { boundedMessages } from '../deliver/bounded-messages.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { Inbox, InboxEntry } from '../store/inbox.ts'
import type { Outbox } from '../store/outbox.ts'
import { asWritten } from './as-written.ts'
import { maxWaiting, readCommand, sideLane } from './command.ts'
import type { ChatCommand, ChatServices, CommandAnswer, CommandCall } from './command.ts'
import type { Menu } from './menu.ts'
import { findCommand } from './registry.ts'

export interface CommandRunner {
  readonly chats: ChatServices
  readonly inbox: Inbox
  readonly outbox: Outbox
  readonly wake: (platform: string) => void
  /** Deals with a message that a command has made. */
  readonly dispatch: (entry: InboxEntry) => Promise<unknown>
}

/** Whether a message was a command; then it is answered. One that nobody knows is told, and never given to the model. */
export async function runCommand(entry: InboxEntry, runner: CommandRunner): Promise<boolean> {
  const { message, sessionKey, begun } = entry
  const called = message.isInternal || message.prepared ? undefined : readCommand(message.text)
  if (!called) return false
  const { chats } = runner
  const call: CommandCall = {
    ...called,
    message,
    sessionKey,
    ...(begun && { begun }),
    begin: (sessionId, messagesBefore) => runner.inbox.begin(entry.id, sessionId, messagesBefore),
    agent: chats.live.current,
    chats,
  }
  const { work, ...now } = await attempt(call, async () => {
    const command = await findCommand(call.name)
    if (command) tellHooks(command.name, call)
    if (!command) return (await import('./other-commands.ts')).runOther(call)
    return sayingWhatIsLeftOut(await command.run(call), command, call)
  })
  if (!work) {
    await answer(entry, now, runner)
    return true
  }
  const lane = work.lane === undefined ? sessionKey : sideLane(sessionKey, work.lane)
  const waiting = chats.lanes.waiting(lane)
  if (waiting >= maxWaiting) {
    const say = `${waiting} things wait here already: /${call.name} again when some of them are done.`
    await answer(entry, { say }, runner)
    return true
  }
  if (now.say !== undefined) {
    await runner.outbox.add(await replies(entry, now.say, { runner, name: 'now' }))
    runner.wake(message.source.platform)
  }
  chats.lanes.add(
    lane,
    async (signal) => {
      const run = async () => {
        signal.throwIfAborted()
        return work.run(signal)
      }
      const done = await attempt(call, run, signal)
      await answer(entry, done, runner, signal)
    },
    work.lane === undefined ? message : undefined,
  )
  return true
}

/** Words behind a command that takes none are not passed over in silence: they may have been the point. */
function sayingWhatIsLeftOut(
  answered: string | CommandAnswer,
  { name, args, options }: ChatCommand,
  call: CommandCall,
): string | CommandAnswer {
  if (call.args === '' || args !== undefined || options !== undefined) return answered
  const note = `("${oneLine(call.args)}" was left out: /${name} takes nothing behind it.)`
  const noted = <Answer extends Omit<CommandAnswer, 'work'>>(one: string | Answer) => {
    const { say, ...rest } = typeof one === 'string' ? { say: one } : one
    return { ...rest, say: say ? `${say}\n${note}` : note }
  }
  if (typeof answered === 'string' || !answered.work) return noted(answered)
  const { work } = answered
  return { ...answered, work: { ...work, run: async (signal) => noted(await work.run(signal)) } }
}

function tellHooks(command: string, { chats, message, args }: CommandCall): void {
  const { platform, userId } = message.source
  chats.hooks.emit(`command:${command}`, { platform, user_id: userId ?? '', command, args })
}

/** A command that fails says so. */
async function attempt(
  { name, agent }: CommandCall,
  run: () => Promise<string | CommandAnswer>,
  signal?: AbortSignal,
): Promise<CommandAnswer> {
  try {
    const answered = await run()
    return typeof answered === 'string' ? { say: answered } : answered
  } catch (error) {
    const { gatewayStops } = await import('../lanes/lanes.ts')
    // It is taken up again after the next start.
    if (signal?.aborted && signal.reason instanceof Error && signal.reason.message === gatewayStops) throw error
    if (signal?.aborted) return { say: `/${name} was stopped.` }
    agent.log.error({ command: name, error: String(error) }, 'a command failed')
    const reason = error instanceof Error ? error.message : String(error)
    return { say: `/${name} failed: ${agent.redactor.redact(reason)}` }
  }
}

async function answer(
  entry: InboxEntry,
  { say: text, files = [], ask, menu }: CommandAnswer,
  runner: CommandRunner,
  signal?: AbortSignal,
): Promise<void> {
  const { message, sessionKey } = entry
  const say = menu && (await isShown(menu, entry, runner, signal)) ? undefined : text
  const said = say === undefined || say === '' ? [] : await replies(entry, say, { runner, name: 'reply' })
  const sent = files.map((part, at) => ({
    key: `file:${entry.id}:${at}`,
    chat: chatOf(message.source),
    part,
    answers: message.eventId,
    isNotice: true,
  }))
  const { replyToText: _before, ...rest } = message
  const next = ask && {
    ...rest,
    eventId: `${message.eventId}/ask`,
    text: ask.text,
    attachments: [...(ask.attachments ?? []), ...message.attachments],
    prepared: { isTyped: ask.isTyped, ...(ask.replaces !== undefined && { replaces: ask.replaces }) },
  }
  const made = await runner.inbox.end(
    [entry.id],
    'answered',
    [...said, ...sent],
    next ? [{ message: next, sessionKey }] : [],
  )
  runner.wake(message.source.platform)
  for (const one of made) await runner.dispatch(one)
}

/** Whether a chat shows the choices by buttons. */
async function isShown(
  menu: Menu,
  { message: { source, messageId }, sessionKey }: InboxEntry,
  { chats }: CommandRunner,
  signal: AbortSignal = new AbortController().signal,
): Promise<boolean> {
  const place = { sessionKey, chat: chatOf(source), ...(messageId !== undefined && { replyTo: messageId }) }
  try {
    return await chats.menus.show(menu, place, signal)
  } catch (error) {
    chats.live.current.log.warn({ error: String(error) }, 'choices cannot be shown by buttons')
    return false
  }
}

function replies(
  { id, message }: InboxEntry,
  text: string,
  { runner, name }: { readonly runner: CommandRunner; readonly name: string },
) {
  const { messageId, source, eventId } = message
  const platform = runner.chats.platform(source.platform)
  const said = {
    key: `${name}:${id}`,
    chat: chatOf(source),
    text: asWritten(text, platform?.commandStart),
    limits: platform?.limits,
    answers: eventId,
    isNotice: true,
    ...(messageId !== undefined && { replyTo: messageId }),
  }
  return boundedMessages(said, runner.chats.live.current)
}
