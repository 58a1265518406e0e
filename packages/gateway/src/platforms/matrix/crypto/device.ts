import type { Logger } from '@hermes/core/log/logger.ts'
import type { OlmMachine } from '@matrix-org/matrix-sdk-crypto-wasm'
import type { AccountState } from '../account-state.ts'
import { dropCryptoStore, openCryptoStore } from './crypto-store.ts'

type CryptoLibrary = typeof import('@matrix-org/matrix-sdk-crypto-wasm')

/** The keys of our device, and the machine that works with them. */
export interface Device {
  readonly library: CryptoLibrary
  readonly machine: OlmMachine
  /**
   * Lets the machine work: one work after the other, and what it has changed is on disk when this resolves. So nothing that
   * follows from it, a message or the end of a sync, is told to anybody before it would survive a crash.
   */
  readonly work: <T>(run: (machine: OlmMachine) => Promise<T>) => Promise<T>
  close(): Promise<void>
}

export interface DeviceName {
  readonly userId: string
  readonly deviceId: string
}

/** Opens the keys of a device, or makes them. */
export async function openDevice({ db }: Pick<AccountState, 'db'>, name: DeviceName, log: Logger): Promise<Device> {
  const library = await import('@matrix-org/matrix-sdk-crypto-wasm')
  await library.initAsync()
  const store = await openCryptoStore(db)
  const tell = (line: unknown) => log.debug({ from: 'matrix-sdk-crypto' }, String(line).slice(0, 500))
  const logger = { debug() {}, info() {}, warn: tell, error: tell }
  const handle = await library.StoreHandle.open(store.name, null, logger)
  const userId = new library.UserId(name.userId)
  const deviceId = new library.DeviceId(name.deviceId)
  const machine = await library.OlmMachine.initFromStore(userId, deviceId, handle, logger)
  await store.save()
  let last: Promise<unknown> = Promise.resolve()

  function work<T>(run: (machine: OlmMachine) => Promise<T>): Promise<T> {
    const done = last.then(async () => {
      try {
        return await run(machine)
      } finally {
        await store.save()
      }
    })
    last = done.catch(() => undefined)
    return done
  }

  return {
    library,
    machine,
    work,
    async close() {
      await last
      machine.close()
      store.close()
    },
  }
}

/** Forgets the keys of a device, so that it is given new ones. */
export async function forgetDevice({ db }: Pick<AccountState, 'db'>): Promise<void> {
  await dropCryptoStore(db)
}
