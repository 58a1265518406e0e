import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { temporaryHome } from '@hermes/testing'
import { median } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes, residentBytes, startProgram } from './processes.ts'

const key = 'made-up-key-of-the-bench'
const connections = [1, 16, 64]
const spellMs = 2_000
const rounds = 3
const firstTokens = 150

/** The API server against a bare proxy that stores two rows: requests a second, first token, memory. */
export async function api(): Promise<readonly Row[]> {
  await using model = await startProgram([script('api-model.ts')], {}, /^(\d+)$/)
  await using home = await temporaryHome({
    'config.yaml': `model: {default: bench, base_url: "http://127.0.0.1:${model.found}/v1", api_key: made-up-key-123456}\n`,
  })
  const environment = { ...home.environment, API_SERVER_KEY: key, API_SERVER_PORT: '0' }
  const startedAt = performance.now()
  await using ours = await startProgram(
    [hermes, 'gateway', 'run'],
    environment,
    /API server \(http:\/\/127\.0\.0\.1:(\d+)\)/,
  )
  const readyMs = performance.now() - startedAt
  const idleBytes = await residentBytes(ours.pid)
  await using floor = await startProgram([script('api-floor.ts'), model.found, home.path('.')], {}, /^(\d+)$/)
  const sides = { ours: Number(ours.found), floor: Number(floor.found) }

  const firstMs = await oneRequest(new Agent({ keepAlive: true }), sides.ours, { stream: false })
  const rows: Row[] = [
    { name: 'gateway with the API server: ready', value: readyMs, unit: 'ms', goal: { atMost: 300 } },
    { name: '… first request', value: firstMs.totalMs, unit: 'ms', goal: { atMost: 20 } },
    { name: '… memory, idle', value: idleBytes / 1e6, unit: 'MB', goal: { atMost: 65 } },
  ]
  for (const count of connections) {
    const rates = await inTurns(async (port) => requestRate(port, count, spellMs), sides)
    rows.push({
      name: `chat completions at ${count}`,
      value: rates.ours,
      unit: 'req/s',
      floor: rates.floor,
      floorName: 'proxy with two indexed rows',
      goal: { ratioAtLeast: 0.45 },
    })
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

interface Sides {
  readonly ours: number
  readonly floor: number
}

/** Medians of both sides, measured in turns; the first round only warms up. */
async function inTurns(work: (port: number) => Promise<number>, { ours, floor }: Sides): Promise<Sides> {
  const figures = { ours: [] as number[], floor: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const figure = { ours: await work(ours), floor: await work(floor) }
    if (round === 0) continue
    figures.ours.push(figure.ours)
    figures.floor.push(figure.floor)
  }
  return { ours: median(figures.ours), floor: median(figures.floor) }
}

async function requestRate(port: number, count: number, forMs: number): Promise<number> {
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
  return done / seconds
}

async function firstTokenMs(port: number): Promise<number> {
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
