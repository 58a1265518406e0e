import type { AgentContext } from '@hermes/core/agent/context.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import type { Outbox } from '../store/outbox.ts'
import type { PairingStore } from './pairing-store.ts'
import { strangersGet } from './strangers.ts'

export interface StrangerServices {
  readonly agent: Pick<AgentContext, 'config'>
  readonly pairing: PairingStore
  readonly outbox: Outbox
  readonly wake: (platform: string) => void
}

/** In a direct chat a stranger gets a code; elsewhere nothing is said. */
export async function meetStranger(
  { source, eventId }: InboundMessage,
  { agent, pairing, outbox, wake }: StrangerServices,
): Promise<void> {
  const { userId, platform } = source
  if (!userId || source.chatType !== 'dm' || strangersGet(platform, agent.config) !== 'pair') return
  const got = await pairing.request(platform, userId, source.userName ?? '')
  if (got.type === 'silence') return
  const text =
    got.type === 'code'
      ? `Hello! I do not know you yet. If this agent is yours, run this where it is installed:\n\n\`hermes pairing approve ${platform} ${got.code}\`\n\nThe code holds for an hour.`
      : 'Too many people have asked to be let in. Try again later.'
  await outbox.add([
    { key: `pair:${platform}:${source.chatId}:${eventId}`, chat: chatOf(source), part: { type: 'text', text } },
  ])
  wake(platform)
}
