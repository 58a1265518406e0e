import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CredentialError } from '../credential-error.ts'
import { codeFrom } from './callback-query.ts'

export interface CallbackOptions {
  /** Path that the browser comes back to. */
  readonly path: string
  /** What must come back with the code. */
  readonly state: string
  readonly title: string
  /** Any free one when absent or 0. */
  readonly port?: number
  /** How the browser calls this machine. Default `localhost`. */
  readonly host?: 'localhost' | '127.0.0.1'
}

/** Waits on this machine for a browser to come back. */
export interface CallbackListener extends AsyncDisposable {
  readonly redirectUrl: string
  /** The code that it brought. Rejects with `CredentialError` when the person said no, or the state is another. */
  readonly code: Promise<string>
  /** The `iss` that came with the code (RFC 9207), if one did. */
  issuer(): string | undefined
}

/** Listens on loopback alone for one request. */
export async function listenForCallback({
  path,
  state,
  title,
  port: wanted = 0,
  host = 'localhost',
}: CallbackOptions): Promise<CallbackListener> {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>()
  // Whoever waits may have gone before the browser comes.
  code.catch(() => undefined)
  let isAnswered = false
  let issuer: string | undefined
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (request.method !== 'GET' || url.pathname !== path || isAnswered) return say(response, 404, 'Not found.')
    isAnswered = true
    issuer = url.searchParams.get('iss') ?? undefined
    try {
      resolve(codeFrom(url.searchParams, { state, title, isStateNeeded: true }))
      say(response, 200, `You are signed in to ${title}. You can close this page and go back to the terminal.`)
    } catch (error) {
      const message = error instanceof CredentialError ? error.message : 'The sign-in failed.'
      say(response, 400, `${message} Go back to the terminal.`)
      reject(error)
    }
  }
  const server = process.getBuiltinModule('node:http').createServer(onRequest)
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    redirectUrl: `http://${host}:${port}${path}`,
    code,
    issuer: () => issuer,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      // The page that was just sent gets a moment to arrive.
      setTimeout(() => server.closeAllConnections(), 200).unref()
      await closed
    },
  }
}

function say(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' }
  response.writeHead(status, headers).end(`${text}\n`)
}
