import type { AgentContext } from '../agent/context.ts'
import type { ToolSession } from './tool-source.ts'

/**
 * Whether a session can use a tool, where settings alone do not tell: `true`, or what is missing and how to get it.
 * Asked at the beginning of every turn that may use the tool, so it is quick and its module imports little.
 */
export type Availability = (
  context: AgentContext,
  session: ToolSession | undefined,
) => true | string | Promise<true | string>

/** Those checks, by the name of the tool. A tool that is not listed is there whenever its settings are on. */
export const availability: Readonly<Record<string, () => Promise<Availability>>> = {
  vision_analyze: async () => (await import('./media-availability.ts')).visionAnalyze,
}
