import { z } from 'zod'
import { MemoryError } from '../memory/memory-error.ts'
import type { MemoryChange, MemoryFiles, MemoryTarget } from '../memory/memory-files.ts'
import { usageText } from '../memory/memory-format.ts'
import type { Redactor } from '../security/redact.ts'
import { mayWriteMemory } from './memory-consent.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext, ToolResult } from './tool.ts'

const input = z.object({
  action: z.enum(['add', 'replace', 'remove']),
  target: z.enum(['memory', 'user']).describe('memory: your notes; user: who the user is'),
  content: z.string().optional().describe('Text of the entry, for add and replace'),
  old_text: z.string().optional().describe('Short unique part of the entry to replace or remove'),
})

type Input = z.infer<typeof input>

export const memory = defineTool({
  name: 'memory',
  toolset: 'memory',
  description:
    'Keep facts across sessions: short entries that are part of every later system prompt. Save preferences and corrections of the user (target user), facts about the environment, conventions and lessons (target memory), unasked, as soon as you learn them. Not for task progress or what is easily found again. Space is small: merge and remove entries when it is full.',
  input,
  concurrency: 'exclusive',
  enabledBy: ['memory.memory_enabled', 'memory.user_profile_enabled'],
  preview,
  async run(args, context) {
    const { agent, signal } = context
    try {
      refuseSecrets(args.content ?? '', agent.redactor)
      if (!(await mayWriteMemory(preview(args), context))) return notAllowed(args.target)
      const change = await apply(args, agent.memory, signal)
      if (change.changed) await mirror(args, context)
      return jsonResult({
        success: true,
        target: args.target,
        entries: change.entries,
        usage: usageText(change.usedChars, change.limitChars),
        entry_count: change.entries.length,
        message: message(args, change),
      })
    } catch (error) {
      if (error instanceof MemoryError) return refusal(error, args.target)
      throw error
    }
  },
})

function preview({ action, target, content, old_text: old }: Input): string {
  return `${action} ${target}: ${action === 'replace' && old ? `${old} → ` : ''}${content ?? old ?? ''}`
}

/** The long-term memory, where there is one, hears of what is new. */
async function mirror({ action, target, content }: Input, { agent, session }: ToolContext): Promise<void> {
  if (action === 'remove' || content === undefined) return
  const memory = await agent.longTermMemory?.session(session)
  memory?.keepNote({ action, target, content: content.trim() })
}

function notAllowed(target: MemoryTarget): ToolResult {
  const error =
    'The user did not allow this to be written to memory; nothing was changed. Do not ask again for the same.'
  return jsonResult({ success: false, target, error }, 'denied')
}

/** Memory goes to the model with every session, so no key may get in. */
function refuseSecrets(content: string, redactor: Redactor): void {
  if (redactor.redact(content) === content) return
  throw new MemoryError(
    'unsafe',
    'That looks like a password or key, and memory is sent to the model in every session. Save where it is kept, not what it is.',
  )
}

async function apply(args: Input, files: MemoryFiles, signal: AbortSignal): Promise<MemoryChange> {
  const { action, target, content, old_text } = args
  if (action === 'add') return files.add(target, needed(content, 'content', action), signal)
  const oldText = needed(old_text, 'old_text', action)
  if (action === 'remove') return files.remove(target, oldText, signal)
  return files.replace(target, oldText, needed(content, 'content', action), signal)
}

function needed(value: string | undefined, name: string, action: string): string {
  if (value !== undefined && value.trim() !== '') return value
  throw new MemoryError('invalid', `${name} is needed for action ${action}.`)
}

function message({ action }: Input, { changed }: MemoryChange): string {
  if (!changed) return 'That entry is there already; nothing was changed.'
  return { add: 'Entry added.', replace: 'Entry replaced.', remove: 'Entry removed.' }[action]
}

function refusal(error: MemoryError, target: MemoryTarget): ToolResult {
  const { state, matches } = error
  return jsonResult(
    {
      success: false,
      target,
      error: error.message,
      ...(matches.length > 0 && { matches }),
      ...(state && { current_entries: state.entries, usage: usageText(state.usedChars, state.limitChars) }),
    },
    error.code === 'unsafe' ? 'denied' : 'error',
  )
}
