import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import type { Reply, ServiceManners } from './stand-in.ts'

/** How services that are made with FastAPI say no: a `detail`, which is a list of what is wrong for 422. */
export function fastApiManners(key: string): ServiceManners {
  return {
    authorize: (headers) => (isBearer(headers, key) ? undefined : refused(401, 'Invalid or missing API key')),
    notFound: refused(404, 'Not Found'),
    invalid: unprocessable,
  }
}

/** Whether a request carries the key as a bearer token. */
export function isBearer(headers: IncomingMessage['headers'], key: string): boolean {
  return headers.authorization === `Bearer ${key}`
}

export function refused(status: number, detail: string): Reply {
  return { status, body: { detail } }
}

function unprocessable(error: z.ZodError): Reply {
  const detail = error.issues.map(({ path, message, code }) => ({ loc: ['body', ...path], msg: message, type: code }))
  return { status: 422, body: { detail } }
}
