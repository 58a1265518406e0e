import type { Client, Progress, RequestOptions } from '@modelcontextprotocol/client'
import type { ToolContext } from '../tools/tool.ts'
import type { Connection } from './connection.ts'
import { createDeadline } from './deadline.ts'
import { McpError } from './mcp-error.ts'

/** Progress is shown no more often than this, ms. */
const progressEveryMs = 250
const maxProgressChars = 200

/**
 * Asks a server something in the name of a tool's call: bounded by the server's timeout (which does not run while the
 * server has the person asked), ended with the turn, its progress shown. Throws `McpError`, or the turn's reason.
 */
export async function serverCall<Value>(
  connection: Connection,
  context: ToolContext,
  work: (client: Client, options: RequestOptions) => Promise<Value>,
): Promise<Value> {
  const { server, settings, calls } = connection
  using deadline = createDeadline(settings.timeout * 1000)
  const signal = AbortSignal.any([context.signal, deadline.signal])
  const options: RequestOptions = { signal, timeout: 2 ** 31 - 1, onprogress: shownProgress(context) }
  try {
    return await calls.during({ context, deadline }, () => connection.use((client) => work(client, options), signal))
  } catch (error) {
    context.signal.throwIfAborted()
    if (!deadline.signal.aborted) throw error
    const message = `The MCP server ${server} did not answer within ${settings.timeout} s; it may still do what it was asked. More time: mcp_servers.${server}.timeout in config.yaml.`
    throw new McpError('timeout', message, { cause: error })
  }
}

function shownProgress(context: ToolContext): (progress: Progress) => void {
  let shownAt = -Infinity
  return ({ progress, total, message }) => {
    const now = performance.now()
    if (now - shownAt < progressEveryMs) return
    shownAt = now
    const share = total === undefined ? `${progress}` : `${progress}/${total}`
    context.progress([share, message?.slice(0, maxProgressChars)].filter(Boolean).join(' '))
  }
}
