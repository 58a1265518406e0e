import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredMessage } from '@hermes/core/sessions/store.ts'
import type { SlashCommand } from './slash-command.ts'

export const save: SlashCommand = {
  name: 'save',
  summary: 'Write the conversation to a JSON file in this folder',
  category: 'Session',
  duringTurn: false,
  async run(_args, { agent, session, cwd, view }) {
    const stored = await agent.sessions.get(session.id)
    const messages = await agent.sessions.messages(session.id)
    if (!stored || messages.length === 0) {
      view.print('There is nothing to save yet.', 'warning')
      return
    }
    const path = join(cwd, `hermes_conversation_${fileTime(new Date(agent.clock.now()))}.json`)
    const saved = {
      model: stored.model,
      session_start: new Date(stored.startedAt).toISOString(),
      messages: messages.map(wireMessage),
    }
    await writeFile(path, `${JSON.stringify(saved, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    view.print(`Saved to ${path}`)
  },
}

/** A message as the OpenAI wire writes it. */
function wireMessage({ message }: StoredMessage): Readonly<Record<string, unknown>> {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  if (message.role !== 'assistant' || message.toolCalls.length === 0) {
    return { role: message.role, content: message.content }
  }
  const calls = message.toolCalls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }))
  return { role: 'assistant', content: message.content, tool_calls: calls }
}

function fileTime(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`
  return `${day}_${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`
}
