import { nobody } from '@hermes/core/agent/decision.ts'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { SessionRef } from '@hermes/core/agent/turn.ts'
import type { Chat } from './slash-command.ts'

/** A chat of which commands see what they change; what it prints is kept. */
export function slashTestChat(agent: AgentContext, session: SessionRef = { id: 's', source: 'cli' }) {
  const shown: string[] = []
  let current = session
  const settings: Chat['settings'] = { model: undefined, toolsets: undefined, instructions: undefined, yolo: false }
  const chat = {
    agent,
    settings,
    signal: new AbortController().signal,
    usage: {},
    view: { print: (text: string, tone = 'plain') => shown.push(tone === 'plain' ? text : `${tone}: ${text}`) },
    get session() {
      return current
    },
    get nextTurn() {
      return { ...settings, session: current, face: { name: 'cli', decide: nobody } }
    },
    goOnAs: (next: SessionRef) => void (current = next),
  }
  return {
    // Commands that need more of it fail.
    chat: chat as unknown as Chat,
    shown,
    settings,
    session: () => current,
  }
}
