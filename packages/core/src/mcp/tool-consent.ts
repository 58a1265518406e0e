import type { ToolAnnotations } from '@modelcontextprotocol/client'
import { askConsent, type Consent } from '../security/consent/consent.ts'
import type { ToolContext } from '../tools/tool.ts'

/** Names of tools that take something away for good, where the server does not say what its tool does. */
const takesAway =
  /(?:^|[_\-.\s])(?:delete|remove|drop|destroy|purge|wipe|erase|truncate|uninstall|revoke|terminate)(?:$|[_\-.\s])/i

/** A tool, as far as consent goes. */
export interface JudgedTool {
  readonly server: string
  readonly tool: string
  readonly annotations?: ToolAnnotations | undefined
}

/** Whether a person is asked before a tool runs: it says that it destroys, or is called so and says nothing. */
export function isDestructive({ tool, annotations }: Omit<JudgedTool, 'server'>): boolean {
  if (annotations?.readOnlyHint === true) return false
  if (annotations?.destructiveHint !== undefined) return annotations.destructiveHint
  return takesAway.test(tool.replaceAll(/([a-z])([A-Z])/g, '$1_$2'))
}

/** Asks for consent where it is needed; a yes may hold for this tool of this server for good. */
export function toolConsent(judged: JudgedTool, args: unknown, context: ToolContext): Promise<Consent> {
  const { server, tool } = judged
  const dangers = isDestructive(judged) ? [{ key: `mcp ${server}:${tool}`, permanent: true }] : []
  return askConsent({ kind: 'tool', subject: `${server}: ${tool} ${JSON.stringify(args)}`, dangers }, context)
}
