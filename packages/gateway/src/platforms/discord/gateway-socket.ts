import { PlatformError } from '../platform-error.ts'
import { frame, hello } from './payloads.ts'
import type { OpenSocket } from './outbound-http.ts'
import type { GatewayFrame } from './payloads.ts'

// One connection to the gateway: https://discord.com/developers/docs/events/gateway

const opcode = {
  dispatch: 0,
  beat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  beaten: 11,
} as const

/** Our own code: unlike 1000, it leaves the session alive. */
const goingOn = 4_000

/** Time that the service has to close a connection that we close, ms. */
const goodbyeMs = 2_000

/** How a connection ended. */
export type SocketEnd =
  /** `isReady`: it had got as far as giving events. */
  | { readonly type: 'lost'; readonly canResume: boolean; readonly isReady: boolean }
  | { readonly type: 'fatal'; readonly error: PlatformError }

export interface SocketOptions {
  /** Still connecting, or open. */
  readonly socket: OpenSocket
  /** What is said to the service's hello: who we are, or which session goes on. */
  readonly greeting: () => { readonly op: typeof opcode.identify | typeof opcode.resume; readonly d: unknown }
  /** Number of the last event, for beats. */
  readonly seq: () => number | undefined
  readonly onEvent: (event: GatewayFrame) => void
  /** How long the service may take until it gives events, ms. */
  readonly readyMs: number
}

export { opcode }

/** Holds a connection until it ends or `signal` aborts. */
export function holdSocket(options: SocketOptions, signal: AbortSignal): Promise<SocketEnd> {
  const { socket, greeting, seq, onEvent, readyMs } = options
  const done = Promise.withResolvers<SocketEnd>()
  const listening = new AbortController()
  let beat: NodeJS.Timeout | undefined
  let isBeaten = true
  let isReady = false
  let isOver = false

  const end = (result: SocketEnd, code = goingOn) => {
    if (isOver) return
    isOver = true
    listening.abort()
    clearTimeout(late)
    clearTimeout(beat)
    socket.close(code)
    // Who does not say goodbye is not waited for.
    setTimeout(() => socket.terminate?.(), goodbyeMs).unref()
    done.resolve(result)
  }
  const lost = (canResume: boolean) => end({ type: 'lost', canResume, isReady })
  const say = (op: number, d: unknown) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ op, d }))
  }
  const beatIn = (ms: number, everyMs: number) => {
    clearTimeout(beat)
    beat = setTimeout(() => {
      // Nobody answers any more.
      if (!isBeaten) return lost(true)
      isBeaten = false
      say(opcode.beat, seq() ?? null)
      beatIn(everyMs, everyMs)
    }, ms)
  }
  const take = (payload: GatewayFrame) => {
    if (payload.op === opcode.hello) {
      const { heartbeat_interval: everyMs } = hello.parse(payload.d)
      beatIn(everyMs * Math.random(), everyMs)
      const { op, d } = greeting()
      say(op, d)
    } else if (payload.op === opcode.beaten) isBeaten = true
    else if (payload.op === opcode.beat) say(opcode.beat, seq() ?? null)
    else if (payload.op === opcode.reconnect) lost(true)
    else if (payload.op === opcode.invalid) lost(payload.d === true)
    else if (payload.op === opcode.dispatch) {
      if (payload.t === 'READY' || payload.t === 'RESUMED') {
        isReady = true
        clearTimeout(late)
      }
      onEvent(payload)
    }
  }

  const late = setTimeout(() => lost(true), readyMs)
  const on = { signal: listening.signal }
  signal.addEventListener('abort', () => end({ type: 'lost', canResume: false, isReady }, 1_000), on)
  socket.addEventListener('message', ({ data }) => {
    if (!isOver) takeText(data, take, () => lost(true))
  })
  socket.addEventListener('error', () => lost(true))
  socket.addEventListener('close', ({ code }) => end(endOf(code, isReady)))
  if (signal.aborted) end({ type: 'lost', canResume: false, isReady }, 1_000)
  return done.promise
}

function takeText(data: unknown, take: (payload: GatewayFrame) => void, onBroken: () => void): void {
  try {
    take(frame.parse(typeof data === 'string' ? JSON.parse(data) : undefined))
  } catch {
    // What it sends cannot be read: another connection may do better.
    onBroken()
  }
}

const portal = 'the developer portal (https://discord.com/developers/applications)'

/** Close codes: https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
function endOf(code: number, isReady: boolean): SocketEnd {
  const fatal = (kind: 'unauthorised' | 'refused', message: string): SocketEnd => ({
    type: 'fatal',
    error: new PlatformError(kind, message),
  })
  if (code === 4_004) {
    return fatal(
      'unauthorised',
      `Discord does not know the token. Put the one of ${portal} into .env (DISCORD_BOT_TOKEN).`,
    )
  }
  if (code === 4_014) {
    return fatal(
      'refused',
      `Discord does not let the bot read messages. Switch on "Message Content Intent" in ${portal}, under Bot.`,
    )
  }
  if (code === 4_010 || code === 4_011)
    return fatal('refused', 'The bot is in more servers than one connection may serve.')
  if (code === 4_012 || code === 4_013)
    return fatal('refused', `Discord does not take this version of its gateway (${code}).`)
  return { type: 'lost', canResume: ![1_000, 1_001, 4_003, 4_005, 4_007, 4_009].includes(code), isReady }
}
