import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Environment } from '@hermes/core/agent/context.ts'
import type { Api, InputFile } from 'grammy'
import { PlatformError } from '../platform-error.ts'
import { asPlatformError } from './errors.ts'
import type { TelegramSettings } from './settings.ts'

export type RawApi = Api['raw']

/** The Bot API, with its errors put into the gateway's. */
export interface TelegramClient {
  /** Calls a method; throws `PlatformError`, or the reason where `signal` aborts. */
  call<T>(method: string, run: (api: RawApi, signal: GrammySignal) => Promise<T>, options: CallOptions): Promise<T>
  /** The same with the service's own errors, for those who look into its words. */
  tryCall<T>(run: (api: RawApi, signal: GrammySignal) => Promise<T>, options: CallOptions): Promise<T>
  /** A file that people sent. */
  download(fileId: string, maxBytes: number, signal: AbortSignal): Promise<Buffer>
  upload(path: string): InputFile
  close(): void
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** Default 30 s. */
  readonly timeoutMs?: number
}

/** grammY's declarations name the signal of another library; Node's own does. */
export type GrammySignal = NonNullable<Parameters<RawApi['getMe']>[0]>

const callMs = 30_000
const downloadMs = 60_000

/** Loads grammY. */
export async function openClient(settings: TelegramSettings, environment: Environment): Promise<TelegramClient> {
  const { Api, InputFile } = await import('grammy')
  const agents = openAgents(environment)
  const agentOf = (url: string) => (url.startsWith('https:') ? agents.https : agents.http)
  const api = new Api(settings.token, {
    apiRoot: settings.apiRoot,
    // The limits of calls are ours.
    timeoutSeconds: 600,
    baseFetchConfig: { agent: agentOf(settings.apiRoot), compress: true },
  })

  async function tryCall<T>(run: (api: RawApi, signal: GrammySignal) => Promise<T>, options: CallOptions): Promise<T> {
    const { signal, timeoutMs = callMs } = options
    signal.throwIfAborted()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    try {
      return await run(api.raw, limit as unknown as GrammySignal)
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  }
  async function call<T>(method: string, run: Parameters<typeof tryCall<T>>[0], options: CallOptions): Promise<T> {
    try {
      return await tryCall(run, options)
    } catch (error) {
      throw asPlatformError(error, method)
    }
  }

  return {
    tryCall,
    call,
    async download(fileId, maxBytes, signal) {
      const { file_path: path } = await call('getFile', (raw, s) => raw.getFile({ file_id: fileId }, s), { signal })
      if (path === undefined) throw new PlatformError('refused', 'Telegram has no such file.')
      const url = `${settings.fileRoot}/bot${settings.token}/${path}`
      const limit = AbortSignal.any([signal, AbortSignal.timeout(downloadMs)])
      try {
        return await fetchBytes(url, { agent: agentOf(url), maxBytes, signal: limit })
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof PlatformError) throw error
        // Its message may hold the URL, and that the token.
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
        throw new PlatformError('unreachable', `A file of Telegram cannot be fetched (${code}).`)
      }
    },
    upload: (path) => new InputFile(path),
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** Through the proxy that the environment names. */
function openAgents(environment: Environment): { readonly http: HttpAgent; readonly https: HttpsAgent } {
  const of = (...names: readonly string[]) =>
    names.flatMap((name) => environment[name] || environment[name.toLowerCase()] || []).at(0)
  const all = of('ALL_PROXY')
  const any = all !== undefined && /^https?:/i.test(all) ? all : undefined
  const [https, http, none] = [of('HTTPS_PROXY') ?? any, of('HTTP_PROXY') ?? any, of('NO_PROXY')]
  const proxyEnv = {
    ...(https !== undefined && { HTTPS_PROXY: https }),
    ...(http !== undefined && { HTTP_PROXY: http }),
    ...(none !== undefined && { NO_PROXY: none }),
  }
  // A connection that has been idle for long may be half closed: a message sent on it would be in doubt.
  const options = { keepAlive: true, timeout: 15_000, proxyEnv }
  return { http: new HttpAgent(options), https: new HttpsAgent(options) }
}

async function fetchBytes(
  url: string,
  { agent, maxBytes, signal }: { readonly agent: HttpAgent; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Buffer> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent, signal }, resolve).on('error', reject).end()
  })
  if (response.statusCode !== 200) {
    response.destroy()
    throw new PlatformError('refused', `Telegram does not give the file (status ${response.statusCode}).`)
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > maxBytes) {
      response.destroy()
      throw new PlatformError('too-long', 'The file is too large.')
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
