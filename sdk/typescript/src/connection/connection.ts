import { backoffMs, pause } from './backoff.ts'
import type { Backoff } from './backoff.ts'

/** What both protocols give the connection: how to say hello and what its answer means. */
export interface Handshake<Welcome> {
  /** First frame. */
  hello(): string
  /** Reads the first frame of the server; throws what the caller is to get where it is no welcome. */
  welcome(frame: unknown): Welcome
  /** What a connection that closed before the welcome, or with the code of denied access, comes to. */
  denied(reason: string): Error
  /** Whether it is pointless to try again. */
  isFatal(error: unknown): boolean
}

export interface ConnectionOptions<Welcome> {
  readonly url: string
  readonly handshake: Handshake<Welcome>
  /** Frames after the welcome, parsed; what is no JSON object is left out. */
  readonly onFrame: (frame: object) => void
  /** `onFrame` has thrown: the frame is not as the protocol has it. */
  readonly onBroken: (error: unknown) => void
  /** Each time that the server has let us in. */
  readonly onOpen: (welcome: Welcome) => void
  /** The connection is gone. `comesBack`: another one is tried for; where it is not, `error` says why, if anything is wrong. */
  readonly onClose: (comesBack: boolean, error: Error | undefined) => void
  /** For opening the socket and for the welcome, ms. */
  readonly openTimeoutMs: number
  readonly welcomeTimeoutMs: number
  /** False: a lost connection stays lost. */
  readonly reconnect: Backoff | false
  /** A constructor of the standard's interface, where there is no global one or another is wanted. */
  readonly webSocket: typeof WebSocket
  /** A frame that the server answers: how a connection is noticed that is dead without having been closed. */
  readonly keepAlive: () => string
  /** Between two of them, ms; a server that is silent for two to three is left. */
  readonly keepAliveMs: number
}

/** A WebSocket that comes back by itself. */
export interface Connection<Welcome> {
  /** Resolves when the server has let us in for the first time; rejects where it does not. */
  open(): Promise<Welcome>
  /** False where nothing is connected: the frame is not sent. */
  send(frame: string): boolean
  readonly isOpen: boolean
  /** Bytes that were given to the socket and are not out yet. */
  readonly bufferedBytes: number
  /** Ends it for good. */
  close(): Promise<void>
}

/** Close code of denied access: not tried again. */
const policyViolation = 1008

/** Answers that may fail to come, one after the other, before a connection is held for dead. */
const maxSilence = 2

/** Longest that the other side may take to close, ms. */
const closeMs = 2_000

export function createConnection<Welcome>(options: ConnectionOptions<Welcome>): Connection<Welcome> {
  const { url, handshake, onFrame, onBroken, onOpen, onClose, openTimeoutMs, welcomeTimeoutMs, reconnect, webSocket } =
    options
  const { keepAlive, keepAliveMs } = options
  let ending = new AbortController()
  let live: WebSocket | undefined
  let opening: Promise<Welcome> | undefined

  /** A throw in a listener of a socket would end the process. */
  function take(frame: object): void {
    try {
      onFrame(frame)
    } catch (error) {
      onBroken(error)
    }
  }

  /** One connection, from hello to its end. `onWelcome` is told once when the server has let us in. */
  function run(onWelcome: (welcome: Welcome) => void, signal: AbortSignal): Promise<Error | undefined> {
    return new Promise((resolve, reject) => {
      const socket = new webSocket(url)
      socket.binaryType = 'arraybuffer'
      let isIn = false
      let isOver = false
      let silence = 0
      let beat: ReturnType<typeof setInterval> | undefined
      const fail = (error: Error) => {
        settle(() => reject(error))
        socket.close()
      }
      let timer = setTimeout(() => fail(new Error(`No connection to ${url} in time.`)), openTimeoutMs)
      const abort = () => {
        settle(() => resolve(undefined))
        socket.close(1000)
      }
      const settle = (how: () => void) => {
        isOver = true
        clearTimeout(timer)
        clearInterval(beat)
        signal.removeEventListener('abort', abort)
        if (live === socket) live = undefined
        how()
      }
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) return abort()
      /** Nothing was heard of the server for long: whoever waits for such a socket to close may wait for ever. */
      const listen = () => {
        if (silence++ < maxSilence) return socket.send(keepAlive())
        settle(() => resolve(undefined))
        return socket.close()
      }
      socket.addEventListener('open', () => {
        clearTimeout(timer)
        timer = setTimeout(() => fail(new Error('The server did not let us in in time.')), welcomeTimeoutMs)
        socket.send(handshake.hello())
      })
      socket.addEventListener('message', ({ data }) => {
        const frame = isOver ? undefined : parse(data)
        if (frame === undefined) return
        silence = 0
        if (isIn) return take(frame)
        try {
          const welcome = handshake.welcome(frame)
          isIn = true
          clearTimeout(timer)
          live = socket
          beat = setInterval(listen, keepAliveMs)
          onWelcome(welcome)
        } catch (error) {
          fail(error instanceof Error ? error : new Error(String(error)))
        }
        return undefined
      })
      socket.addEventListener('close', ({ code, reason }) => {
        if (isOver) return
        if (code === policyViolation) settle(() => reject(handshake.denied(reason)))
        else if (isIn) settle(() => resolve(undefined))
        else settle(() => reject(new Error(`${url} closed the connection (${code}).`)))
      })
      // What went wrong is told by the close that follows.
      socket.addEventListener('error', () => {})
    })
  }

  /** Connects for the first time, then again and again until it is closed or refused. */
  async function keep(first: PromiseWithResolvers<Welcome>, signal: AbortSignal): Promise<void> {
    let failures = 0
    let wasOpen = false
    const onWelcome = (welcome: Welcome) => {
      failures = 0
      wasOpen = true
      onOpen(welcome)
      first.resolve(welcome)
    }
    while (!signal.aborted) {
      try {
        await run(onWelcome, signal)
        if (signal.aborted) return
        onClose(reconnect !== false, undefined)
        if (reconnect === false) return
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown))
        first.reject(error)
        // The caller of `open` decides about the first connection.
        if (!wasOpen) return
        if (handshake.isFatal(error)) return onClose(false, error)
        if (reconnect === false) return onClose(false, undefined)
      }
      await pause(backoffMs(failures++, reconnect, Math.random), signal)
    }
  }

  return {
    async open() {
      if (opening) return opening
      ending = new AbortController()
      const first = Promise.withResolvers<Welcome>()
      opening = first.promise
      const { signal } = ending
      signal.addEventListener('abort', () => first.reject(new Error('The client was closed.')), { once: true })
      void keep(first, signal).finally(() => (opening = undefined))
      return first.promise
    },
    send(frame) {
      if (live?.readyState !== 1) return false
      live.send(frame)
      return true
    },
    get isOpen() {
      return live?.readyState === 1
    },
    get bufferedBytes() {
      return live?.bufferedAmount ?? 0
    },
    async close() {
      const socket = live
      const closed =
        socket && new Promise<void>((resolve) => socket.addEventListener('close', () => resolve(), { once: true }))
      ending.abort()
      if (!closed) return
      const waiting = new AbortController()
      await Promise.race([closed, pause(closeMs, waiting.signal)])
      waiting.abort()
    },
  }
}

function parse(data: unknown): object | undefined {
  const text = typeof data === 'string' ? data : data instanceof ArrayBuffer ? new TextDecoder().decode(data) : ''
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    // Not from a server of this protocol; nothing can be said to it about that.
    return undefined
  }
}
