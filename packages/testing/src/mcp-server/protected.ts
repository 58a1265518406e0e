import type { ServerResponse } from 'node:http'
import { startOAuthServer, type OAuthServerOptions } from '../oauth-server/server.ts'
import { startMcpHttpServer, textOf } from './http.ts'

/** An MCP server that wants a sign-in: says where, registers clients, and takes the tokens of a sign-in server. */
export async function startProtectedMcpServer(options: OAuthServerOptions = {}) {
  const oauth = await startOAuthServer(options)
  const registered: unknown[] = []
  const server = await startMcpHttpServer({
    allow(request, response) {
      const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
      if (oauth.grants.isValid(token)) return true
      const metadata = `${server.origin}/.well-known/oauth-protected-resource`
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
      return false
    },
    async route(request, response, { pathname }) {
      if (pathname === '/.well-known/oauth-protected-resource') {
        sendJson(response, 200, { resource: server.url, authorization_servers: [server.origin] })
      } else if (pathname === '/.well-known/oauth-authorization-server') {
        sendJson(response, 200, {
          issuer: server.origin,
          authorization_endpoint: `${oauth.url}/oauth/authorize`,
          token_endpoint: `${oauth.url}/oauth/token`,
          registration_endpoint: `${server.origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        })
      } else if (pathname === '/register') {
        const asked = JSON.parse(await textOf(request)) as object
        registered.push(asked)
        sendJson(response, 201, { ...asked, client_id: `made-up-client-${registered.length}` })
      } else return pathname.startsWith('/.well-known/') && (sendJson(response, 404, {}), true)
      return true
    },
  })
  return {
    url: server.url,
    oauth,
    /** What clients have registered themselves with. */
    registered,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await oauth[Symbol.asyncDispose]()
    },
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
