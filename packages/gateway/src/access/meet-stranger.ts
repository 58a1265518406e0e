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

/** In a direct chat a stranger is let in by the code of an invitation, or gets a code; elsewhere nothing is said. */
export async function meetStranger(message: InboundMessage, services: StrangerServices): Promise<void> {
  const { source, eventId } = message
  const text = source.chatType === 'dm' ? await answerTo(message, services) : undefined
  if (text === undefined) return
  const { platform, chatId } = source
  await services.outbox.add([
    { key: `pair:${platform}:${chatId}:${eventId}`, chat: chatOf(source), part: { type: 'text', text } },
  ])
  services.wake(platform)
}

async function answerTo(
  { source: { platform, userId, userName = '' }, text }: InboundMessage,
  { agent, pairing }: StrangerServices,
): Promise<string | undefined> {
  if (!userId) return undefined
  if (await pairing.accept(platform, text, { userId, userName })) return '✅ You are let in. What can I do for you?'
  if (strangersGet(platform, agent.config) !== 'pair') return undefined
  const got = await pairing.request(platform, userId, userName)
  if (got.type === 'silence') return undefined
  return got.type === 'code'
    ? `Hello! I do not know you yet. If this agent is yours, run this where it is installed:\n\n\`hermes pairing approve ${platform} ${got.code}\`\n\nThe code holds for an hour.`
    : 'Too many people have asked to be let in. Try again later.'
}
