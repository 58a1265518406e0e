import { z } from 'zod'
import type { BackendContext, BrowserBackend, OpenBrowser } from './browser-backend.ts'
import { BrowserError } from './browser-error.ts'
import { connect } from './cdp/connection.ts'
import type { CdpConnection } from './cdp/connection.ts'
import { hostOf, openWebSocketTransport } from './cdp/web-socket-transport.ts'

/** A browser that already runs, at the address that the person gives: `BROWSER_CDP_URL` or `/browser connect`. */
export const cdpAddress: BrowserBackend = { name: 'cdp', label: 'A running browser', open }

const connectTimeoutMs = 15_000

async function open({ cdpUrl, environment }: BackendContext, signal: AbortSignal): Promise<OpenBrowser> {
  const url = cdpUrl ?? environment['BROWSER_CDP_URL']
  if (!url) throw new BrowserError('unavailable', 'BROWSER_CDP_URL is not set.')
  const connection = await connectTo(url, signal)
  return {
    connection,
    checkedBy: 'all',
    isShared: true,
    async [Symbol.asyncDispose]() {
      connection.close()
    },
  }
}

/** Connects to `ws://…`, or to `http://host:port`, where the browser tells its own address. Throws `BrowserError`. */
export async function connectTo(url: string, signal: AbortSignal): Promise<CdpConnection> {
  const timeout = AbortSignal.timeout(connectTimeoutMs)
  const limited = AbortSignal.any([signal, timeout])
  try {
    return connect(await openWebSocketTransport(await socketUrl(url, limited), limited))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BrowserError) throw error
    throw new BrowserError('failed', `The browser at ${hostOf(url)} cannot be reached.`, { cause: error })
  }
}

const version = z.looseObject({ webSocketDebuggerUrl: z.string() })

async function socketUrl(url: string, signal: AbortSignal): Promise<string> {
  const parsed = URL.parse(/^[a-z]+:\/\//i.test(url) ? url : `http://${url}`)
  if (parsed?.protocol === 'ws:' || parsed?.protocol === 'wss:') return parsed.href
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new BrowserError('unavailable', 'The address of the browser must be ws://, wss://, http:// or https://.')
  }
  const asked = new URL(parsed)
  asked.pathname = `${parsed.pathname.replace(/\/$/, '')}/json/version`
  const response = await fetch(asked, { signal })
  const answer = response.ok ? version.safeParse(await response.json()) : undefined
  if (!answer?.success) throw new BrowserError('failed', `No browser answers at ${parsed.host}.`)
  const socket = new URL(answer.data.webSocketDebuggerUrl)
  // A browser behind a forwarded port tells the address that it has itself.
  socket.host = parsed.host
  if (parsed.protocol === 'https:') socket.protocol = 'wss:'
  return socket.href
}
