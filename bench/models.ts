import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createContext } from '@hermes/core/agent/create-context.ts'
import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import type { ModelRequest } from '@hermes/core/models/model.ts'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { interleaved, median } from './measure.ts'
import type { Row } from './measure.ts'
import { root } from './processes.ts'

const deltas = 20_000
const rounds = 7
const never = new AbortController().signal

/** What a model's answer costs while it streams, and how soon the next request follows a tool's result. */
export async function models(): Promise<readonly Row[]> {
  return [...(await streaming()), await afterResult()]
}

/** CPU time of one delta: read alone, over each wire, and through a whole turn; the server is another process. */
async function streaming(): Promise<readonly Row[]> {
  const text = Array.from({ length: deltas }, (_, n) => `word${n} `)
  await using home = await temporaryHome({ 'answers.json': JSON.stringify({ answers: [{ text }], repeat: true }) })
  await using server = await serveFile(home.path('answers.json'))
  const asked = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], tools: [] }
  const wires = {
    chat: await contextFor(home.dir, 'chat_completions', server.url),
    messages: await contextFor(home.dir, 'anthropic_messages', server.url),
    responses: await contextFor(home.dir, 'codex_responses', server.url),
  }
  const perDelta = async (work: () => Promise<unknown>): Promise<number> => {
    const from = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(from)
    return (user + system) / deltas
  }
  const read = (context: OpenContext) => () => perDelta(() => answerOf(context, asked))
  const figures = await interleaved(rounds, {
    bytes: () =>
      perDelta(() => plainRead(`${server.url}/chat/completions`, { ...asked, tools: undefined, stream: true })),
    chat: read(wires.chat),
    messages: read(wires.messages),
    responses: read(wires.responses),
    turn: () => perDelta(() => turnOf(wires.chat, `stream-${process.hrtime.bigint()}`)),
  })
  for (const context of Object.values(wires)) await context[Symbol.asyncDispose]()
  const floor = { floor: figures.bytes, floorName: 'node:http, bytes alone', unit: 'µs', goal: { atMost: 15 } }
  return [
    { name: 'a streamed delta, chat completions', value: figures.chat, ...floor },
    { name: 'a streamed delta, messages', value: figures.messages, ...floor },
    { name: 'a streamed delta, responses', value: figures.responses, ...floor },
    { name: 'a streamed delta through a whole turn', value: figures.turn, ...floor },
  ]
}

/** From the end of a tool to the next request, in a session of 200 messages. */
async function afterResult(): Promise<Row> {
  await using model = await startScriptedModel((_request, n) =>
    n % 21 < 20 ? { toolCalls: [{ name: 'todo' }] } : { text: 'Done.' },
  )
  await using home = await temporaryHome()
  await using context = await contextFor(home.dir, 'chat_completions', model.url)
  const id = 'long-session'
  await context.sessions.create({ id, source: 'cli' })
  for (let n = 0; n < 50; n++) {
    const call = { id: `call_${n}`, name: 'read_file', arguments: JSON.stringify({ path: `file-${n}.ts` }) }
    await context.sessions.append(id, { role: 'user', content: `Question ${n}: ${'what is it? '.repeat(10)}` })
    await context.sessions.append(id, { role: 'assistant', content: '', toolCalls: [call] })
    await context.sessions.append(id, {
      role: 'tool',
      toolCallId: call.id,
      toolName: call.name,
      content: 'line\n'.repeat(200),
    })
    await context.sessions.append(id, { role: 'assistant', content: 'It is this. '.repeat(30), toolCalls: [] })
  }
  const waits: number[] = []
  let endedAt: number | undefined
  const onRequest = (): void => {
    if (endedAt !== undefined) waits.push(performance.now() - endedAt)
    endedAt = undefined
  }
  subscribe('http.client.request.start', onRequest)
  for await (const event of turnEvents(context, id)) if (event.type === 'tool-end') endedAt = performance.now()
  unsubscribe('http.client.request.start', onRequest)
  return { name: 'tool result to next request, 200 messages', value: median(waits), unit: 'ms', goal: { atMost: 3 } }
}

async function contextFor(dir: string, apiMode: string, url: string): Promise<OpenContext> {
  const home = await temporaryHome({
    'config.yaml': `model: {provider: custom, default: m, base_url: "${url}", api_key: made-up-key, api_mode: ${apiMode}, context_length: 400000}\n`,
  })
  const context = await createContext({ environment: home.environment, cwd: dir })
  return {
    ...context,
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

async function answerOf(context: OpenContext, asked: ModelRequest): Promise<void> {
  const { provider } = await context.models.resolve(undefined, never)
  let count = 0
  for await (const event of provider.stream(asked, never)) if (event.type === 'text-delta') count++
  if (count !== deltas) throw new Error(`${count} deltas came of ${deltas}`)
}

function turnEvents(context: OpenContext, id: string): AsyncGenerator<NumberedEvent> {
  const face = { name: 'cli', decide: nobody }
  return runTurn({ session: { id, source: 'cli' }, message: { text: 'Go on.' }, face }, context, never)
}

async function turnOf(context: OpenContext, id: string): Promise<void> {
  let words = 0
  for await (const event of turnEvents(context, id))
    if (event.type === 'text-delta') words += event.text.split(' ').length - 1
  // Deltas that come fast are put together on their way.
  if (words !== deltas) throw new Error(`${words} words came of ${deltas}`)
}

async function plainRead(url: string, body: unknown): Promise<void> {
  const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } })
  sent.end(JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
  response.resume()
  await once(response, 'end')
}

/** The scripted model as a process of its own. */
async function serveFile(script: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const program = join(root, 'packages/testing/src/scripted-model/main.ts')
  const child = spawn(process.execPath, ['--conditions=development', program, '--script', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    url,
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close')
      child.stdin.end()
      await closed
    },
  }
}
