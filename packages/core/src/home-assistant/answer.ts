import { ServiceError } from '../services/service-error.ts'
import { jsonResult } from '../tools/tool.ts'
import type { ToolContext, ToolResult } from '../tools/tool.ts'
import { openHomeAssistant } from './client.ts'
import type { HomeAssistant } from './client.ts'
import { HomeAssistantRefusal } from './refusal.ts'

/** Asks Home Assistant and answers in upstream's form: `{result}`, or `{error}`. */
export async function answering(
  { agent, signal }: Pick<ToolContext, 'agent' | 'signal'>,
  ask: (home: HomeAssistant, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>,
): Promise<ToolResult> {
  try {
    return jsonResult({ result: await ask(openHomeAssistant(agent.environment), signal) })
  } catch (error) {
    if (error instanceof HomeAssistantRefusal) {
      return jsonResult({ error: error.message }, error.code === 'denied' ? 'denied' : 'error')
    }
    if (error instanceof ServiceError) return jsonResult({ error: error.message }, 'error')
    throw error
  }
}
