import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { ScriptedAgentOptions } from '@hermes/testing/scripted-agent.ts'
import { startGateway } from '../../gateway.ts'
import type { FaceHost } from '../turn-face.ts'
import { connectPheby } from './connect.ts'
import { pheby } from './index.ts'
import type { PhebySettings } from './settings.ts'
import { connectTestClient } from './test-client.ts'

export const secret = 'the-secret-of-tests'

const quiet = 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n'

/** A real gateway with Pheby alone on a free port, and a scripted model. */
export async function openTestPheby(
  options: ScriptedAgentOptions & { readonly settings?: Partial<PhebySettings> } = {},
) {
  const agent = await startScriptedAgent({
    ...options,
    config: `${quiet}${options.config ?? ''}`,
    home: { '.env': 'PHEBY_HOME_CHANNEL=home\n', ...options.home },
  })
  const settings: PhebySettings = {
    secret,
    host: '127.0.0.1',
    port: 0,
    origins: [],
    retentionDays: 7,
    requestsPerMinute: 100_000_000,
    helloTimeoutMs: 10_000,
    pingMs: 30_000,
    ...options.settings,
  }
  let port = 0
  let face: FaceHost | undefined
  const platform: typeof pheby = {
    ...pheby,
    async connect(given, host, signal) {
      face = host
      const connection = await connectPheby(given, host, signal)
      port = connection.port
      return connection
    },
  }
  const start = async () => {
    const gateway = await startGateway({ agent: agent.context, platforms: [{ platform, settings }] })
    while (gateway.platforms()[0]?.state === 'connecting') await new Promise((resolve) => setImmediate(resolve))
    return gateway
  }
  let gateway = await start()
  return {
    agent,
    get gateway() {
      return gateway
    },
    get url() {
      return `ws://127.0.0.1:${port}/ws`
    },
    get origin() {
      return `http://127.0.0.1:${port}`
    },
    /** What the gateway gives to its faces. */
    get host() {
      if (!face) throw new Error('not connected')
      return face
    },
    connect: () => connectTestClient(`ws://127.0.0.1:${port}/ws`, { secret }),
    async stop() {
      await gateway[Symbol.asyncDispose]()
    },
    async start() {
      await agent.reopen()
      gateway = await start()
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}
