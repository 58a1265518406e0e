import type { Redactor } from '../security/redact.ts'
import { cleanError, cleanText } from './clean-error.ts'
import { McpError } from './mcp-error.ts'

/** What a failure of the protocol's library comes to, in our words. `tail`: what the server wrote to stderr last. */
export function mcpFailure(error: unknown, server: string, redactor: Redactor, tail = ''): McpError {
  if (error instanceof McpError) return error
  const status = statusOf(error)
  if (status === 401 || (error instanceof Error && error.name === 'UnauthorizedError')) {
    const message = `The MCP server ${server} wants a key or a sign-in (401). Where it signs people in: hermes config set mcp_servers.${server}.auth oauth, then hermes mcp test ${server}; else check its headers in config.yaml.`
    return new McpError('sign-in-needed', message, { cause: error })
  }
  const said = cleanError(error, redactor)
  const wrote = tail === '' ? '' : `\nIt wrote to stderr:\n${cleanText(tail, redactor)}`
  if (isGone(error)) {
    return new McpError('unreachable', `The MCP server ${server} cannot be reached: ${said}${wrote}`, { cause: error })
  }
  return new McpError('refused', `The MCP server ${server} says: ${said}${wrote}`, { cause: error })
}

const goneCodes: ReadonlySet<unknown> = new Set([
  'CONNECTION_CLOSED',
  'NOT_CONNECTED',
  'SEND_FAILED',
  'EPIPE',
  'ECONNREFUSED',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
])

/** Whether the connection is no more, as opposed to a server that answers with an error. */
export function isGone(error: unknown): boolean {
  if (error instanceof McpError) return error.code === 'unreachable'
  if (!(error instanceof Error)) return false
  if (statusOf(error) === 404) return true
  // What `fetch` says when there was no answer.
  if (error instanceof TypeError) return true
  return 'code' in error && goneCodes.has(error.code)
}

export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' ? status : undefined
}
