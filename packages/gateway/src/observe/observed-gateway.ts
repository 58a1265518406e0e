import type { WorkObserver } from '@hermes/core/agent/work-observer.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import type { PlatformStatus } from '../platforms/platform-runner.ts'
import type { Reception } from '../platforms/turn-face.ts'

interface Watching {
  readonly log: Logger
  readonly observer: WorkObserver | undefined
}

/** The same reception; who watches is told of each message, and the log has a line of it that says nothing of its text. */
export function observedReception(
  take: (message: InboundMessage) => Promise<Reception>,
  { log, observer }: Watching,
): (message: InboundMessage) => Promise<Reception> {
  return async (message) => {
    const outcome = await take(message)
    const { platform, chatType } = message.source
    observer?.note({ kind: 'message', platform, outcome })
    log.info({ name: `gateway.${platform}`, chatType, outcome }, 'message received')
    return outcome
  }
}

/** The same listener; the log and who watches are told, too. */
export function observedStatus(
  listener: ((status: PlatformStatus) => void) | undefined,
  { log, observer }: Watching,
): (status: PlatformStatus) => void {
  return (status) => {
    const { platform, state } = status
    observer?.note({ kind: 'platform-state', platform, state })
    log.info({ name: `gateway.${platform}` }, `platform ${state}`)
    listener?.(status)
  }
}
