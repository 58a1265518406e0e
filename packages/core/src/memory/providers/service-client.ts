import type { z } from 'zod'
import { createCircuitBreaker } from '../../services/circuit-breaker.ts'
import { createServiceClient as createClient } from '../../services/service-client.ts'
import type { ServiceClientOptions as ClientOptions, ServiceRequest } from '../../services/service-client.ts'
import { ServiceError } from '../../services/service-error.ts'
import type { ServiceErrorCode } from '../../services/service-error.ts'
import { MemoryProviderError } from '../memory-provider-error.ts'
import type { MemoryProviderErrorCode } from '../memory-provider-error.ts'

export { servicePath } from '../../services/service-client.ts'
export type { ServiceAuth, ServiceRequest } from '../../services/service-client.ts'

/** Where a memory service is and how it is spoken to. */
export type ServiceClientOptions = Omit<ClientOptions, 'breaker'>

/** Speaks JSON over HTTP with one memory service. */
export interface ServiceClient {
  /** As the client of `services/`, but throws `MemoryProviderError`. */
  call<T>(schema: z.ZodType<T>, request: ServiceRequest, signal: AbortSignal): Promise<T>
}

/** A client of a service, which is left alone for a while when it is down. Throws `MemoryProviderError` for a bad URL. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const client = opened(options)
  return {
    async call(schema, request, signal) {
      try {
        return await client.call(schema, request, signal)
      } catch (error) {
        throw asProviderError(error)
      }
    },
  }
}

function opened(options: ServiceClientOptions) {
  try {
    return createClient({ ...options, breaker: createCircuitBreaker(options.service, options.now) })
  } catch (error) {
    throw asProviderError(error)
  }
}

const codes: Readonly<Record<ServiceErrorCode, MemoryProviderErrorCode>> = {
  unconfigured: 'unconfigured',
  auth: 'refused',
  'rate-limited': 'refused',
  refused: 'refused',
  unreachable: 'unreachable',
  timeout: 'unreachable',
  'too-large': 'refused',
  malformed: 'refused',
}

function asProviderError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error
  const { status, retryAfterMs, message, cause } = error
  return new MemoryProviderError(codes[error.code], message, {
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause,
  })
}
