import type { DeliveryLog } from './delivery-log.ts'
import type { Devices } from './devices.ts'
import { maxTextChars, newId } from './say.ts'

export interface DraftOptions {
  readonly deviceId: string
  /** The event that is answered: after a crash its answer goes on in the message that it had. */
  readonly event: string
  /** Shortest time between two edits, ms. */
  readonly intervalMs: number
  readonly devices: Devices
  readonly log: DeliveryLog
  readonly onFailure: (error: unknown) => void
}

/** A message that grows while the answer comes. What there is no time for is left out: the whole text comes at its end. */
export interface Draft {
  show(text: string): void
  /** No more edits. Resolves to the message's id, where one was begun. */
  end(): Promise<string | undefined>
}

export function createDraft({ deviceId, event, intervalMs, devices, log, onFailure }: DraftOptions): Draft {
  let id: string | undefined
  let wanted = ''
  let shown = ''
  let lastAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()
  let isOver = false

  async function update(): Promise<void> {
    timer = undefined
    const text = wanted.slice(0, maxTextChars).toWellFormed()
    if (isOver || text === shown) return
    lastAt = performance.now()
    shown = text
    const frame = { t: 'message', text, index: 0, total: 1, final: false } as const
    try {
      id ??= await log.draft(deviceId, event)
      if (id === undefined) {
        const first = { ...frame, id: newId() }
        id = await log.append(deviceId, [{ kind: 'message', frame: first }], { event })
        devices.wake(deviceId)
      } else devices.show(deviceId, { ...frame, id, edit: true })
    } catch (error) {
      isOver = true
      onFailure(error)
    }
    if (wanted !== text) plan()
  }

  function plan(): void {
    if (isOver || timer) return
    timer = setTimeout(
      () => {
        working = update()
      },
      Math.max(0, lastAt + intervalMs - performance.now()),
    )
  }

  return {
    show(text) {
      wanted = text
      plan()
    },
    async end() {
      clearTimeout(timer)
      isOver = true
      await working
      return (id ??= await log.draft(deviceId, event))
    },
  }
}
