import { platform, release } from 'node:os'
import type { AgentContext } from '../agent/context.ts'
import type { SessionScope } from '../agent/session-scope.ts'
import type { TurnRequest } from '../agent/turn.ts'
import type { ResolvedModel } from '../models/model.ts'
import type { Session } from '../sessions/store.ts'
import type { Tool } from '../tools/tool.ts'
import { identity } from './identity.ts'

export interface PromptSources {
  readonly context: AgentContext
  readonly request: Pick<TurnRequest, 'face' | 'minimalPrompt'>
  readonly tools: ReadonlyMap<string, Tool>
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

function toolGuidance(tools: ReadonlyMap<string, Tool>): string {
  return guidance.flatMap(([tool, text]) => (tools.has(tool) ? [text] : [])).join(' ')
}

function surroundings({ context, model, scope }: PromptSources): string {
  const day = new Intl.DateTimeFormat('en-GB', {
    timeZone: context.clock.timeZone,
    dateStyle: 'full',
  }).format(context.clock.now())
  return [
    `Conversation started: ${day} (${context.clock.timeZone})`,
    `Model: ${model.model}`,
    `Working directory: ${scope.cwd()}`,
    `System: ${platform()} ${release()}`,
  ].join('\n')
}
