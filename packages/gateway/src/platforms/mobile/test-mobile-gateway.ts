import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { startGateway } from '../../gateway.ts'
import type { Platform } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { connectMobile } from './connect.ts'
import type { MobileTiming } from './connect.ts'
import { mobile } from './index.ts'
import type { MobileSettings } from './settings.ts'
import { connectDevice } from './test-device.ts'
import type { TestDeviceOptions } from './test-device.ts'

export interface TestMobileOptions {
  /** Answers of the model; titles are answered by themselves. */
  readonly script?: (request: RecordedRequest) => ScriptedAnswer
  readonly config?: string
  readonly environment?: string
  readonly timing?: MobileTiming
  readonly work?: Readonly<Record<string, string>>
}

/** The whole gateway with the mobile platform on a free port, for tests. */
export async function openMobileGateway(options: TestMobileOptions = {}) {
  const { config = '', environment = 'MOBILE_ALLOW_ALL_DEVICES=true', timing, work } = options
  const script = options.script ?? ((request) => ({ text: `You said: ${lastUser(request)}` }))
  const agent = await startScriptedAgent({
    script: (request) => (request.body.tools ? script(request) : { text: 'A title' }),
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\ntools: {search: never}\n${config}`,
    home: { '.env': `MOBILE_TOKEN=the-token\nMOBILE_HOME_CHANNEL=phone-1\n${environment}\n` },
    ...(work && { work }),
  })
  let port = 0
  const platform: Platform<MobileSettings, FaceHost> = {
    ...mobile,
    async connect(settings, host, signal) {
      const connection = await connectMobile({ ...settings, port: 0 }, host, signal, timing)
      port = connection.port
      return connection
    },
  }
  const start = async () => {
    const { context } = agent
    const setup = platform.read(context.config, context.environment)
    if (setup.state !== 'ready') throw new Error('the platform is not set up')
    const started = await startGateway({ agent: context, platforms: [{ platform, settings: setup.settings }] })
    while (started.platforms()[0]?.state === 'connecting') await new Promise((resolve) => setImmediate(resolve))
    return started
  }
  let gateway = await start().catch(async (error: unknown) => {
    await agent[Symbol.asyncDispose]()
    throw error
  })
  return {
    agent,
    get gateway() {
      return gateway
    },
    get url() {
      return `ws://127.0.0.1:${port}/ws`
    },
    device: (more: Partial<TestDeviceOptions> = {}) => connectDevice({ url: `ws://127.0.0.1:${port}/ws`, ...more }),
    async idle() {
      while (gateway.busy > 0) await new Promise((resolve) => setImmediate(resolve))
    },
    async restart() {
      await gateway[Symbol.asyncDispose]()
      await agent.reopen()
      gateway = await start()
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}

export function lastUser(request: RecordedRequest): string {
  const content = (request.body.messages ?? []).findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** Whether the model has just got what its tool did. */
export function isAfterTool(request: RecordedRequest): boolean {
  return request.body.messages?.at(-1)?.role === 'tool'
}
