import type { Redactor } from '../security/redact.ts'

/** Something about a background command that the agent asked to be told. */
export type ProcessNotification =
  | {
      readonly type: 'completion'
      readonly processId: string
      readonly command: string
      readonly exitCode: number
      /** The end of its output. */
      readonly output: string
    }
  | {
      readonly type: 'watch-match'
      readonly processId: string
      readonly command: string
      readonly pattern: string
      /** The lines that matched. */
      readonly output: string
      /** Matches before this one that were too many to tell. */
      readonly suppressed: number
    }
  | {
      readonly type: 'watch-disabled'
      readonly processId: string
      readonly command: string
      readonly suppressed: number
    }

/** A notification as the agent reads it. */
export function describeNotification(notification: ProcessNotification): string {
  const { processId, command } = notification
  const what = `Background process ${processId} (${command})`
  if (notification.type === 'completion') {
    return `[${what} ended with exit code ${notification.exitCode}. The end of its output:\n${notification.output}]`
  }
  const { suppressed } = notification
  if (notification.type === 'watch-disabled') {
    return `[${what} matched its patterns too often (${suppressed} not shown), so they are off now. Use process poll or log.]`
  }
  const more = suppressed > 0 ? ` (${suppressed} earlier matches not shown)` : ''
  return `[${what} wrote lines that match "${notification.pattern}"${more}:\n${notification.output}]`
}

const maxNotifications = 100

export interface NotificationQueue {
  /** `isWanted` is asked again when it is taken. */
  add(notification: ProcessNotification, isWanted?: () => boolean): void
  take(): readonly ProcessNotification[]
  listen(listener: () => void): () => void
  /** Nothing is added or told any more. */
  close(): void
}

/** Bounded; the oldest are dropped. */
export function createNotificationQueue(redactor: Redactor): NotificationQueue {
  const waiting: { readonly notification: ProcessNotification; readonly isWanted: () => boolean }[] = []
  const listeners = new Set<() => void>()
  let closed = false
  return {
    add(notification, isWanted = () => true) {
      if (closed) return
      waiting.push({ notification: redacted(notification, redactor), isWanted })
      if (waiting.length > maxNotifications) waiting.shift()
      for (const listener of listeners) listener()
    },
    take() {
      return waiting.splice(0).flatMap(({ notification, isWanted }) => (isWanted() ? [notification] : []))
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      closed = true
      listeners.clear()
    },
  }
}

function redacted(notification: ProcessNotification, redactor: Redactor): ProcessNotification {
  const command = redactor.redact(notification.command)
  if (notification.type === 'watch-disabled') return { ...notification, command }
  return { ...notification, command, output: redactor.redact(notification.output) }
}
