import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script } from '@hermes/testing'
import { startApiServer } from '../start-api-server.ts'
import { testHeaders, testSettings } from '../test-settings.ts'

async function open(script: Script) {
  const agent = await startScriptedAgent({ script, config: 'tools: {search: never}\n' })
  const server = await startApiServer({ agent: agent.context, settings: testSettings() })
  const call = async (path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...testHeaders, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  return {
    agent,
    call,
    async start(input: unknown): Promise<string> {
      const response = await call('/v1/runs', input)
      assert.equal(response.status, 202)
      return ((await response.json()) as { run_id: string }).run_id
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}

interface RunEvent {
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}

/** The events of a stream, until `enough` or its end. */
async function read(response: Response, enough?: (event: RunEvent) => boolean): Promise<RunEvent[]> {
  assert.equal(response.status, 200)
  const events: RunEvent[] = []
  let text = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const [, id, json] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? []
      if (id === undefined) continue
      const event = { id: Number(id), data: JSON.parse(json ?? '') as RunEvent['data'] }
      events.push(event)
      if (enough?.(event)) return events
    }
  }
  return events
}

const callsEcho: Script = (_request, n) =>
  n % 2 === 0
    ? { text: 'Let me look.', toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] }
    : { text: 'It says hi.' }

test('the events of a run are numbered, and reading goes on after a cut at every one of them', async () => {
  await using bed = await open(callsEcho)
  const id = await bed.start({ input: 'What does echo say?' })
  const all = await read(await bed.call(`/v1/runs/${id}/events`))
  assert.deepEqual(
    all.map((event) => event.id),
    all.map((_, index) => index + 1),
  )
  const names = all.map(({ data }) => data['event'])
  assert.deepEqual(
    names.filter((name) => name !== 'message.delta'),
    ['tool.started', 'tool.completed', 'run.completed'],
  )
  assert.ok(all.every(({ data }) => data['run_id'] === id && typeof data['timestamp'] === 'number'))
  assert.equal(all.at(-1)?.data['output'], 'It says hi.')
  for (let cut = 0; cut <= all.length; cut++) {
    const rest = await read(await bed.call(`/v1/runs/${id}/events`, undefined, { 'last-event-id': String(cut) }))
    assert.deepEqual(rest, all.slice(cut))
  }
  const live = await bed.start({ input: 'Again' })
  const seen: RunEvent[] = []
  do {
    const headers = { 'last-event-id': String(seen.length) }
    seen.push(...(await read(await bed.call(`/v1/runs/${live}/events`, undefined, headers), () => true)))
  } while (seen.at(-1)?.data['event'] !== 'run.completed')
  assert.deepEqual(
    seen.map((event) => event.id),
    seen.map((_, index) => index + 1),
  )
  assert.equal((await bed.call(`/v1/runs/${id}/events`, undefined, { 'last-event-id': 'x' })).status, 400)
  assert.equal((await bed.call('/v1/runs/run_none/events')).status, 404)
})

test('a dangerous command waits for the client’s choice; elsewhere it is denied at once', async () => {
  const script: Script = (request) =>
    request.body.messages?.at(-1)?.role === 'tool'
      ? { text: `Result: ${String(request.body.messages.at(-1)?.content)}` }
      : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old && echo gone' } }] }
  await using bed = await open(script)
  for (const [choice, expected] of [
    ['once', /gone/],
    ['deny', /denied|refused|not allowed|consent/i],
  ] as const) {
    const id = await bed.start({ input: 'Clean up' })
    const isAsked = ({ data }: RunEvent) => data['event'] === 'approval.request'
    const asked = (await read(await bed.call(`/v1/runs/${id}/events`), isAsked)).at(-1)
    assert.match(String(asked?.data['command']), /rm -rf/)
    assert.equal((await bed.call(`/v1/runs/${id}/approval`, { choice: 'perhaps' })).status, 400)
    assert.equal((await bed.call(`/v1/runs/${id}/approval`, { choice })).status, 200)
    const rest = await read(await bed.call(`/v1/runs/${id}/events`, undefined, { 'last-event-id': `${asked?.id}` }))
    assert.equal(rest[0]?.data['event'], 'approval.result')
    assert.match(String(rest.at(-1)?.data['output']), expected)
    assert.equal((await bed.call(`/v1/runs/${id}/approval`, { choice })).status, 409)
  }
  const chat = await bed.call('/v1/chat/completions', { messages: [{ role: 'user', content: 'Clean up' }] })
  assert.doesNotMatch(await chat.text(), /gone\\n/)
})

test('a run is stopped by request, goes on without readers, and there are at most ten', async () => {
  await using bed = await open(() => ({ text: ['Begun'], fault: { type: 'stall', afterChunks: 1 } }))
  const ids: string[] = []
  for (let n = 0; n < 10; n++) ids.push(await bed.start({ input: 'Go' }))
  assert.equal((await bed.call('/v1/runs', { input: 5 })).status, 400)
  const refused = await bed.call('/v1/runs', { input: 'Go' })
  assert.equal(refused.status, 429)
  assert.match(await refused.text(), /rate_limit_exceeded/)
  await bed.agent.model.arrived(10)
  for (const id of ids) assert.equal((await bed.call(`/v1/runs/${id}/stop`, {})).status, 200)
  for (const id of ids) {
    const events = await read(await bed.call(`/v1/runs/${id}/events`))
    assert.equal(events.at(-1)?.data['event'], 'run.cancelled')
  }
  const { status } = (await (await bed.call(`/v1/runs/${ids[0]}`)).json()) as { status: string }
  assert.equal(status, 'cancelled')
  await bed.start({ input: 'There is room again' })
})
