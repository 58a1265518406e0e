import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryHome } from '@hermes/testing'
import { interleaved, median, timed } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes, node, processorMs, residentBytes, startProgram } from './processes.ts'
import type { StartedProgram } from './processes.ts'
import { skillsThere } from './skills-there.ts'

const key = 'made-up-key-of-the-bench'
const connections = [1, 16, 64]
const spellMs = 2_000
const rounds = 3
const firstTokens = 150
const startRounds = 5
/** When a process that has nothing to do has come to rest. */
const idleMs = 2_000

/**
 * The API server against a bare proxy that stores two rows: ready, first request, requests a second and what each takes of
 * the processor, first token, memory. It is started as on every day but the first: what earlier starts have cached is there.
 */
export async function api(): Promise<readonly Row[]> {
  await using model = await startProgram([script('api-model.ts')], {}, /^(\d+)$/)
  await using home = await temporaryHome({
    'config.yaml': `model: {default: bench, base_url: "http://127.0.0.1:${model.found}/v1", api_key: made-up-key-123456}\n`,
  })
  const environment = { ...home.environment, API_SERVER_KEY: key, API_SERVER_PORT: '0' }
  const start = () =>
    startProgram([hermes, 'gateway', 'run'], environment, /API server \(http:\/\/127\.0\.0\.1:(\d+)\)/)
  {
    // Before it has been at rest nothing is cached of a configuration that has just been written.
    await using first = await start()
    await skillsThere(home)
    await oneRequest(new Agent(), Number(first.found), { stream: false })
    await sleep(idleMs)
  }
  const starts = await interleaved(startRounds, {
    bare: () => timed(() => node(['-e', '0'], environment)),
    ready: async () => {
      const from = performance.now()
      await using started = await start()
      const readyMs = performance.now() - from
      await oneRequest(new Agent(), Number(started.found), { stream: false })
      return readyMs
    },
  })
  await using ours = await start()
  await sleep(idleMs)
  await using floor = await startProgram([script('api-floor.ts'), model.found, home.path('.')], {}, /^(\d+)$/)
  const sides = { ours: placeOf(ours), floor: placeOf(floor) }

  const firstMs = await oneRequest(new Agent({ keepAlive: true }), sides.ours.port, { stream: false })
  await sleep(idleMs)
  const idleBytes = await residentBytes(ours.pid)
  const rows: Row[] = [
    {
      name: 'gateway with the API server: ready',
      value: starts.ready,
      unit: 'ms',
      floor: starts.bare,
      floorName: 'node -e 0',
      goal: { ratioAtMost: 6 },
    },
    { name: '… first request', value: firstMs.totalMs, unit: 'ms', goal: { atMost: 20 } },
    { name: '… memory, idle and warm', value: idleBytes / 1e6, unit: 'MB', goal: { atMost: 65 } },
  ]
  for (const count of connections) {
    const spent: Sides<number[]> = { ours: [], floor: [] }
    const rates = await inTurns(async (place, side) => {
      const { rate, cpuMs } = await requestRate(place, count, spellMs)
      spent[side].push(cpuMs)
      return rate
    }, sides)
    const floorName = 'proxy with two indexed rows'
    const goal = { ratioAtLeast: 0.45 }
    rows.push(
      { name: `chat completions at ${count}`, value: rates.ours, unit: 'req/s', floor: rates.floor, floorName, goal },
      // Quieter than the rate where others use the machine, too.
      {
        name: '… processor time of each',
        value: median(spent.ours.slice(1)),
        unit: 'ms',
        floor: median(spent.floor.slice(1)),
        floorName,
      },
    )
  }
  rows.push({
    name: 'memory after 64 connections',
    value: (await residentBytes(ours.pid)) / 1e6,
    unit: 'MB',
    goal: { atMost: 130 },
  })
  const first = await inTurns(firstTokenMs, sides)
  rows.push({
    name: 'first streamed token at 1, beyond the floor',
    value: first.ours - first.floor,
    unit: 'ms',
    goal: { atMost: 2 },
  })
  return rows
}

const script = (name: string) => join(import.meta.dirname, name)

interface Sides<T> {
  readonly ours: T
  readonly floor: T
}

interface Place {
  readonly pid: number
  readonly port: number
}

const placeOf = ({ pid, found }: StartedProgram): Place => ({ pid, port: Number(found) })

/** Medians of both sides, measured in turns; the first round only warms up. */
async function inTurns(
  work: (place: Place, side: keyof Sides<Place>) => Promise<number>,
  { ours, floor }: Sides<Place>,
): Promise<Sides<number>> {
  const figures: Sides<number[]> = { ours: [], floor: [] }
  for (let round = 0; round <= rounds; round++) {
    const figure = { ours: await work(ours, 'ours'), floor: await work(floor, 'floor') }
    if (round === 0) continue
    figures.ours.push(figure.ours)
    figures.floor.push(figure.floor)
  }
  return { ours: median(figures.ours), floor: median(figures.floor) }
}

async function requestRate({ pid, port }: Place, count: number, forMs: number) {
  const before = await processorMs(pid)
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const from = performance.now()
  let done = 0
  const client = async () => {
    while (performance.now() - from < forMs) {
      await oneRequest(agent, port, { stream: false })
      done++
    }
  }
  await Promise.all(Array.from({ length: count }, client))
  const seconds = (performance.now() - from) / 1000
  agent.destroy()
  return { rate: done / seconds, cpuMs: ((await processorMs(pid)) - before) / done }
}

async function firstTokenMs({ port }: Place): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (let n = 0; n < firstTokens; n++) times.push((await oneRequest(agent, port, { stream: true })).firstTokenMs)
  agent.destroy()
  return median(times)
}

let asked = 0

/** Asks something that nobody has asked before, so that each request is a conversation of its own. */
async function oneRequest(agent: Agent, port: number, { stream }: { readonly stream: boolean }) {
  const from = performance.now()
  const content = `How is the weather on day ${++asked} of ${process.pid}?`
  const body = JSON.stringify({ model: 'bench', stream, messages: [{ role: 'user', content }] })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const { promise, resolve, reject } = Promise.withResolvers<{ firstTokenMs: number; totalMs: number }>()
  const sent = httpRequest(
    { agent, port, host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions', headers },
    (answer) => {
      let text = ''
      let first: number | undefined
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
        if (first === undefined && text.includes('"content":"It')) first = performance.now() - from
      })
      answer.once('end', () => {
        if (answer.statusCode !== 200 || first === undefined) reject(new Error(`${answer.statusCode}: ${text}`))
        else resolve({ firstTokenMs: first, totalMs: performance.now() - from })
      })
    },
  )
  sent.once('error', reject)
  sent.end(body)
  return promise
}
