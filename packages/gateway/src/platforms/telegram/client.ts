import type { Environment } from '@hermes/core/agent/context.ts'
import type { Api } from 'grammy'
import { z } from 'zod'
import { openOutbound } from '../../http/outbound.ts'
import type { Outbound } from '../../http/outbound.ts'
import { PlatformError } from '../platform-error.ts'
import { asPlatformError, isNeverSent, TelegramFailure, TelegramRefusal } from './errors.ts'
import { createFallbackAddresses, discoverAddresses } from './fallback-addresses.ts'
import type { FallbackAddresses } from './fallback-addresses.ts'
import { bodyOf } from './request-body.ts'
import type { TelegramSettings } from './settings.ts'

/** What the methods of the Bot API are called, and what they answer, as grammY declares it. */
type Methods = Api['raw']
export type Method = keyof Methods
export type ResultOf<M extends Method> = Awaited<ReturnType<Methods[M]>>

/** What a method takes: https://core.telegram.org/bots/api. An `UploadedFile` is sent with it. */
export type Parameters = Readonly<Record<string, unknown>>

/** The Bot API, with its errors put into the gateway's. */
export interface TelegramClient {
  /** Calls a method; throws `PlatformError`, or the reason where `signal` aborts. */
  call<M extends Method>(method: M, parameters: Parameters, options: CallOptions): Promise<ResultOf<M>>
  /** The same with the service's own errors, for those who look into its words. */
  tryCall<M extends Method>(method: M, parameters: Parameters, options: CallOptions): Promise<ResultOf<M>>
  /** A file that people sent. */
  download(fileId: string, maxBytes: number, signal: AbortSignal): Promise<Buffer>
  close(): void
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** Default 30 s. */
  readonly timeoutMs?: number
}

const callMs = 30_000
const connectMs = 10_000
const downloadMs = 60_000

/** Longest answer that is read, bytes: a hundred updates are far below. */
const maxAnswer = 32 * 1024 * 1024

const answer = z.union([
  z.looseObject({ ok: z.literal(true), result: z.unknown() }),
  z.looseObject({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string().default(''),
    parameters: z
      .looseObject({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
      .optional(),
  }),
])

/** `fallback`: other addresses of the service; default those of the settings. */
export function openClient(
  settings: TelegramSettings,
  environment: Environment,
  fallback: FallbackAddresses | undefined = fallbackOf(settings, environment),
): TelegramClient {
  const { token, apiRoot, fileRoot } = settings
  const ways = fallback && { lookup: fallback.lookup, onConnect: (address: string) => fallback.connected(address) }
  const outbound = openOutbound(environment, { connectMs, ...ways })

  async function exchange(url: string, parameters: Parameters, signal: AbortSignal): Promise<string | undefined> {
    const { headers, body } = await bodyOf(parameters)
    const response = await outbound.send(url, { method: 'POST', headers, body, signal })
    return (await response.read(maxAnswer))?.toString()
  }

  async function tryCall<M extends Method>(
    method: M,
    parameters: Parameters,
    { signal, timeoutMs = callMs }: CallOptions,
  ): Promise<ResultOf<M>> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    let text: string | undefined
    try {
      const url = `${apiRoot}/bot${token}/${method}`
      text = await exchange(url, parameters, limit).catch(async (error: unknown) => {
        if (!isNeverSent(error) || !(await fallback?.failed(limit))) throw error
        return exchange(url, parameters, limit)
      })
    } catch (error) {
      signal.throwIfAborted()
      throw new TelegramFailure(error)
    }
    const said = answer.safeParse(jsonOf(text)).data
    if (!said) throw new TelegramFailure(new Error('no answer of its form'))
    if (!said.ok) throw new TelegramRefusal(said)
    // Which form it has is what the method promises; what matters of it is looked at where it is used.
    return said.result as ResultOf<M>
  }

  async function call<M extends Method>(method: M, parameters: Parameters, options: CallOptions): Promise<ResultOf<M>> {
    try {
      return await tryCall(method, parameters, options)
    } catch (error) {
      throw asPlatformError(error, method)
    }
  }

  return {
    tryCall,
    call,
    async download(fileId, maxBytes, signal) {
      const { file_path: path } = await call('getFile', { file_id: fileId }, { signal })
      if (path === undefined) throw new PlatformError('refused', 'Telegram has no such file.')
      const limit = AbortSignal.any([signal, AbortSignal.timeout(downloadMs)])
      try {
        return await fetchBytes(outbound, `${fileRoot}/bot${token}/${path}`, maxBytes, limit)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof PlatformError) throw error
        // Its message may hold the URL, and that the token.
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
        throw new PlatformError('unreachable', `A file of Telegram cannot be fetched (${code}).`)
      }
    },
    close: () => outbound.close(),
  }
}

/** Through a proxy names are looked up elsewhere. */
function fallbackOf({ apiRoot, fallback }: TelegramSettings, environment: Environment): FallbackAddresses | undefined {
  const hasProxy = ['HTTPS_PROXY', 'ALL_PROXY'].some((name) => environment[name] || environment[name.toLowerCase()])
  if (!fallback || hasProxy) return undefined
  return createFallbackAddresses({
    host: new URL(apiRoot).hostname,
    addresses: fallback.addresses,
    async discover(host, known, signal) {
      const outbound = openOutbound(environment, { connectMs })
      try {
        return await discoverAddresses(host, known, { outbound }, signal)
      } finally {
        outbound.close()
      }
    },
  })
}

async function fetchBytes(outbound: Outbound, url: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const response = await outbound.send(url, { signal })
  if (response.status !== 200) {
    response.discard()
    throw new PlatformError('refused', `Telegram does not give the file (status ${response.status}).`)
  }
  const bytes = await response.read(maxBytes)
  if (!bytes) throw new PlatformError('too-long', 'The file is too large.')
  return bytes
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    // A page of what stands before the service.
    return undefined
  }
}
