import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface McpHttpOptions {
  /** Whether a request may be answered. Answers it itself where not, and returns false. Default: all may. */
  readonly allow?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Other paths than `/mcp`; true: dealt with. */
  readonly route?: (request: IncomingMessage, response: ServerResponse, url: URL) => boolean | Promise<boolean>
  /** `sse`: the older transport alone. Default `streamable-http`. */
  readonly kind?: 'streamable-http' | 'sse'
}

/** A small MCP server over HTTP on loopback, with one tool (`whoami`, the request's headers). */
export interface McpHttpServer extends AsyncDisposable {
  readonly url: string
  readonly origin: string
  /** Headers of all requests that came to the server itself. */
  readonly requests: readonly IncomingMessage['headers'][]
  /** Forgets its sessions, as a restart does. */
  forget(): void
}

export async function startMcpHttpServer(options: McpHttpOptions = {}): Promise<McpHttpServer> {
  const { allow = () => true, route = () => false, kind = 'streamable-http' } = options
  const requests: IncomingMessage['headers'][] = []
  let session = 1
  let stream: ServerResponse | undefined
  let origin = ''

  const streamable = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (kind === 'sse' || request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(await textOf(request)) as Message
    const isFirst = message.method === 'initialize'
    if (!isFirst && request.headers['mcp-session-id'] !== `session-${session}`) {
      return void response.writeHead(404).end('no such session')
    }
    if (message.id === undefined) return void response.writeHead(202).end()
    const headers = { 'content-type': 'application/json', ...(isFirst && { 'mcp-session-id': `session-${session}` }) }
    response.writeHead(200, headers).end(JSON.stringify(answerOf(message, request)))
  }
  const older = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      stream = response
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write('event: endpoint\ndata: /messages\n\n')
    }
    const message = JSON.parse(await textOf(request)) as Message
    response.writeHead(202).end()
    if (message.id !== undefined) stream?.write(`data: ${JSON.stringify(answerOf(message, request))}\n\n`)
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin)
    const deal = async () => {
      if (await route(request, response, url)) return
      requests.push(request.headers)
      if (!allow(request, response)) return
      if (kind === 'sse' && (url.pathname === '/messages' || request.method === 'GET')) await older(request, response)
      else await streamable(request, response)
    }
    deal().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/mcp`,
    origin,
    requests,
    forget: () => void (session += 1),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string }
}

function answerOf({ id, method, params }: Message, { headers }: IncomingMessage): object {
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'stand-in', version: '1' },
    },
    'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] },
    'tools/call': { content: [{ type: 'text', text: JSON.stringify(headers) }] },
    ping: {},
  }
  return { jsonrpc: '2.0', id, result: results[method] ?? {} }
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}
