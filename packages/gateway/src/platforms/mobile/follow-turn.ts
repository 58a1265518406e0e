import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import { chatDisplay } from '../../display/chat-display.ts'
import { visibleText } from '../../turn/deliverables.ts'
import type { FaceTurn, TurnFollower, TurnSettlement } from '../turn-face.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { Devices } from './devices.ts'
import { createDraft } from './draft.ts'
import type { Draft } from './draft.ts'
import type { OpenReplies } from './open-replies.ts'
import { say, sayInstead } from './say.ts'

/** Fewer characters are no message yet. */
const leastChars = 4

export interface FollowOptions {
  readonly devices: Devices
  readonly log: DeliveryLog
  readonly home: Home
  readonly replies: OpenReplies
  readonly config: Config
  readonly logger: Logger
}

/** Shows a turn on its device: the avatar, that the agent writes, what it says between its tools, the answer as it grows. */
export function followTurn(turn: FaceTurn, options: FollowOptions): TurnFollower {
  const { devices, log, home, replies, config, logger } = options
  const { eventId: event } = turn
  const deviceId = turn.chat.chatId
  const display = chatDisplay(config, turn.chat.platform)
  const onFailure = (error: unknown) => logger.warn({ error: String(error) }, 'a turn is not shown on its device')
  let text = ''
  let draft: Draft | undefined
  let toolsRunning = 0
  let interims = 0
  let wasCut = false
  let working: Promise<unknown> = Promise.resolve()

  const newDraft = () =>
    createDraft({ deviceId, event, intervalMs: config.streaming.edit_interval * 1000, devices, log, onFailure })

  function grow(delta: string): void {
    text += delta
    devices.setAvatar(deviceId, 'speaking')
    const visible = visibleText(text)
    if (!display.streaming || visible.trim().length < leastChars) return
    draft ??= newDraft()
    draft.show(visible)
  }

  /** What was said before tools run stands as a message of its own; the reply goes on. */
  function endInterim(): void {
    const [said, grown] = [visibleText(text).trim(), draft]
    text = ''
    draft = undefined
    if (said !== '') working = working.then(() => keep(said, grown)).catch(onFailure)
  }

  async function keep(said: string, grown: Draft | undefined, isFinal = false): Promise<void> {
    const id = await grown?.end()
    if (id !== undefined) await sayInstead({ id, text: said, deviceId, isFinal }, { log })
    else if (display.interim) {
      const key = `said:${deviceId}:${event}:${turn.sessionId}:${Date.now()}:${++interims}`
      await say({ type: 'text', text: said }, { deviceId, key, isFinal }, { log, home })
    }
    devices.wake(deviceId)
  }

  devices.setTyping(deviceId, true)
  devices.setAvatar(deviceId, 'thinking')
  replies.begin(deviceId, event)

  return {
    onEvent(happened: NumberedEvent) {
      if (happened.type === 'text-delta') grow(happened.text)
      if (happened.type === 'answer-reset') text = ''
      if (happened.type === 'reasoning-delta') devices.setAvatar(deviceId, 'thinking')
      if (happened.type === 'answer-end' && happened.toolCalls > 0) endInterim()
      if (happened.type === 'tool-start') {
        toolsRunning++
        devices.setAvatar(deviceId, 'working')
      }
      if (happened.type === 'tool-end' && --toolsRunning <= 0) devices.setAvatar(deviceId, 'thinking')
    },
    async end({ isCut }) {
      await working
      wasCut = isCut
      if (isCut) {
        await draft?.end()
        return undefined
      }
      // A process that died may have begun the message.
      const id = await (draft ?? (turn.isResumed ? newDraft() : undefined))?.end()
      return id === undefined ? undefined : { chat: turn.chat, messageId: id }
    },
    settled(outcome: TurnSettlement) {
      // It goes on after the next start, in the same message.
      if (outcome.status === 'suspended') return
      const said = visibleText(text).trim()
      if (wasCut && draft && said !== '') void keep(`${said} …`, draft, outcome.texts === 0).catch(onFailure)
      replies.settle(deviceId, event, outcome)
    },
  }
}
