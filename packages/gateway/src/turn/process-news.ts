import { randomUUID } from 'node:crypto'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { describeNotification } from '@hermes/core/terminals/process-notification.ts'
import type { ProcessNotification } from '@hermes/core/terminals/process-notification.ts'
import type { ProcessRegistry } from '@hermes/core/terminals/processes.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { InboundMessage, MessageSource } from '../messages/inbound-message.ts'

export interface ProcessNewsOptions {
  readonly agent: () => AgentContext
  readonly lanes: Pick<Lanes, 'add'>
  /** Takes a message over, as one of a person. */
  readonly submit: (message: InboundMessage) => Promise<unknown>
}

interface FollowedChat {
  readonly sessionKey: string
  readonly sessionId: string
  readonly source: MessageSource
}

/** What background commands of a chat have to say, once the agent has asked to be told. */
export interface ProcessNews {
  /** From now on the agent hears of them between its turns, as by a message of its own. */
  follow(chat: FollowedChat): void
}

export function createProcessNews({ agent, lanes, submit }: ProcessNewsOptions): ProcessNews {
  /** Where those of a session are told; the registry goes with its session. */
  const places = new WeakMap<ProcessRegistry, FollowedChat>()

  /** In the chat's lane, since a turn that runs may see by itself what it is about. */
  function tell(processes: ProcessRegistry): void {
    const place = places.get(processes)
    if (!place) return
    const { sessionKey, source } = place
    lanes.add(sessionKey, async () => {
      const level = agent().config.display.background_process_notifications
      const told = processes.takeNotifications().filter((one) => isTold(one, level))
      if (told.length === 0) return
      await submit({
        eventId: `process:${randomUUID()}`,
        source,
        text: told.map(describeNotification).join('\n\n'),
        attachments: [],
        sentAt: agent().clock.now(),
        prepared: { isTyped: false },
        isInternal: true,
      })
    })
  }

  return {
    follow(chat) {
      const { processes } = agent().scopes.get(chat.sessionId)
      if (!places.has(processes)) processes.onNotification(() => tell(processes))
      places.set(processes, chat)
    },
  }
}

function isTold(
  notification: ProcessNotification,
  level: Config['display']['background_process_notifications'],
): boolean {
  if (level === 'all') return true
  if (level === 'off' || notification.type !== 'completion') return false
  return level === 'result' || notification.exitCode !== 0
}
