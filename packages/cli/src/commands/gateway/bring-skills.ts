import type { AgentContext } from '@hermes/core/agent/context.ts'

/**
 * Brings the bundled skills into the home in the background, as a chat in the terminal does at its start. Disposing of it
 * ends that; the next start goes on.
 */
export function bringSkills(agent: AgentContext): AsyncDisposable {
  const ending = new AbortController()
  const bringing = import('../../prepare-skills.ts').then(({ syncSkills }) => syncSkills(agent, ending.signal))
  // What cannot be copied is in the log; the gateway runs without it.
  bringing.catch((error: unknown) => agent.log.warn({ error: String(error) }, 'bundled skills could not be copied'))
  return {
    async [Symbol.asyncDispose]() {
      ending.abort(new DOMException('The gateway stops.', 'AbortError'))
      await bringing.catch(() => {})
    },
  }
}
