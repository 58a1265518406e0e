import { z } from 'zod'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { MatrixClient } from '../client.ts'
import type { Device } from './device.ts'
import { createKeyRequests } from './key-requests.ts'
import type { KeyRequests } from './key-requests.ts'

/** What a sync says about keys and devices. */
export interface KeyNews {
  readonly toDevice: readonly unknown[]
  readonly changed: readonly string[]
  readonly left: readonly string[]
  readonly oneTimeKeys: Readonly<Record<string, number>>
  readonly unusedFallbackKeys: readonly string[] | undefined
}

/** How a room wants its messages encrypted. */
export interface RoomEncryption {
  readonly rotationMs?: number
  readonly rotationMessages?: number
}

export interface PlainContent {
  readonly roomId: string
  /** Who gets the keys: those who are in the room. */
  readonly members: readonly string[]
  readonly settings: RoomEncryption
  readonly type: string
  readonly content: unknown
}

/** What became of an event: its content, `sealed` where its key may still come, `broken` where it never opens. */
export type Opened = { readonly type: string; readonly content: unknown } | 'sealed' | 'broken'

/** End-to-end encryption of a connection. */
export interface Encryption {
  /** Takes what a sync says about keys. Resolves when it is stored. */
  learn(news: KeyNews): Promise<{ readonly hasNewKeys: boolean }>
  /** Tells the server what follows from what was learnt. */
  settle(signal: AbortSignal): Promise<void>
  open(roomId: string, event: unknown): Promise<Opened>
  /** Encrypts for all devices of the members, which get the key of the room first. */
  seal(plain: PlainContent, signal: AbortSignal): Promise<unknown>
  /** Remembers that a room is encrypted, which never ends; resolves to how, undefined where it never was. */
  remember(roomId: string, claimed: RoomEncryption | undefined): Promise<RoomEncryption | undefined>
  readonly requests: KeyRequests
}

const opened = z.object({ type: z.string(), content: z.unknown() })

export function createEncryption(device: Device, client: MatrixClient, log: Logger): Encryption {
  const { library, work } = device
  const requests = createKeyRequests(device, client)
  // The machine keeps what it is given.
  const trust = () => new library.DecryptionSettings(library.TrustRequirement.Untrusted)
  let newKeys = 0
  // Called while the machine works, so it does not ask it anything.
  device.machine.registerRoomKeyUpdatedCallback(async (keys) => {
    newKeys += keys.length
  })
  /** One at a time: what one needs asked, the next must not ask again. */
  let asking: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const done = asking.then(run)
    asking = done.catch(() => undefined)
    return done
  }
  const usersOf = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      try {
        return new library.UserId(id)
      } catch {
        // Servers of long ago allowed ids that nobody can send keys to.
        return []
      }
    })

  async function shareKey({ roomId, members, settings }: PlainContent, signal: AbortSignal): Promise<void> {
    await work((machine) => machine.updateTrackedUsers(usersOf(members)))
    await requests.sendAll(signal)
    const claim = await work((machine) => machine.getMissingSessions(usersOf(members)))
    if (claim) await requests.send(claim, signal)
    const shares = await work((machine) => {
      const how = new library.EncryptionSettings()
      how.sharingStrategy = library.CollectStrategy.allDevices()
      if (settings.rotationMs !== undefined) how.rotationPeriod = BigInt(Math.floor(settings.rotationMs)) * 1_000n
      if (settings.rotationMessages !== undefined)
        how.rotationPeriodMessages = BigInt(Math.floor(settings.rotationMessages))
      return machine.shareRoomKey(new library.RoomId(roomId), usersOf(members), how)
    })
    for (const share of shares) await requests.send(share, signal)
  }

  return {
    requests,
    async learn({ toDevice, changed, left, oneTimeKeys, unusedFallbackKeys }) {
      const before = newKeys
      await work((machine) =>
        machine.receiveSyncChanges(
          JSON.stringify(toDevice),
          new library.DeviceLists(usersOf(changed), usersOf(left)),
          new Map(Object.entries(oneTimeKeys)),
          unusedFallbackKeys && new Set(unusedFallbackKeys),
          trust(),
        ),
      )
      return { hasNewKeys: newKeys > before }
    },
    remember: (roomId, claimed) =>
      work(async (machine) => {
        const room = new library.RoomId(roomId)
        const known = await machine.getRoomSettings(room)
        if (known) return claimed ?? {}
        if (claimed) await machine.setRoomSettings(room, new library.RoomSettings())
        return claimed
      }),
    settle: (signal) => inTurn(() => requests.sendAll(signal)),
    async open(roomId, event) {
      // What the library throws is the event's fault; what keeping the keys throws is ours, and passes.
      const found = await work(async (machine) => {
        try {
          const { event: text } = await machine.decryptRoomEvent(
            JSON.stringify(event),
            new library.RoomId(roomId),
            trust(),
          )
          return opened.parse(JSON.parse(text))
        } catch (error) {
          return { failure: error }
        }
      })
      if (!('failure' in found)) return { type: found.type, content: found.content }
      const { failure } = found
      const isMegolm = failure instanceof library.MegolmDecryptionError
      const { MissingRoomKey, UnknownMessageIndex } = library.DecryptionErrorCode
      if (isMegolm && (failure.code === MissingRoomKey || failure.code === UnknownMessageIndex)) return 'sealed'
      const error = isMegolm ? failure.description : String(failure)
      log.warn({ room: roomId, error }, 'an encrypted message cannot be opened')
      return 'broken'
    },
    seal: (plain, signal) =>
      inTurn(async () => {
        await shareKey(plain, signal)
        const { roomId, type, content } = plain
        const text = await work((machine) =>
          machine.encryptRoomEvent(new library.RoomId(roomId), type, JSON.stringify(content)),
        )
        return JSON.parse(text) as unknown
      }),
  }
}
