import { Worker } from 'node:worker_threads'
import type { Synapse, SynapseUser } from './server.ts'

/** An event of somebody else that a person's device can read. */
export interface SeenEvent {
  readonly type: string
  readonly eventId: string
  readonly roomId: string
  readonly sender: string
  readonly stateKey: string
  readonly isEncrypted: boolean
  readonly content: Readonly<Record<string, unknown>>
}

export interface RoomOptions {
  readonly invite: readonly string[]
  readonly isEncrypted?: boolean
  readonly isDirect?: boolean
}

/** A person with the official client library, which shares no code with ours but the crypto itself. */
export interface Peer extends AsyncDisposable {
  readonly user: SynapseUser
  /** In the order in which they could be read. Edits are messages, too. */
  readonly seen: readonly SeenEvent[]
  /** Makes a room; resolves to its id. */
  room(options: RoomOptions): Promise<string>
  send(roomId: string, type: string, content: unknown): Promise<string>
  say(roomId: string, text: string, more?: Readonly<Record<string, unknown>>): Promise<string>
  /** Resolves to the first event that fits. */
  until(fits: (event: SeenEvent) => boolean, timeoutMs?: number): Promise<SeenEvent>
  /** Resolves to the first message with a text. */
  untilSaid(text: string, timeoutMs?: number): Promise<SeenEvent>
  /** Resolves when a person is in a room. */
  joined(roomId: string, userId: string): Promise<void>
  /** Gives the account signing keys; resolves to the recovery key that opens them. */
  makeRecoveryKey(): Promise<string>
  /** Whether somebody's device is signed by its account. */
  isVerified(userId: string, deviceId: string): Promise<boolean>
}

/** People with the official client, in a thread of their own. */
export interface Peers extends AsyncDisposable {
  /** Begins to follow what happens. Keys are kept in memory. */
  open(user: SynapseUser): Promise<Peer>
}

export type PeerCall = { readonly id: number; readonly peer: number } & (
  | { readonly method: 'open' | 'makeRecoveryKey'; readonly args: readonly [SynapseUser] }
  | { readonly method: 'room'; readonly args: readonly [RoomOptions] }
  | { readonly method: 'send'; readonly args: readonly [roomId: string, type: string, content: unknown] }
  | { readonly method: 'isVerified'; readonly args: readonly [userId: string, deviceId: string] }
  | { readonly method: 'close'; readonly args: readonly [] }
)

export type PeerMessage =
  | { readonly type: 'event'; readonly peer: number; readonly event: SeenEvent }
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly message: string }

type Asked = Pick<PeerCall, 'peer'> & { readonly method: PeerCall['method']; readonly args: PeerCall['args'] }

const waitMs = 30_000

export function startPeers(synapse: Pick<Synapse, 'url'>): Peers {
  const options = { workerData: { url: synapse.url }, stdout: true, stderr: true }
  const worker = new Worker(new URL('./peer-worker.ts', import.meta.url), options)
  // What the library tells of itself is no part of a test.
  for (const told of [worker.stdout, worker.stderr]) told.resume()
  const calls = new Map<number, PromiseWithResolvers<unknown>>()
  const seen = new Map<number, SeenEvent[]>()
  const watchers = new Set<() => void>()
  let count = 0

  worker.on('message', (message: PeerMessage) => {
    if (message.type === 'event') {
      const list = seen.get(message.peer) ?? []
      if (list.some(({ eventId }) => eventId === message.event.eventId)) return
      list.push(message.event)
      for (const watcher of watchers) watcher()
      return
    }
    const call = calls.get(message.id)
    calls.delete(message.id)
    if (message.type === 'result') call?.resolve(message.result)
    else call?.reject(new Error(message.message))
  })
  worker.on('error', (error) => {
    for (const call of calls.values()) call.reject(error)
  })
  const call = (asked: Asked): Promise<unknown> => {
    const made = Promise.withResolvers<unknown>()
    calls.set(++count, made)
    // A worker has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage({ ...asked, id: count })
    return made.promise
  }

  return {
    async open(user) {
      const peer = ++count
      const list: SeenEvent[] = []
      seen.set(peer, list)
      await call({ peer, method: 'open', args: [user] })
      const until = (fits: (event: SeenEvent) => boolean, timeoutMs = waitMs): Promise<SeenEvent> =>
        new Promise((resolve, reject) => {
          const end = () => {
            clearTimeout(timer)
            watchers.delete(check)
          }
          const check = () => {
            const found = list.find(fits)
            if (!found) return
            end()
            resolve(found)
          }
          const timer = setTimeout(() => {
            end()
            reject(new Error(`it did not come: ${JSON.stringify(list.slice(-8))}`))
          }, timeoutMs)
          watchers.add(check)
          check()
        })
      const send = async (roomId: string, type: string, content: unknown) =>
        String(await call({ peer, method: 'send', args: [roomId, type, content] }))
      return {
        user,
        seen: list,
        room: async (options) => String(await call({ peer, method: 'room', args: [options] })),
        send,
        say: (roomId, text, more = {}) => send(roomId, 'm.room.message', { msgtype: 'm.text', body: text, ...more }),
        until,
        untilSaid: (text, timeoutMs) =>
          until(({ type, content }) => type === 'm.room.message' && content['body'] === text, timeoutMs),
        async joined(roomId, userId) {
          await until(
            ({ type, roomId: room, stateKey, content }) =>
              type === 'm.room.member' && room === roomId && stateKey === userId && content['membership'] === 'join',
          )
        },
        makeRecoveryKey: async () => String(await call({ peer, method: 'makeRecoveryKey', args: [user] })),
        isVerified: async (userId, deviceId) =>
          (await call({ peer, method: 'isVerified', args: [userId, deviceId] })) === true,
        async [Symbol.asyncDispose]() {
          await call({ peer, method: 'close', args: [] })
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}
