import { createToolSource } from '../tools/tool-source.ts'
import type { AgentContext } from './context.ts'
import type { Messenger } from './messenger.ts'

/** The agent with a way to write to chats, which its tools see. `open` is given the agent as it then is. */
export function withMessenger<Agent extends AgentContext>(
  agent: Agent,
  open: (agent: () => AgentContext) => Messenger,
): Agent {
  const own: Agent = { ...agent, messenger: open(() => own), tools: createToolSource(() => own) }
  return own
}
