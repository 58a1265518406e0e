import { BrowserError } from '../browser-error.ts'
import { maxMessageChars } from './transport.ts'
import type { CdpTransport } from './transport.ts'

/** Over a WebSocket. Throws `BrowserError` when it cannot be opened; when `signal` aborts, its reason. */
export async function openWebSocketTransport(url: string, signal: AbortSignal): Promise<CdpTransport> {
  signal.throwIfAborted()
  const socket = new WebSocket(url)
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
  const failed = () => reject(new BrowserError('failed', `The browser at ${hostOf(url)} cannot be reached.`))
  const stop = () => reject(signal.reason)
  socket.addEventListener('open', () => resolve(), { once: true })
  socket.addEventListener('error', failed, { once: true })
  socket.addEventListener('close', failed, { once: true })
  signal.addEventListener('abort', stop, { once: true })
  try {
    await opened
  } catch (error) {
    socket.close()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
  return {
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    listen(listener) {
      socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
        if (typeof data === 'string' && data.length <= maxMessageChars) listener.message(data)
      })
      socket.addEventListener('close', () => listener.closed(), { once: true })
    },
    close: () => socket.close(),
  }
}

/** A WebSocket's URL can hold a key, so that messages name the host alone. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'that address'
}
