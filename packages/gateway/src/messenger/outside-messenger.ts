import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Messenger } from '@hermes/core/agent/messenger.ts'
import { openOutsideCourier } from '../deliver/outside-courier.ts'
import { createMessenger } from './messenger.ts'

/** Lets an agent outside the gateway write to chats. Nothing is held open between two calls. */
export function createOutsideMessenger(agent: () => AgentContext): Messenger {
  async function within<Result>(work: (messenger: Messenger) => Promise<Result>): Promise<Result> {
    using outside = await openOutsideCourier(agent())
    return await work(createMessenger({ agent, ...outside }))
  }
  return {
    places: () => within((messenger) => messenger.places()),
    find: (target, origin) => within((messenger) => messenger.find(target, origin)),
    send: (message, signal) => within((messenger) => messenger.send(message, signal)),
  }
}
