import type { IncomingMessage } from 'node:http'
import { checkHost, corsHeaders, createKeyCheck } from '../http/access.ts'
import type { Route } from '../http/exchange.ts'
import { HttpError } from '../http/http-error.ts'
import { observedRequests } from '../http/observed-requests.ts'
import { startHttpServer } from '../http/server.ts'
import type { HttpServer } from '../http/server.ts'
import type { Api } from './api.ts'
import { errorBody } from './error-body.ts'
import { ApiServerError } from './settings.ts'

/** Of requests that carry no images, bytes. */
const maxBodyBytes = 1_000_000

/** Serves routes to whom the settings let in. Throws `ApiServerError`. */
export async function listen({ agent, settings }: Api, routes: readonly Route[]): Promise<HttpServer> {
  const { host, port, key, corsOrigins } = settings
  const isRightKey = createKeyCheck(key)
  const admit = (request: IncomingMessage, route: Route | undefined) => {
    const { headers } = request
    if (key === '') checkHost(headers, host)
    const cors = corsHeaders(headers, corsOrigins)
    if (key !== '' && !route?.isOpen && request.method !== 'OPTIONS' && !isRightKey(headers.authorization)) {
      throw new HttpError(401, 'invalid_api_key', 'The key is wrong or missing.', {
        headers: { ...cors, 'www-authenticate': 'Bearer' },
      })
    }
    return cors
  }
  try {
    const around = observedRequests(agent)
    return await startHttpServer({ host, port, routes, log: agent.log, admit, errorBody, maxBodyBytes, around })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      const remedy = 'End that program, or set API_SERVER_PORT.'
      throw new ApiServerError('port-in-use', `Something listens on port ${port} already. ${remedy}`, { cause: error })
    }
    throw new ApiServerError('cannot-listen', `The API server cannot listen on ${host}:${port}: ${String(error)}`, {
      cause: error,
    })
  }
}
