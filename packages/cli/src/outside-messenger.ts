import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Messenger } from '@hermes/core/agent/messenger.ts'

/** Lets the agent write to chats from here. What that takes is loaded when it is used. */
export function outsideMessenger(agent: () => AgentContext): Messenger {
  const load = async () =>
    (await import('@hermes/gateway/messenger/outside-messenger.ts')).createOutsideMessenger(agent)
  return {
    async lacks() {
      const { isAnyMentioned } = await import('@hermes/gateway/platforms/mentioned.ts')
      return isAnyMentioned(agent()) ? undefined : 'no chat platform is set up (hermes gateway setup)'
    },
    places: async () => (await load()).places(),
    find: async (target, origin) => (await load()).find(target, origin),
    send: async (message, signal) => (await load()).send(message, signal),
  }
}
