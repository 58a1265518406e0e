import { join } from 'node:path'
import { homedir } from 'node:os'
import type { Environment } from '../../../agent/context.ts'
import { ModelError } from '../../model-error.ts'
import { createHttpClient } from '../../net/http-client.ts'
import type { HttpClient, HttpRequest } from '../../net/http-client.ts'
import { readText } from '../../net/read-text.ts'
import { TransportError } from '../../net/transport-error.ts'

/** What every source of an identity works with. */
export interface AwsSources {
  readonly environment: Environment
  readonly now: () => number
  /** Through the environment's proxy: Amazon's own servers. */
  readonly http: HttpClient
  /** Past any proxy: servers that only this machine or container has. */
  readonly nearHttp: HttpClient
}

export function awsSources(environment: Environment, now: () => number): AwsSources {
  return { environment, now, http: createHttpClient(environment), nearHttp: createHttpClient({}) }
}

/** A path below `~/.aws`. */
export function awsPath(environment: Environment, ...parts: readonly string[]): string {
  return join(environment['HOME'] || homedir(), '.aws', ...parts)
}

/** Where a service is: as the environment says (`AWS_ENDPOINT_URL_STS` …), else Amazon's address in a region. */
export function endpointOf(service: string, host: string, region: string, environment: Environment): string {
  const variable = `AWS_ENDPOINT_URL_${service.toUpperCase().replaceAll('-', '_')}`
  const moved = environment[variable]?.trim() || environment['AWS_ENDPOINT_URL']?.trim()
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  return (moved || `https://${host}.${region}.${suffix}`).replace(/\/+$/, '')
}

export interface AwsAnswer {
  readonly status: number
  readonly text: string
}

const limits = { connectMs: 5000, silenceMs: 10_000, progressMs: 20_000, totalMs: 20_000 }
const maxBytes = 1024 * 1024

/** One exchange with a service that gives credentials. Throws `ModelError` with code `network` or `timeout`. */
export async function askAws(
  http: HttpClient,
  what: string,
  request: Omit<HttpRequest, 'limits'> & Partial<Pick<HttpRequest, 'limits'>>,
  signal: AbortSignal,
): Promise<AwsAnswer> {
  try {
    const response = await http.send({ limits, ...request }, signal)
    try {
      return { status: response.status, text: await readText(response.body, maxBytes) }
    } finally {
      response.release()
    }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    const code = error.failure === 'timeout' ? 'timeout' : 'network'
    throw new ModelError(code, `${what} cannot be reached: ${error.message}.`, { cause: error })
  }
}

/** A refusal as an error: what lasts is the account's matter, the rest may be tried again. */
export function refused(what: string, { status, text }: AwsAnswer, advice = ''): ModelError {
  const said = /<Message>([^<]*)<\/Message>|"[mM]essage"\s*:\s*"([^"]*)"/.exec(text)
  const words = said?.[1] ?? said?.[2]
  const detail = words ? `: ${words.slice(0, 300)}` : ''
  const code = status === 429 ? 'rate-limited' : status >= 500 ? 'server' : 'auth'
  return new ModelError(code, `${what} answered with status ${status}${detail}. ${advice}`.trim(), { status })
}
