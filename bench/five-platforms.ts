import { setTimeout as wait } from 'node:timers/promises'
import { temporaryHome } from '@hermes/testing'
import { startDiscord } from '@hermes/testing/discord/server.ts'
import { startSlack } from '@hermes/testing/slack/server.ts'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { median } from './measure.ts'
import type { Row } from './measure.ts'
import { processorMs, hermes, node, residentBytes, startProgram } from './processes.ts'
import { skillsThere } from './skills-there.ts'

const rounds = 5

/** It says that it runs, and that each platform is connected, in whatever order. */
const isReady =
  /^(?=[^]*runs for)(?=[^]*telegram: connected)(?=[^]*discord: connected)(?=[^]*slack: connected)(?=[^]*webhook: connected)(?=[^]*mobile: connected)()/

/** When a configuration that was just written is taken to be at rest, and more, ms. */
const restMs = 2_500

/** How long it is left alone before its memory counts, and over which its work is measured, ms. */
const [settleMs, idleMs] = [5_000, 10_000]

/**
 * The gateway with five platforms: when it runs and is connected to all of them (they are on this machine), what it holds
 * and does when nobody writes. It is started as on every day but the first: what earlier starts have cached is there.
 */
export async function fivePlatforms(): Promise<readonly Row[]> {
  await using telegram = await startTelegram()
  await using discord = await startDiscord()
  await using slack = await startSlack()
  await using home = await temporaryHome({
    'config.yaml': `model: {default: bench, base_url: "http://127.0.0.1:9/v1", api_key: made-up-key-123456}
platforms:
  telegram: {extra: {base_url: "${telegram.url}/bot"}}
  discord: {extra: {base_url: "${discord.apiUrl}"}}
  slack: {extra: {base_url: "${slack.url}/api"}}
  webhook: {enabled: true, extra: {port: 0, secret: made-up-secret}}
`,
    '.env': `TELEGRAM_BOT_TOKEN=${telegram.token}
DISCORD_BOT_TOKEN=${discord.token}
SLACK_BOT_TOKEN=${slack.botToken}
SLACK_APP_TOKEN=${slack.appToken}
MOBILE_TOKEN=made-up-token
MOBILE_PORT=0
`,
  })
  const start = () => startProgram([hermes, 'gateway', 'run'], home.environment, isReady)
  {
    // Before it has been at rest nothing is cached of a configuration that has just been written.
    await using _first = await start()
    await skillsThere(home)
    await wait(restMs)
  }
  const bare: number[] = []
  const ready: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const from = performance.now()
    await node(['-e', '0'], home.environment)
    const bareMs = performance.now() - from
    const readyMs = await timeToReady(start)
    if (round > 0) {
      bare.push(bareMs)
      ready.push(readyMs)
    }
  }
  await using ours = await start()
  await wait(settleMs)
  const before = await processorMs(ours.pid)
  await wait(idleMs)
  const idlePart = ((await processorMs(ours.pid)) - before) / idleMs
  return [
    {
      name: 'gateway with five platforms: all connected',
      value: median(ready),
      unit: 'ms',
      floor: median(bare),
      floorName: 'node -e 0',
      goal: { ratioAtMost: 6 },
    },
    { name: '… memory, idle', value: (await residentBytes(ours.pid)) / 1e6, unit: 'MB', goal: { atMost: 100 } },
    { name: '… processor, idle', value: idlePart * 100, unit: '%', goal: { atMost: 0.5 } },
  ]
}

async function timeToReady(start: () => Promise<AsyncDisposable>): Promise<number> {
  const from = performance.now()
  await using _gateway = await start()
  return performance.now() - from
}
