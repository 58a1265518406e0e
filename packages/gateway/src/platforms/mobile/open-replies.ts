import type { TurnSettlement } from '../turn-face.ts'
import type { Devices } from './devices.ts'

/** Events of one device that are remembered; the oldest give way. */
const maxEvents = 200

/** How long the parts of an outcome may take to be said before the avatar rests all the same, ms. */
const restMs = 10_000

/** Which messages of a device are not answered yet. When nothing of an answer is missing any more, its avatar rests. */
export interface OpenReplies {
  /** A message was taken over, or its turn begins. False where that is known. */
  begin(deviceId: string, event: string): boolean
  /** It gets no turn. */
  drop(deviceId: string, event: string): void
  /** Its turn is over; so many parts are still to be said. */
  settle(deviceId: string, event: string, outcome: TurnSettlement): void
  /** Something was said on a device. */
  said(deviceId: string): void
  /** Whether an answer is still to come. */
  isOpen(deviceId: string): boolean
  close(): void
}

interface Resting {
  left: number
  readonly status: TurnSettlement['status']
  readonly timer: NodeJS.Timeout
}

export function createOpenReplies(devices: Devices): OpenReplies {
  const open = new Map<string, Set<string>>()
  const resting = new Map<string, Resting>()

  function rest(deviceId: string, status: TurnSettlement['status']): void {
    clearTimeout(resting.get(deviceId)?.timer)
    resting.delete(deviceId)
    if (open.has(deviceId)) return
    devices.setTyping(deviceId, false)
    devices.setAvatar(deviceId, status === 'failed' ? 'error' : 'idle')
  }

  function drop(deviceId: string, event: string): void {
    const events = open.get(deviceId)
    events?.delete(event)
    if (events?.size === 0) open.delete(deviceId)
  }

  return {
    begin(deviceId, event) {
      const events = open.get(deviceId) ?? new Set()
      const isNew = !events.has(event)
      open.set(deviceId, events.add(event))
      const [oldest] = events
      if (events.size > maxEvents && oldest !== undefined) events.delete(oldest)
      return isNew
    },
    drop,
    settle(deviceId, event, { status, texts, files }) {
      drop(deviceId, event)
      const left = texts + files
      if (left === 0) return rest(deviceId, status)
      clearTimeout(resting.get(deviceId)?.timer)
      const timer = setTimeout(() => rest(deviceId, status), restMs).unref()
      resting.set(deviceId, { left, status, timer })
    },
    said(deviceId) {
      const waiting = resting.get(deviceId)
      if (waiting && --waiting.left <= 0) rest(deviceId, waiting.status)
    },
    isOpen: (deviceId) => open.has(deviceId),
    close() {
      for (const { timer } of resting.values()) clearTimeout(timer)
      resting.clear()
    },
  }
}
