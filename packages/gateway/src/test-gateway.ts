import type { AgentContext } from '@hermes/core/agent/context.ts'
import { startGateway } from './gateway.ts'
import { createTestPlatform } from './platforms/test-platform.ts'
import type { TestPlatformOptions } from './platforms/test-platform.ts'

/** An agent that tests can close and open again. */
export interface TestAgent extends AsyncDisposable {
  readonly context: AgentContext
  reopen(): Promise<void>
}

/** A gateway with one platform in memory, for tests. Closes the agent with itself. */
export async function openTestGateway<Agent extends TestAgent>(
  all: Agent,
  options: Omit<TestPlatformOptions, 'name'> = {},
) {
  const platform = createTestPlatform(options)
  const start = async () => {
    const gateway = await startGateway({ agent: all.context, platforms: [{ platform, settings: null }] })
    while (gateway.platforms()[0]?.state === 'connecting') await new Promise((resolve) => setImmediate(resolve))
    return gateway
  }
  let gateway = await start()
  return {
    all,
    platform,
    get gateway() {
      return gateway
    },
    /** Resolves when no turn runs. */
    async idle() {
      while (gateway.busy > 0) await new Promise((resolve) => setImmediate(resolve))
    },
    /** Writes, and resolves to the next message that comes. */
    async say(text: string, more?: Parameters<typeof platform.write>[1]) {
      const before = platform.sent.length
      await platform.write(text, more)
      return (await platform.waitForSent(before + 1))[before]?.text ?? ''
    },
    async restart() {
      await gateway[Symbol.asyncDispose]()
      await all.reopen()
      gateway = await start()
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await all[Symbol.asyncDispose]()
    },
  }
}
