import type { AgentContext } from './context.ts'

/**
 * An agent for what is given one for good while its settings may change: each field is read anew at each look, but for
 * those of its own. A copy (`{ ...view }`) is the agent as it is now, for one piece of work.
 */
export function agentView(current: () => AgentContext, own: Partial<AgentContext> = {}): AgentContext {
  const view = {}
  for (const name of new Set([...Object.keys(current()), ...Object.keys(own)])) {
    const get = (): unknown => Reflect.get(Object.hasOwn(own, name) ? own : current(), name)
    Object.defineProperty(view, name, { enumerable: true, get })
  }
  // It has every field that the agent has.
  return view as AgentContext
}
