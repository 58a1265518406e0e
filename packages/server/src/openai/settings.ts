import { basename, dirname } from 'node:path'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { z } from 'zod'
import { isExposed } from '../http/exposure.ts'

/** How the API server is set up. */
export interface ApiServerSettings {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Empty: none is asked for, which is for loopback alone. */
  readonly key: string
  /** Origins whose pages may use it; `*`: all. */
  readonly corsOrigins: readonly string[]
  /** The name under which clients find the agent among the models. */
  readonly modelName: string
}

export type ApiServerErrorCode = 'bad-setting' | 'no-key' | 'weak-key' | 'port-in-use' | 'cannot-listen'

/** The API server cannot start; the message says what to change. */
export class ApiServerError extends Error {
  override readonly name = 'ApiServerError'
  readonly code: ApiServerErrorCode

  constructor(code: ApiServerErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

const portNumber = z.coerce.number().int().min(0).max(65_535)

/**
 * What the environment, `platforms.api_server` and `api_server` say, in this order; undefined where it is not switched on.
 * Throws `ApiServerError`.
 */
export function readApiServerSettings({
  config,
  environment,
  home,
}: Pick<AgentContext, 'config' | 'environment' | 'home'>): ApiServerSettings | undefined {
  const entry = config.platforms['api_server']
  const extra: Readonly<Record<string, unknown>> = { ...config.api_server, ...entry?.extra }
  const set = (variable: string, name: string) => environment[variable]?.trim() || textOf(extra[name])
  const key = set('API_SERVER_KEY', 'key')
  const switched = environment['API_SERVER_ENABLED']?.trim() || textOf(entry?.enabled ?? extra['enabled'])
  if (!(switched === '' ? key !== '' : isYes(switched))) return undefined
  const port = portNumber.safeParse(set('API_SERVER_PORT', 'port') || 8642)
  if (!port.success) {
    throw new ApiServerError('bad-setting', 'API_SERVER_PORT must be a whole number from 0 to 65535.')
  }
  return {
    host: set('API_SERVER_HOST', 'host') || '127.0.0.1',
    port: port.data,
    key,
    corsOrigins: listOf(environment['API_SERVER_CORS_ORIGINS'] ?? extra['cors_origins']).map(originOf),
    modelName: set('API_SERVER_MODEL_NAME', 'model_name') || profileName(home.dir) || 'hermes-agent',
  }
}

/** Refuses to let strangers in, pages of any site in a browser of this machine among them. Throws `ApiServerError`. */
export async function checkExposure({ host, key, corsOrigins }: ApiServerSettings): Promise<void> {
  if (key === '' && corsOrigins.some((origin) => anyPage.has(origin))) {
    throw new ApiServerError(
      'no-key',
      'API_SERVER_CORS_ORIGINS would let every page that is open in a browser here run commands, since there is no key. Set API_SERVER_KEY, or name the origins that are meant.',
    )
  }
  if (!(await isExposed(host))) return
  if (key === '') {
    throw new ApiServerError(
      'no-key',
      `The API server would listen on ${host} without a key: whoever reaches it could run commands here. Set API_SERVER_KEY, or API_SERVER_HOST=127.0.0.1.`,
    )
  }
  if (key.length < 8 || placeholder.test(key) || new Set(key).size < 4) {
    throw new ApiServerError(
      'weak-key',
      `API_SERVER_KEY can be guessed, and the API server would listen on ${host}. Set another one: hermes config set API_SERVER_KEY "$(openssl rand -hex 32)"`,
    )
  }
}

/** Origins that pages of all sites have, or can give themselves. */
const anyPage: ReadonlySet<string> = new Set(['*', 'null'])

/** What people leave in place of a key. */
const placeholder =
  /^(?:<.*>|\*+|(?:change[-_ ]?(?:me|this|it)|your|my|insert|replace|example|sample|dummy|placeholder|todo|test|default|secret|password|passw0rd|admin|api[-_ ]?key|sk-(?:xxx|your|placeholder|test)|12345678)(?:[-_ ]?(?:me|now|please|key|api|secret|token|password|here|value|server|\d{1,4}))*)$/i

function profileName(dir: string): string {
  return basename(dirname(dir)) === 'profiles' ? basename(dir) : ''
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).trim()
    : ''
}

function listOf(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? value.map(textOf) : textOf(value).split(',')
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

/** As browsers say it: people write a slash or a path behind it. */
function originOf(text: string): string {
  const origin = URL.parse(text)?.origin
  return origin === undefined || origin === 'null' ? text : origin
}

function isYes(text: string): boolean {
  return ['1', 'true', 'yes', 'on'].includes(text.toLowerCase())
}
