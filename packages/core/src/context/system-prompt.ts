import { platform, release } from 'node:os'
import { wallTime } from '../agent/clock.ts'
import type { Clock } from '../agent/clock.ts'
import type { AgentContext } from '../agent/context.ts'
import type { SessionScope } from '../agent/session-scope.ts'
import type { TurnRequest } from '../agent/turn.ts'
import type { ResolvedModel } from '../models/model.ts'
import type { Session } from '../sessions/store.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import { identity } from './identity.ts'

export interface PromptSources {
  readonly context: AgentContext
  readonly request: Pick<TurnRequest, 'face' | 'minimalPrompt'>
  readonly tools: ReadonlyMap<string, ToolHandle>
  readonly model: ResolvedModel
  readonly scope: SessionScope
}

/**
 * The session's system prompt: built by its first turn, stored with it, and used byte for byte ever after, so that
 * provider caches hold.
 */
export async function systemPromptFor(session: Session, sources: PromptSources): Promise<string> {
  if (session.systemPrompt) return session.systemPrompt
  const prompt = await buildSystemPrompt(sources)
  await sources.context.sessions.setSystemPrompt(session.id, prompt)
  return prompt
}

/** The blocks of the prompt in their fixed order, empty ones left out. */
export async function buildSystemPrompt(sources: PromptSources): Promise<string> {
  const { context, request } = sources
  const memory = request.minimalPrompt ? undefined : await context.memory.snapshot()
  const blocks = [
    context.config.agent.system_prompt || (await identity(context.home)),
    toolGuidance(sources.tools),
    memory?.memory,
    memory?.user,
    surroundings(sources),
    request.face.promptHint,
  ]
  return blocks.flatMap((block) => (block?.trim() ? [block.trim()] : [])).join('\n\n')
}

/** What a model does not know by itself about using our tools. */
const guidance: readonly (readonly [tool: string, text: string])[] = [
  ['terminal', 'Do the work with your tools rather than describe it; check the outcome before you say it is done.'],
  [
    'memory',
    'Save with `memory` what will still matter in later sessions: preferences, facts about the user, lessons.',
  ],
  [
    'session_search',
    'When the user refers to an earlier conversation, look it up with `session_search` before asking.',
  ],
]

function toolGuidance(tools: ReadonlyMap<string, ToolHandle>): string {
  return guidance.flatMap(([tool, text]) => (tools.has(tool) ? [text] : [])).join(' ')
}

function surroundings({ context, model, scope }: PromptSources): string {
  return [
    `Conversation started: ${day(context.clock)}`,
    `Model: ${model.model}`,
    `Working directory: ${scope.cwd()}`,
    `System: ${platform()} ${release()}`,
  ].join('\n')
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** e.g. `Sunday, 2026-11-29`: the day alone, so that sessions of one day begin with the same words. */
function day(clock: Clock): string {
  const { year, month, day: date, weekday } = wallTime(clock)
  return `${weekdays[weekday]}, ${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}
