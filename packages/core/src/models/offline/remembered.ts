import { z } from 'zod'
import type { TranscriptMessage } from '../transcript.ts'

const memoryResult = z.object({ target: z.enum(['memory', 'user']), entries: z.array(z.string()) })

/** How the blocks of the system prompt begin that hold what is remembered. */
const blocks = { memory: 'MEMORY (', user: 'USER PROFILE (' } as const

type Target = keyof typeof blocks

/**
 * Everything remembered, as far as the conversation shows it: the system prompt has the memory as it was when the
 * session began, and each change's result what it has been since.
 */
export function rememberedEntries(messages: readonly TranscriptMessage[]): readonly string[] {
  const system = messages[0]?.role === 'system' ? messages[0].content : ''
  const targets: readonly Target[] = ['user', 'memory']
  return targets.flatMap((target) => latestResult(messages, target) ?? promptEntries(system, blocks[target]))
}

function latestResult(messages: readonly TranscriptMessage[], target: Target): readonly string[] | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== 'tool' || message.toolName !== 'memory') continue
    const parsed = memoryResult.safeParse(json(message.content))
    if (parsed.success && parsed.data.target === target) return parsed.data.entries
  }
  return undefined
}

function promptEntries(system: string, heading: string): readonly string[] {
  const lines = system.split('\n')
  const start = lines.findIndex(
    (line, at) => line.startsWith(heading) && isRule(lines[at - 1]) && isRule(lines[at + 1]),
  )
  if (start < 0) return []
  const rest = lines.slice(start + 2)
  const end = rest.findIndex(
    (line, at) => isRule(line) || (line === '' && rest[at + 1]?.startsWith('Conversation started')),
  )
  return (end < 0 ? rest : rest.slice(0, end))
    .join('\n')
    .split(/\n§\n/u)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

function isRule(line: string | undefined): boolean {
  return line !== undefined && /^═+$/u.test(line)
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
