import type { Logger } from '../../../log/logger.ts'
import type { AgentModel, RetainDb, RetainDbMemory } from './service.ts'

/** Memories of each kind that are recalled, and characters of each. */
const maxMemories = 5
const maxChars = 320

export interface RecalledContext {
  /** Profile and what bears on the query, without repetitions; empty when there is nothing. */
  readonly text: string
  readonly memories: readonly RetainDbMemory[]
}

/** What is known of the person, and of the query. Throws `MemoryProviderError`. */
export async function contextFor(
  service: RetainDb,
  sessionId: string,
  query: string,
  signal: AbortSignal,
): Promise<RecalledContext> {
  const [profile, memories] = await Promise.all([service.profile(signal), service.context(sessionId, query, signal)])
  const seen = new Set<string>()
  const known = fresh(profile, seen)
  const relevant = fresh(memories, seen)
  const text = [...section('Profile:', known), ...section('Relevant memories:', relevant)].join('\n')
  return { text: text === '' ? '' : `[RetainDB Context]\n${text}`, memories }
}

/** All that bears on a message. What RetainDB's model and the agent's own memories add may be missing. */
export async function recallAll(
  service: RetainDb,
  { sessionId, log }: { readonly sessionId: string; readonly log: Logger },
  query: string,
  signal: AbortSignal,
): Promise<string> {
  const extra = async (what: string, part: Promise<string>) => {
    try {
      return await part
    } catch (error) {
      signal.throwIfAborted()
      log.debug({ what, error: String(error) }, 'RetainDB added nothing')
      return ''
    }
  }
  const [context, synthesis, self] = await Promise.all([
    contextFor(service, sessionId, query, signal),
    extra('synthesis', service.ask(query, levelFor(query), signal)),
    extra('agent model', service.agentModel(signal).then(selfText)),
  ])
  const parts = [context.text, synthesis && `[RetainDB User Synthesis]\n${synthesis}`, self]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** How hard RetainDB thinks about a message. */
function levelFor(query: string): 'low' | 'medium' | 'high' {
  return query.length < 120 ? 'low' : query.length < 400 ? 'medium' : 'high'
}

function selfText(model: AgentModel | undefined): string {
  if (!model) return ''
  const { persona, persistent_instructions: instructions, working_style: style } = model
  const lines = [
    ...(persona ? [`Persona: ${persona}`] : []),
    ...(instructions?.length ? ['Instructions:', ...instructions.map((each) => `- ${each}`)] : []),
    ...(style ? [`Working style: ${style}`] : []),
  ]
  return lines.length === 0 ? '' : `[RetainDB Agent Self-Model]\n${lines.join('\n')}`
}

/** The first memories that say something new, each on one line. */
function fresh(memories: readonly RetainDbMemory[], seen: Set<string>): readonly string[] {
  return memories.slice(0, maxMemories).flatMap(({ content }) => {
    const line = content.replaceAll(/\s+/g, ' ').trim().slice(0, maxChars).toWellFormed()
    const key = line.toLowerCase().replaceAll(/[^\p{L}\p{N} ]/gu, '')
    if (line === '' || seen.has(key)) return []
    seen.add(key)
    return [line]
  })
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)]
}
