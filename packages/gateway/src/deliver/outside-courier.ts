import type { AgentContext } from '@hermes/core/agent/context.ts'
import { configuredPlatforms } from '../life/configured-platforms.ts'
import { findGateway } from '../life/pid-file.ts'
import { readGatewayState } from '../life/state-file.ts'
import { createChatSessions } from '../sessions/chat-sessions.ts'
import type { ChatSessions } from '../sessions/chat-sessions.ts'
import { openGatewayDatabase } from '../store/gateway-database.ts'
import { createOutbox } from '../store/outbox.ts'
import { createCourier, outgoingOf } from './courier.ts'
import type { Courier } from './courier.ts'
import { sendDirectly } from './send-directly.ts'
import { wakeGateway } from './wake-file.ts'

/** The chats of a home, for a process that is not its gateway. Disposing of it closes what it reads. */
export interface OutsideCourier extends Disposable {
  readonly courier: Courier
  readonly sessions: ChatSessions
  /** Those that are set up, by name. */
  readonly platforms: ReadonlyMap<string, unknown>
  /** Whether the gateway works on a message of a chat. */
  isBusy(sessionKey: string): Promise<boolean>
}

/**
 * Brings things to the chats of a home from beside its gateway: by that one's outbox where it runs, else by connecting to
 * the platform for as long as it takes.
 */
export async function openOutsideCourier(agent: AgentContext): Promise<OutsideCourier> {
  const { home, clock } = agent
  const { ready } = await configuredPlatforms(agent)
  const byName = new Map(ready.map((one) => [one.platform.name, one]))
  const db = await openGatewayDatabase(home)
  const sessions = createChatSessions(db, () => agent)
  const platforms = new Map(ready.map(({ platform }) => [platform.name, platform]))
  const queued = createCourier({
    agent: () => agent,
    db,
    outbox: createOutbox(db, () => clock.now()),
    sessions,
    platforms,
    wake: () =>
      void wakeGateway(home).catch((error: unknown) =>
        agent.log.warn({ error: String(error) }, 'the gateway cannot be told of a message'),
      ),
  })
  const courier: Courier = {
    find: (target, origin) => queued.find(target, origin),
    async deliver(parcel, signal) {
      const one = byName.get(parcel.chat.platform)
      if (!one || (await isServed(parcel.chat.platform, agent))) return queued.deliver(parcel, signal)
      const parts = await outgoingOf(parcel, { agent, limits: one.platform.limits }, signal)
      await sendDirectly(parts, one, agent, signal)
    },
  }
  return {
    courier,
    sessions,
    platforms,
    isBusy: (sessionKey) =>
      db.read(
        () =>
          db.prepare(`SELECT 1 FROM inbox WHERE session_key = ? AND state = 'running' LIMIT 1`).get(sessionKey) !==
          undefined,
      ),
    [Symbol.dispose]: () => db.close(),
  }
}

/** Whether the home's gateway runs, and for this platform. */
async function isServed(platform: string, { home }: AgentContext): Promise<boolean> {
  const gateway = await findGateway(home)
  if (!gateway || gateway.pid === process.pid) return false
  const report = await readGatewayState(home)
  // Before it has written what it runs for it is believed to.
  return report === undefined || report.pid !== gateway.pid || report.platforms[platform] !== undefined
}
