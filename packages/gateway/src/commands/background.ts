import { randomBytes } from 'node:crypto'
import { wallTime } from '@hermes/core/agent/clock.ts'
import type { Clock } from '@hermes/core/agent/clock.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import { oneLine } from '@hermes/core/text/one-line.ts'
import { asideLane, sideLane } from './command.ts'
import type { ChatCommand, CommandAnswer, CommandCall } from './command.ts'
import { currentSession } from './current-session.ts'

export const background: ChatCommand = {
  name: 'background',
  aliases: ['bg'],
  args: '<task>',
  summary: 'Do something beside this conversation; the result comes here',
  async run(call) {
    if (call.args === '') return 'Say what is to be done: /background TASK'
    const { lanes } = call.chats
    const running = lanes.busyKeys().filter((key) => key.startsWith(sideLane(call.sessionKey, 'bg_'))).length
    if (running >= call.agent.config.gateway.max_background_tasks) {
      const count = running === 1 ? 'One task runs' : `${running} tasks run`
      return `${count} beside this conversation already, and more may not (gateway.max_background_tasks). Ask again when one has ended; /stop ends them where nothing else runs.`
    }
    const id = backgroundId(call.agent.clock)
    return {
      say: `🔄 Begun beside this conversation: "${oneLine(call.args)}"`,
      work: { lane: id, run: (signal) => runBeside(id, call, signal) },
    }
  },
}

async function runBeside(id: string, call: CommandCall, signal: AbortSignal): Promise<Omit<CommandAnswer, 'work'>> {
  const { args, message, sessionKey, agent, chats } = call
  const { source } = message
  const model = await chats.settings.model(sessionKey)
  const { shownImages } = await import('../turn/shown-images.ts')
  const { createTurnRecord } = await import('../turn/turn-record.ts')
  const { deliverFiles } = await import('../turn/deliver-files.ts')
  const images = await shownImages(
    { images: message.attachments.filter(({ kind }) => kind === 'image'), text: args, model },
    agent,
    signal,
  )
  const promptHint = chats.platform(source.platform)?.promptHint
  const request: TurnRequest = {
    session: { id, source: source.platform, ...(source.userId !== undefined && { userId: source.userId }) },
    message: {
      text: await withFiles(call, signal),
      typedLength: args.length,
      ...(images.length > 0 && { images }),
    },
    face: {
      name: source.platform,
      ...(promptHint !== undefined && { promptHint }),
      decide: chats.decideIn(message, sessionKey, signal),
    },
    ...(model !== undefined && { model }),
  }
  let answer = ''
  const record = createTurnRecord(agent.home)
  for await (const event of runTurn(request, agent, signal)) {
    record.note(event)
    if (event.type === 'turn-end') answer = event.text.trim() || (event.failure?.message ?? '')
  }
  signal.throwIfAborted()
  const told = { text: answer, toolTags: record.toolTags, cwd: agent.scopes.get(id).cwd() }
  const { text, files } = await deliverFiles(told, agent, signal)
  const header = `✅ Done beside this conversation: "${oneLine(args)}"`
  const said = text || (files.length > 0 ? '' : '(It said nothing.)')
  return { say: agent.redactor.redact(`${header}\n\n${said}`.trim()), files }
}

/** What a person says with a command, and what its files say. */
async function withFiles({ args, message, agent }: CommandCall, signal: AbortSignal): Promise<string> {
  if (message.attachments.length === 0) return args
  const { inboundContent } = await import('../turn/inbound-content.ts')
  return [args, ...(await inboundContent(message, agent, signal))].join('\n\n')
}

/** `bg_<HHMMSS>_<6 hex>`. */
function backgroundId(clock: Clock): string {
  const { hour, minute, second } = wallTime(clock)
  const two = (number: number) => String(number).padStart(2, '0')
  return `bg_${two(hour)}${two(minute)}${two(second)}_${randomBytes(3).toString('hex')}`
}

export const aside: ChatCommand = {
  name: 'btw',
  args: '<question>',
  summary: 'Ask something about this conversation without a trace in it, while I work on',
  async run(call) {
    const { args, agent, chats, sessionKey } = call
    if (args === '') return 'Ask something: /btw QUESTION'
    return {
      work: {
        lane: asideLane,
        async run(signal) {
          const { askAside } = await import('@hermes/core/agent/ask-aside.ts')
          const session = await currentSession(call)
          const model = await chats.settings.model(sessionKey)
          const question = await withFiles(call, signal)
          const asked = { sessionId: session?.id ?? '', question, ...(model !== undefined && { model }) }
          const answer = await askAside(asked, agent, signal)
          return agent.redactor.redact(`💬 ${answer || '(It said nothing.)'}`)
        },
      },
    }
  },
}
