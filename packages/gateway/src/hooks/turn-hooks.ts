import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import type { Hooks } from './hooks.ts'

/** Longest message, answer and result of a tool that hooks are told, characters. */
const toldChars = 500

export interface TurnHooks {
  note(event: NumberedEvent): void
  end(response: string): void
}

/** Tells hooks of one turn: its start, its steps with their tools, its end. */
export function tellTurn(
  hooks: Hooks,
  { message, sessionId }: { readonly message: InboundMessage; readonly sessionId: string },
): TurnHooks {
  const { platform, userId } = message.source
  const facts = { platform, user_id: userId ?? '', session_id: sessionId }
  let iteration = 0
  let tools: { name: string; result: string }[] = []
  const step = () => {
    if (tools.length === 0) return
    hooks.emit('agent:step', { ...facts, iteration, tool_names: tools.map(({ name }) => name), tools })
    tools = []
  }
  hooks.emit('agent:start', { ...facts, message: short(message.text) })
  return {
    note(event) {
      if (event.type === 'tool-end') tools.push({ name: event.name, result: short(event.content) })
      if (event.type === 'answer-end' || event.type === 'turn-end') {
        step()
        iteration++
      }
    },
    end: (response) => hooks.emit('agent:end', { ...facts, message: short(message.text), response: short(response) }),
  }
}

function short(text: string): string {
  return text.slice(0, toldChars).toWellFormed()
}
