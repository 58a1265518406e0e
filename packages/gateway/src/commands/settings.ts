import { isReasoningEffort, reasoningEfforts } from '@hermes/core/models/reasoning-effort.ts'
import { chatDisplay } from '../display/chat-display.ts'
import type { ChatCommand, CommandCall } from './command.ts'
import { currentSession } from './current-session.ts'
import { choicesOf } from './menu.ts'

const modes = ['off', 'new', 'all', 'verbose'] as const

export const verbose: ChatCommand = {
  name: 'verbose',
  args: '[off|new|all|verbose]',
  summary: 'How much of the tool calls is shown on this platform',
  async run({ args, agent, chats, message }) {
    if (!agent.config.display.tool_progress_command) {
      return '/verbose is not allowed in chats. Allow it where I run: hermes config set display.tool_progress_command true'
    }
    const { platform } = message.source
    const now = modes.indexOf(chatDisplay(agent.config, platform).toolProgress)
    const named = modes.find((mode) => mode === args.toLowerCase())
    if (args !== '' && !named) return `There is no mode "${args}". There are: ${modes.join(', ')}`
    const value = named ?? modes[(now + 1) % modes.length]
    const problem = await chats.live.change([{ path: ['display', 'platforms', platform, 'tool_progress'], value }])
    return problem ?? `Tool calls on ${platform}: ${value}`
  },
}

export const yolo: ChatCommand = {
  name: 'yolo',
  args: '[on|off]',
  summary: 'Allow everything in this conversation without asking, or ask again',
  async run(call) {
    const { agent, chats, sessionKey, message } = call
    const wanted = call.args.toLowerCase()
    if (!['', 'on', 'off'].includes(wanted)) return `/yolo ${yolo.args}. Nothing was changed.`
    const session = await currentSession(call)
    const id = session?.id ?? (await chats.sessions.forMessage(sessionKey, message.source)).sessionId
    const scope = agent.scopes.get(id)
    scope.yolo = wanted === '' ? !scope.yolo : wanted === 'on'
    return scope.yolo
      ? '⚠️ Dangerous commands now run here without asking. /yolo asks again.'
      : '✅ Dangerous commands are asked about again.'
  },
}

export const reasoning: ChatCommand = {
  name: 'reasoning',
  args: `[${reasoningEfforts.join('|')}|show|hide]`,
  summary: 'How much the model thinks, and whether it is shown',
  async run(call) {
    const { agent, chats, message } = call
    const wanted = call.args.toLowerCase()
    const { platform } = message.source
    if (wanted === '') {
      const { reasoning_effort: effort } = agent.config.agent
      const shown = chatDisplay(agent.config, platform).showReasoning
      const now = `Reasoning: ${effort || 'as the model does'}, ${shown ? 'shown' : 'not shown'}.`
      const words = [...reasoningEfforts, shown ? 'hide' : 'show']
      const choices = words.map((word) => ({ label: word, args: word }))
      const menu = choicesOf(now, choices, reasoning, call)
      return { say: `${now} Change it: /reasoning ${reasoning.args}`, menu }
    }
    if (wanted === 'show' || wanted === 'hide') {
      const path = ['display', 'platforms', platform, 'show_reasoning']
      const problem = await chats.live.change([{ path, value: wanted === 'show' }])
      return problem ?? `Reasoning is ${wanted === 'show' ? 'shown' : 'not shown'} on ${platform}.`
    }
    if (!isReasoningEffort(wanted)) {
      return `There is no effort "${call.args}". There are: ${reasoningEfforts.join(', ')}`
    }
    const problem = await chats.live.change([{ path: ['agent', 'reasoning_effort'], value: wanted }])
    return problem ?? `Reasoning: ${wanted}`
  },
}

export const fast: ChatCommand = {
  name: 'fast',
  args: '[fast|normal|status]',
  summary: 'Ask the provider for its priority tier, where it has one',
  async run({ args, agent, chats }: CommandCall) {
    const isFast = ['fast', 'priority'].includes(agent.config.agent.service_tier)
    const wanted = args.toLowerCase()
    if (wanted === 'status') return `Tier: ${isFast ? 'fast' : 'normal'}`
    if (!['', 'fast', 'normal', 'on', 'off'].includes(wanted)) return `/fast ${fast.args}`
    const value = (wanted === '' ? !isFast : ['fast', 'on'].includes(wanted)) ? 'fast' : 'normal'
    const problem = await chats.live.change([{ path: ['agent', 'service_tier'], value }])
    return problem ?? `Tier: ${value}${value === 'fast' ? ' (where the model has one; it costs more)' : ''}`
  },
}
