import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { observed } from '@hermes/core/agent/work-observer.ts'
import type { WorkEnd } from '@hermes/core/agent/work-observer.ts'
import type { Route } from './exchange.ts'

/** Answers a request with something around it. */
export type AroundRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  route: Route | undefined,
  answer: () => Promise<void>,
) => Promise<void>

/** Who watches sees each request, and the log has a line of it; of what anybody may ask (`/health`) only where it fails. */
export function observedRequests({ log, observer }: Pick<AgentContext, 'log' | 'observer'>): AroundRequest {
  return async (request, response, route, answer) => {
    const startedAt = performance.now()
    const facts = { method: request.method ?? 'GET', route: route?.path ?? 'none' }
    const work = () => ({ kind: 'request', ...facts, ...traceOf(request) }) as const
    await observed(observer, work, answer, () => endOf(response))
    const { status, isFailure } = endOf(response)
    const fields = { ...facts, status, durationMs: Math.round(performance.now() - startedAt) }
    if (route?.isOpen && !isFailure) log.debug(fields, 'request')
    else log.info(fields, 'request')
  }
}

/** `aborted`: the client went, or the server stopped, before the answer was whole. */
function endOf(response: ServerResponse): WorkEnd {
  if (!response.writableEnded) return { status: 'aborted' }
  return { status: String(response.statusCode), isFailure: response.statusCode >= 500 }
}

function traceOf({ headers }: IncomingMessage): { readonly traceparent?: string } {
  const { traceparent } = headers
  return typeof traceparent === 'string' ? { traceparent } : {}
}
