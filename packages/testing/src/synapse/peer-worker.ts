import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { createClient, ClientEvent, EventType, MatrixEventEvent, Preset } from 'matrix-js-sdk'
import type { MatrixClient, MatrixEvent } from 'matrix-js-sdk'
import type { PeerCall, PeerMessage, RoomOptions } from './peer.ts'
import type { SynapseUser } from './server.ts'

// The official client library in a thread of its own, since it leaves timers behind when it stops. See `peer.ts`.

const { url } = workerData as { readonly url: string }
const port = parentPort
if (!port) throw new Error('this is a worker')
const tell = (message: PeerMessage) => port.postMessage(message)

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, getChild: () => quiet }

const clients = new Map<number, MatrixClient>()

async function open(peer: number, user: SynapseUser): Promise<void> {
  const secrets = new Map<string, Uint8Array<ArrayBuffer>>()
  const client = createClient({
    baseUrl: url,
    userId: user.userId,
    deviceId: user.deviceId,
    accessToken: user.accessToken,
    logger: quiet,
    cryptoCallbacks: {
      cacheSecretStorageKey: (id, _info, key) => void secrets.set(id, key),
      async getSecretStorageKey({ keys }) {
        const id = Object.keys(keys).find((one) => secrets.has(one))
        return id === undefined ? null : [id, secrets.get(id) ?? new Uint8Array()]
      },
    },
  })
  await client.initRustCrypto({ useIndexedDB: false })
  const note = (event: MatrixEvent) => {
    if (
      event.isEncrypted() &&
      (event.isBeingDecrypted() || event.isDecryptionFailure() || event.getClearContent() === null)
    )
      return
    if (event.getSender() === user.userId) return
    tell({
      type: 'event',
      peer,
      event: {
        type: event.getType(),
        eventId: event.getId() ?? '',
        roomId: event.getRoomId() ?? '',
        sender: event.getSender() ?? '',
        stateKey: event.getStateKey() ?? '',
        isEncrypted: event.isEncrypted(),
        content: JSON.parse(JSON.stringify(event.getContent())) as Record<string, unknown>,
      },
    })
  }
  client.on(ClientEvent.Event, note)
  client.on(MatrixEventEvent.Decrypted, note)
  clients.set(peer, client)
  const ready = once(client, ClientEvent.Sync)
  await client.startClient({ initialSyncLimit: 20 })
  await ready
}

async function room(
  client: MatrixClient,
  { invite, isEncrypted = false, isDirect = false }: RoomOptions,
): Promise<string> {
  const state = { type: EventType.RoomEncryption, state_key: '', content: { algorithm: 'm.megolm.v1.aes-sha2' } }
  const { room_id: roomId } = await client.createRoom({
    preset: isDirect ? Preset.TrustedPrivateChat : Preset.PrivateChat,
    is_direct: isDirect,
    invite: [...invite],
    initial_state: isEncrypted ? [state] : [],
  })
  while (!client.getRoom(roomId)) await once(client, ClientEvent.Room)
  return roomId
}

async function send(client: MatrixClient, roomId: string, type: string, content: unknown): Promise<string> {
  // Tests send what the library's types do not know, too.
  const { event_id: eventId } = await client.sendEvent(roomId, type as never, content as never)
  return eventId
}

/** Gives the account signing keys, and keeps them on the server under a recovery key, which it resolves to. */
async function makeRecoveryKey(client: MatrixClient, user: SynapseUser): Promise<string> {
  const crypto = client.getCrypto()
  if (!crypto) throw new Error('no encryption')
  await crypto.bootstrapCrossSigning({
    authUploadDeviceSigningKeys: async (upload) => {
      const identifier = { type: 'm.id.user', user: user.userId }
      await upload({ type: 'm.login.password', identifier, password: user.password })
    },
  })
  const made = await crypto.createRecoveryKeyFromPassphrase()
  await crypto.bootstrapSecretStorage({ createSecretStorageKey: async () => made })
  return made.encodedPrivateKey ?? ''
}

async function isVerified(client: MatrixClient, userId: string, deviceId: string): Promise<boolean> {
  const crypto = client.getCrypto()
  await crypto?.getUserDeviceInfo([userId], true)
  return (await crypto?.getDeviceVerificationStatus(userId, deviceId))?.signedByOwner ?? false
}

async function run({ peer, method, args }: PeerCall): Promise<unknown> {
  if (method === 'open') return open(peer, args[0])
  const client = clients.get(peer)
  if (!client) throw new Error('the peer is not open')
  if (method === 'room') return room(client, args[0])
  if (method === 'send') return send(client, ...args)
  if (method === 'makeRecoveryKey') return makeRecoveryKey(client, args[0])
  if (method === 'isVerified') return isVerified(client, ...args)
  clients.delete(peer)
  return client.stopClient()
}

port.on('message', (call: PeerCall) => {
  run(call).then(
    (result) => tell({ type: 'result', id: call.id, result }),
    (error: unknown) => tell({ type: 'failure', id: call.id, message: String(error) }),
  )
})
