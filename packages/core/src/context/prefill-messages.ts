import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { AgentContext } from '../agent/context.ts'
import type { AssistantMessage, UserMessage } from '../models/transcript.ts'
import type { PromptNotice } from './blocks/block.ts'

export interface Prefill {
  readonly messages: readonly (UserMessage | AssistantMessage)[]
  /** Why the file is not used. */
  readonly notice?: PromptNotice
}

const maxFileBytes = 1024 * 1024

/** The messages of `agent.prefill_messages_file`, which go before every conversation and are never stored. */
export async function prefillMessages({
  config,
  home,
  environment,
}: Pick<AgentContext, 'config' | 'home' | 'environment'>): Promise<Prefill> {
  const wanted = (config.agent.prefill_messages_file || config.prefill_messages_file).trim()
  if (wanted === '') return { messages: [] }
  const expanded = wanted.replace(/^~(?=\/|$)/, environment['HOME'] ?? '~')
  const path = isAbsolute(expanded) ? expanded : join(home.dir, expanded)
  try {
    if ((await stat(path)).size > maxFileBytes) return unused(path, `it is larger than ${maxFileBytes} bytes`)
    return await parsed(path, JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (error instanceof SyntaxError) return unused(path, `it is no JSON (${error.message})`)
    if (error instanceof Error && 'code' in error) return unused(path, `it cannot be read (${String(error.code)})`)
    throw error
  }
}

async function parsed(path: string, content: unknown): Promise<Prefill> {
  const { parsePrefill } = await import('./prefill-schema.ts')
  const messages = parsePrefill(content)
  if (!messages) {
    return unused(path, `it must be a list of {"role": "user" or "assistant", "content": text}`)
  }
  return {
    messages: messages.map(({ role, content: text }) =>
      role === 'user' ? { role, content: text } : { role, content: text, toolCalls: [] },
    ),
  }
}

function unused(path: string, why: string): Prefill {
  const message = `The prefill messages in ${path} are not used: ${why}.`
  return { messages: [], notice: { level: 'info', code: 'prefill', message } }
}
