import { runInGroup } from '@hermes/core/terminals/run-in-group.ts'
import { nearest } from '@hermes/core/text/nearest.ts'
import type { CommandAnswer, CommandCall } from './command.ts'
import { allCommands } from './registry.ts'
import { findCommand } from './registry.ts'
import { readCommand } from './command.ts'

/** Longest that a command of one's own may take, ms, and what is taken of its output, characters. */
const [execMs, execChars] = [30_000, 256 * 1024]

/** Aliases that lead to each other end here. */
const maxAliases = 5

/** What is no command of the gateway's: the person's own quick commands, skills, and what nobody knows. */
export async function runOther(call: CommandCall, depth = 0): Promise<string | CommandAnswer> {
  const quick = quickCommand(call)
  if (quick?.type === 'exec' && typeof quick['command'] === 'string') return execute(quick['command'], call)
  if (quick?.type === 'alias' && typeof quick['target'] === 'string') {
    return depth >= maxAliases ? `/${call.name} leads to itself.` : follow(quick['target'], call, depth)
  }
  return (await runSkill(call.name, call)) ?? unknown(call)
}

function quickCommand({ name, agent }: CommandCall) {
  const found = Object.entries(agent.config.quick_commands).find(
    ([key]) => key.toLowerCase().replaceAll('_', '-') === name,
  )
  return found?.[1]
}

async function follow(target: string, call: CommandCall, depth: number): Promise<string | CommandAnswer> {
  const read = readCommand(target.startsWith('/') ? target : `/${target}`)
  if (!read) return `/${call.name} stands for "${target}", which is no command.`
  const next = { ...call, name: read.name, args: [read.args, call.args].filter(Boolean).join(' ') }
  const command = await findCommand(next.name)
  return command ? command.run(next) : runOther(next, depth + 1)
}

function execute(command: string, { name, agent }: CommandCall): CommandAnswer {
  const { home, environment, redactor } = agent
  return {
    work: {
      lane: `quick:${name}`,
      async run(signal) {
        const limits = { timeoutMs: execMs, maxChars: execChars }
        const shell = { program: '/bin/sh', args: ['-c', command], cwd: home.dir, env: environment }
        const { end, code, stdout, stderr, failure } = await runInGroup({ ...shell, ...limits }, signal)
        if (end === 'late') return `/${name} took longer than ${execMs / 1000} s and was ended.`
        if (end === 'too-much') return `/${name} printed more than ${execChars} characters and was ended.`
        if (failure) throw failure
        if (code !== 0) return redactor.redact(`/${name} failed (${code}). ${stderr.trim()}`.trim())
        return redactor.redact(stdout.trim() || stderr.trim()) || 'Done; it printed nothing.'
      },
    },
  }
}

/** The message that `/<skill>` stands for; undefined where there is no such skill. */
export async function runSkill(
  name: string,
  { args, agent, message }: CommandCall,
): Promise<CommandAnswer | undefined> {
  const { skillCommands } = await import('@hermes/core/skills/skill-commands.ts')
  const scope = { ...agent, platform: message.source.platform }
  const commands = await skillCommands(scope)
  const found = commands.find((one) => one.command === name) ?? commands.find((one) => one.skill === name)
  if (!found) return undefined
  const { skillMessage } = await import('@hermes/core/skills/skill-message.ts')
  const { text, warnings } = await skillMessage(scope, found.skill, args)
  return { ask: { text, isTyped: false }, ...(warnings.length > 0 && { say: warnings.join('\n') }) }
}

async function unknown({ name, chats, message }: CommandCall): Promise<string> {
  // What the button says by which a chat with a bot begins on Telegram.
  if (name === 'start') return 'I am here. Write to me as you would to a person; /help lists what else can be done.'
  const near = nearest(
    name,
    (await allCommands()).map((command) => command.name),
  )
  const meant = near === undefined ? '' : ` Did you mean /${near}?`
  // One sign that stands for the slash is what was written; Slack's `/hermes` is not.
  const start = chats.platform(message.source.platform)?.commandStart ?? '/'
  const [mark, word] = start.length === 1 && start !== '/' ? [start, `"${start}"`] : ['/', 'slash']
  return `There is no command ${mark}${name}.${meant} /commands lists them; leave the ${word} out to say it to the agent.`
}
