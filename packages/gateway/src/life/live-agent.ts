import type { AgentContext } from '@hermes/core/agent/context.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { ConfigEdit } from '@hermes/core/config/edit.ts'
import { loadConfig } from '@hermes/core/config/load.ts'
import { createToolSource } from '@hermes/core/tools/tool-source.ts'

/** What of an agent is made of its settings and can be made anew while it runs. */
export type RenewedSettings = Pick<AgentContext, 'config' | 'environment' | 'models' | 'redactor'>

/** The profile's agent with its settings as they are now. */
export interface LiveAgent {
  readonly current: AgentContext
  /** Changes `config.yaml`; holds from the next turn on. Resolves to why it was not kept, undefined where it was. */
  change(edits: readonly ConfigEdit[]): Promise<string | undefined>
  /** Takes up settings that were changed elsewhere, from the next turn on. */
  renew(settings: RenewedSettings): void
}

/** An agent that can tell what other settings of its profile come to. */
export type RenewableAgent = AgentContext & {
  renewed?(settings: Pick<AgentContext, 'config' | 'environment'>): Pick<AgentContext, 'models'>
}

export function createLiveAgent(agent: RenewableAgent): LiveAgent {
  const { home } = agent
  const tools = createToolSource(() => current)
  let current: AgentContext = { ...agent, tools }
  return {
    get current() {
      return current
    },
    async change(edits) {
      const { editConfig } = await import('@hermes/core/config/edit.ts')
      const { environment } = current
      try {
        await editConfig({ home, environment }, () => edits)
        const { config } = await loadConfig({ home, environment })
        const models = agent.renewed?.({ config, environment }).models ?? current.models
        current = { ...current, config, models }
        return undefined
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        return error.message
      }
    },
    renew(settings) {
      current = { ...current, ...settings }
    },
  }
}
