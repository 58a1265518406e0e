import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { temporaryHome } from '@hermes/testing'
import { freePort } from '@hermes/testing/free-ports.ts'
import { median, quantile } from './measure.ts'
import type { Row } from './measure.ts'
import { forgetPeak, hermes, peakBytes, processorMs, residentBytes, startProgram } from './processes.ts'
import { connectDevice } from './phone-devices.ts'
import type { BenchDevice } from './phone-devices.ts'
import { createTimedModel, ownMs } from './timed-model.ts'
import type { Exchange } from './timed-model.ts'
import { skillsThere } from './skills-there.ts'

const token = 'made-up-token-of-the-bench'

const devices = 1_000
/** Messages a second among all of them, and how many. */
const [perSecond, messages] = [20, 300]
const thinkMs = 300

const megabyte = 1024 * 1024
const fileBytes = 40 * megabyte
const chunkBytes = 3 * megabyte

/** The gateway with many phones: what it adds to the model's own time, what a connection and a large file take. */
export async function phones(): Promise<readonly Row[]> {
  const model = createTimedModel()
  const server = createServer((request, response) => {
    model.serve(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ours = await freePort()
  await using home = await temporaryHome({
    'config.yaml': `model: {default: bench, base_url: "http://127.0.0.1:${port}/v1", api_key: made-up-key-123456}
memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
terminal: {cwd: .}
`,
    '.env': `MOBILE_TOKEN=${token}\nMOBILE_PORT=${ours}\nMOBILE_ALLOW_ALL_DEVICES=true\nMOBILE_HOME_CHANNEL=phone0\n`,
  })
  const large = home.path('large.bin')
  await writeFile(large, randomBytes(fileBytes))
  try {
    await using gateway = await startProgram([hermes, 'gateway', 'run'], home.environment, /(runs for)/)
    await skillsThere(home)
    const url = `ws://127.0.0.1:${ours}/ws`
    const connect = (count: number, name: string) => connectAll(count, { url, name, onReply: (id) => model.posted(id) })
    const say = async (some: readonly BenchDevice[]) => manyMessages(some, model)

    // What is loaded by the first connections and turns is no part of what the later ones take.
    const early = await connect(100, 'early')
    await say(early.slice(0, 40))
    await Promise.all(early.map((device) => device.close()))
    await wait(1_000)
    const before = await residentBytes(gateway.pid)
    const all = await connect(devices, 'phone')
    await wait(1_000)
    const perConnection = ((await residentBytes(gateway.pid)) - before) / devices / 1024
    const first = await say(all.slice(0, messages))
    const busyBefore = await processorMs(gateway.pid)
    const second = await say(all.slice(0, messages))
    const busy = ((await processorMs(gateway.pid)) - busyBefore) / messages
    await Promise.all(all.map((device) => device.close()))

    const grown = await transfers({ url, pid: gateway.pid, large, model })
    return [
      latency(`own latency, ${devices} phones, ${perSecond} messages a second, new ones, p99`, first, 0.99, 25),
      latency('own latency, conversations that go on, p99', second, 0.99, 25),
      latency('… median', second, 0.5),
      // Says more than the latency on a machine that does other things.
      { name: '… processor time a message', value: busy, unit: 'ms' },
      { name: 'memory of a connection', value: perConnection, unit: 'KB', goal: { atMost: 40 } },
      { name: '40 MB from a phone, memory grown by', value: grown.up, unit: 'MB', goal: { atMost: 16 } },
      { name: '40 MB to a phone, memory grown by', value: grown.down, unit: 'MB', goal: { atMost: 16 } },
    ]
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

interface Connecting {
  readonly url: string
  readonly name: string
  readonly onReply: (id: string) => void
}

async function connectAll(count: number, { url, name, onReply }: Connecting): Promise<readonly BenchDevice[]> {
  const connected: BenchDevice[] = []
  // As many at once as a gateway that has just started may see.
  for (let from = 0; from < count; from += 50) {
    const some = Array.from({ length: Math.min(50, count - from) }, (_, at) =>
      connectDevice({ url, token, id: `${name}${from + at}`, onReply }),
    )
    connected.push(...(await Promise.all(some)))
  }
  return connected
}

/** Each of them writes once, in even distances. */
async function manyMessages(
  some: readonly BenchDevice[],
  model: ReturnType<typeof createTimedModel>,
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  const from = performance.now()
  for (const [at, device] of some.entries()) {
    await wait(Math.max(0, from + (at * 1_000) / perSecond - performance.now()))
    const { exchange, words } = model.begin(device.id, { thinkMs })
    device.send({ t: 'text', id: words, text: `This is ${words}.` })
    exchanges.push(exchange)
  }
  await model.until(exchanges, 60_000)
  return exchanges
}

interface Transferring {
  readonly url: string
  readonly pid: number
  /** The file that the agent sends. */
  readonly large: string
  readonly model: ReturnType<typeof createTimedModel>
}

/** What a file of 40 MB each way takes at its peak, MB; the first ones warm up. */
async function transfers({ url, pid, large, model }: Transferring): Promise<{ up: number; down: number }> {
  let arrived = Promise.withResolvers<number>()
  const device = await connectDevice({
    url,
    token,
    id: 'carrier',
    onReply: (id) => model.posted(id),
    onFile: (bytes) => arrived.resolve(bytes),
  })
  const data = randomBytes(chunkBytes).toString('base64')
  const parts = Math.ceil(fileBytes / chunkBytes)
  const up = async () => {
    const { exchange, words } = model.begin(device.id, { thinkMs: 0 })
    const file = { t: 'media', id: words, kind: 'document', mime: 'a/b', filename: 'a.bin', caption: words, parts }
    for (let part = 0; part < parts; part++) await device.sent({ ...file, part, data })
    await model.until([exchange], 60_000)
  }
  const down = async () => {
    arrived = Promise.withResolvers<number>()
    const { exchange, words } = model.begin(device.id, { thinkMs: 0, answer: `Here.\nMEDIA:${large}` })
    device.send({ t: 'text', id: words, text: `Send it: ${words}` })
    await model.until([exchange], 60_000)
    if ((await arrived.promise) !== fileBytes) throw new Error('another file came')
  }
  const grown = async (move: () => Promise<void>) => {
    const before = await residentBytes(pid)
    await forgetPeak(pid)
    await move()
    return ((await peakBytes(pid)) - before) / megabyte
  }
  const figures: Record<'up' | 'down', number[]> = { up: [], down: [] }
  for (let round = 0; round < 4; round++) {
    const [upwards, downwards] = [await grown(up), await grown(down)]
    if (round === 0) continue
    figures.up.push(upwards)
    figures.down.push(downwards)
  }
  await device.close()
  return { up: median(figures.up), down: median(figures.down) }
}

function latency(name: string, exchanges: readonly Exchange[], part: number, goal?: number): Row {
  const value = quantile(exchanges.map(ownMs), part)
  return { name, value, unit: 'ms', ...(goal !== undefined && { goal: { atMost: goal } }) }
}
