import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { guildObject, userObject } from './objects.ts'
import type { DiscordWorld, Fields } from './world.ts'

// The service's side of a gateway connection: https://discord.com/developers/docs/events/gateway

const intentBits = { guilds: 1 << 0, members: 1 << 1, guildMessages: 1 << 9, dms: 1 << 12, content: 1 << 15 } as const

/** Events that a session keeps to give again. */
const maxKept = 500

interface Dispatch {
  readonly seq: number
  readonly type: string
  readonly data: Fields
}

interface Session {
  readonly id: string
  readonly intents: number
  readonly kept: Dispatch[]
  seq: number
  socket: WebSocket | undefined
}

export interface GatewaySide {
  /** Takes a web socket of a bot. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
  /** Gives an event to all sessions that want it, or keeps it for those that are away. */
  dispatch(type: string, data: Fields): void
  /** Ends all connections, with a close code or as if the network broke. Sessions stay. */
  drop(code?: number): void
  /** Asks to reconnect (7), or calls sessions invalid (9); those that cannot be resumed are gone. */
  say(what: 'reconnect' | 'invalid' | 'resumable'): void
  /** Sessions are forgotten: none can be resumed. */
  forget(): void
  /** Sessions that are connected. */
  readonly live: number
  /** What bots have said, by opcode, newest last. */
  readonly heard: readonly { readonly op: number; readonly d: unknown }[]
  /** Beats are not acknowledged while it is set. */
  isDeaf: boolean
  /** When a session is resumed, so many events are given again that it has had. */
  repeats: number
  /** Privileged intents that the portal has switched off, as bits. */
  forbidden: number
  url: string
}

export interface GatewaySideOptions {
  readonly world: DiscordWorld
  readonly token: string
  readonly heartbeatMs: number
  readonly changed: () => void
}

export function createGatewaySide({ world, token, heartbeatMs, changed }: GatewaySideOptions): GatewaySide {
  const server = new WebSocketServer({ noServer: true })
  const sessions = new Map<string, Session>()
  const sockets = new Set<WebSocket>()
  const heard: { op: number; d: unknown }[] = []

  const tell = (socket: WebSocket | undefined, payload: Fields) => socket?.send(JSON.stringify(payload))
  const give = ({ socket }: Session, { seq, type, data }: Dispatch) => tell(socket, { op: 0, t: type, s: seq, d: data })
  function add(session: Session, type: string, data: Fields): void {
    const event = { seq: ++session.seq, type, data }
    session.kept.push(event)
    if (session.kept.length > maxKept) session.kept.shift()
    give(session, event)
  }

  function identify(socket: WebSocket, data: Fields): Session | undefined {
    const intents = Number(data['intents'])
    if (data['token'] !== token) socket.close(4_004, 'Authentication failed.')
    else if (!Number.isInteger(intents)) socket.close(4_013, 'Invalid intent(s).')
    else if ((intents & side.forbidden) !== 0) socket.close(4_014, 'Disallowed intent(s).')
    else {
      const session: Session = { id: randomBytes(16).toString('hex'), intents, kept: [], seq: 0, socket }
      sessions.set(session.id, session)
      add(session, 'READY', {
        v: 10,
        user: userObject(world.me),
        guilds: [{ id: world.guild.id, unavailable: true }],
        session_id: session.id,
        resume_gateway_url: side.url,
        application: { id: world.applicationId, flags: 0 },
      })
      if ((intents & intentBits.guilds) !== 0) add(session, 'GUILD_CREATE', guildObject(world))
      return session
    }
    return undefined
  }

  function resume(socket: WebSocket, data: Fields): Session | undefined {
    const session = sessions.get(String(data['session_id']))
    const seq = Number(data['seq'])
    if (data['token'] !== token || !session || seq > session.seq) {
      tell(socket, { op: 9, d: false })
      return undefined
    }
    session.socket = socket
    for (const event of session.kept) if (event.seq > Math.max(2, seq - side.repeats)) give(session, event)
    add(session, 'RESUMED', {})
    return session
  }

  function attach(socket: WebSocket): void {
    sockets.add(socket)
    let session: Session | undefined
    tell(socket, { op: 10, d: { heartbeat_interval: heartbeatMs } })
    socket.on('message', (bytes: Buffer) => {
      const { op, d } = JSON.parse(bytes.toString('utf8')) as { op: number; d: unknown }
      heard.push({ op, d })
      if (op === 1) {
        if (!side.isDeaf) tell(socket, { op: 11 })
      } else if (op === 2 && session) socket.close(4_005, 'Already authenticated.')
      else if (op === 2) session = identify(socket, d as Fields)
      else if (op === 6) session = resume(socket, d as Fields)
      else if (!session) socket.close(4_003, 'Not authenticated.')
      changed()
    })
    socket.on('close', () => {
      sockets.delete(socket)
      if (session?.socket === socket) session.socket = undefined
      changed()
    })
    socket.on('error', () => socket.terminate())
  }

  const side: GatewaySide = {
    isDeaf: false,
    repeats: 0,
    forbidden: 0,
    url: '',
    heard,
    get live() {
      return [...sessions.values()].filter(({ socket }) => socket).length
    },
    upgrade: (request, stream, head) => server.handleUpgrade(request, stream, head, attach),
    dispatch(type, data) {
      for (const session of sessions.values()) {
        const shown = asSeen(type, data, session.intents, world)
        if (shown) add(session, type, shown)
      }
    },
    drop(code) {
      for (const socket of sockets) {
        if (code === undefined) socket.terminate()
        else socket.close(code)
      }
    },
    say(what) {
      if (what === 'invalid') sessions.clear()
      for (const socket of sockets)
        tell(socket, what === 'reconnect' ? { op: 7, d: null } : { op: 9, d: what === 'resumable' })
    },
    forget: () => sessions.clear(),
  }
  return side
}

/** An event as a session with these intents gets it; undefined: not at all. */
function asSeen(type: string, data: Fields, intents: number, world: DiscordWorld): Fields | undefined {
  const has = (bit: number) => (intents & bit) !== 0
  if (type.startsWith('THREAD_') || type.startsWith('CHANNEL_') || type.startsWith('GUILD_')) {
    return has(intentBits.guilds) ? data : undefined
  }
  if (!type.startsWith('MESSAGE_')) return data
  const isDirect = data['guild_id'] === undefined
  if (!has(isDirect ? intentBits.dms : intentBits.guildMessages)) return undefined
  const mentions = (data['mentions'] as readonly Fields[] | undefined) ?? []
  const isOpen = isDirect || has(intentBits.content) || mentions.some(({ id }) => id === world.me.id)
  return isOpen ? data : { ...data, content: '', attachments: [], embeds: [], components: [] }
}
