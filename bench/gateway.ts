import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { temporaryHome } from '@hermes/testing'
import { startChatWorld } from './chat-world.ts'
import type { ChatWorld } from './chat-world.ts'
import { fivePlatforms } from './five-platforms.ts'
import { quantile } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes, residentBytes, startProgram } from './processes.ts'
import { ownMs } from './timed-model.ts'
import type { Exchange } from './timed-model.ts'
import { skillsThere } from './skills-there.ts'

/** Conversations at once, and the time over which their messages come. */
const [chats, spreadMs] = [500, 10_000]
/** The model thinks until all have asked. */
const thinkMs = spreadMs + 2_000
const [hungChats, controlChats] = [20, 50]

/** The gateway with many conversations: what it adds to the model's own time, and whether commands come through. */
export async function gateway(): Promise<readonly Row[]> {
  const five = await fivePlatforms()
  await using world = await startChatWorld()
  await using home = await temporaryHome({
    'config.yaml': `model: {default: bench, base_url: "${world.url}/v1", api_key: made-up-key-123456}
memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
`,
    '.env': `BENCH_URL=${world.url}\nBENCH_ALLOW_ALL_USERS=true\nBENCH_HOME_CHANNEL=1\n`,
  })
  await mkdir(home.path('plugins'), { recursive: true })
  await cp(join(import.meta.dirname, 'gateway-plugin'), home.path('plugins', 'bench'), { recursive: true })
  await using ours = await startProgram([hermes, 'gateway', 'run'], home.environment, /(runs for)/)
  await skillsThere(home)

  await answered(world, [world.write('warm', '%', 0)])
  const first = await manyAtOnce(world)
  const second = await manyAtOnce(world)
  const rows: Row[] = [
    ...five,
    row(`own latency, ${chats} new chats at once, p99`, quantile(first.map(ownMs), 0.99), 50),
    row(`own latency, ${chats} chats that go on, p99`, quantile(second.map(ownMs), 0.99), 50),
    row('… median', quantile(second.map(ownMs), 0.5)),
    { name: 'memory after them', value: (await residentBytes(ours.pid)) / 1e6, unit: 'MB', goal: { atMost: 250 } },
  ]
  for (let n = 0; n < hungChats; n++) world.write(`hung${n}`, '%', Infinity)
  await wait(1_000)
  const commands = Array.from({ length: controlChats }, (_, n) => world.write(`control${n}`, '/status', 0))
  await answered(world, commands)
  rows.push(
    row(
      `/status in ${controlChats} chats while ${hungChats} turns hang, p99`,
      quantile(commands.map(totalMs), 0.99),
      1_000,
    ),
  )
  return rows
}

async function manyAtOnce(world: ChatWorld): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  const from = performance.now()
  for (let n = 0; n < chats; n++) {
    await wait(Math.max(0, from + (n * spreadMs) / chats - performance.now()))
    exchanges.push(world.write(`chat${n}`, 'This is %.', thinkMs))
  }
  await answered(world, exchanges)
  return exchanges
}

function answered(world: ChatWorld, exchanges: readonly Exchange[]): Promise<void> {
  return world.until(exchanges, 120_000)
}

function totalMs({ writtenAt, postedAt = Number.NaN }: Exchange): number {
  return postedAt - writtenAt
}

function row(name: string, value: number, goal?: number): Row {
  return { name, value, unit: 'ms', ...(goal !== undefined && { goal: { atMost: goal } }) }
}
