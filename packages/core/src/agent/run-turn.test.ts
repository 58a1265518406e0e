import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { Script, ScriptedAnswer, TemporaryHome } from '@hermes/testing'
import type { TranscriptMessage } from '../models/transcript.ts'
import { validateTranscript } from '../models/validate-transcript.ts'
import { createContext } from './create-context.ts'
import type { OpenContext } from './create-context.ts'
import { nobody } from './decision.ts'
import type { Decide } from './decision.ts'
import type { NumberedEvent, TurnEvent } from './events.ts'
import { runTurn } from './run-turn.ts'
import type { TurnRequest } from './turn.ts'

/** A profile whose model says what the script says, ready for turns of one session. */
async function scripted(script: Script, options: { decide?: Decide; config?: string } = {}) {
  const model = await startScriptedModel(script)
  const home = await temporaryHome({
    'config.yaml': `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456}\n${options.config ?? ''}`,
  })
  const work = home.path('work')
  await mkdir(work)
  const context = await createContext({ environment: home.environment, cwd: work })
  const request = (text: string, more: Partial<TurnRequest> = {}): TurnRequest => ({
    session: { id: '20260101_000000_aaaaaa', source: 'cli' },
    message: { text },
    face: { name: 'cli', decide: options.decide ?? nobody },
    ...more,
  })
  return {
    model,
    home,
    work,
    context,
    request,
    turn: (text: string, more?: Partial<TurnRequest>, signal = new AbortController().signal) =>
      Array.fromAsync(runTurn(request(text, more), context, signal)),
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]()
      await model.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

function endOf(events: readonly NumberedEvent[]): Extract<TurnEvent, { type: 'turn-end' }> {
  const ends = events.filter((event) => event.type === 'turn-end')
  assert.equal(ends.length, 1, 'exactly one turn-end')
  assert.equal(events.at(-1), ends[0], 'nothing comes after turn-end')
  assert.equal(events[0]?.type, 'turn-start')
  // Just checked: there is one.
  return ends[0] as Extract<TurnEvent, { type: 'turn-end' }>
}

async function transcriptOf(context: OpenContext): Promise<TranscriptMessage[]> {
  return (await context.sessions.messages('20260101_000000_aaaaaa')).map((stored) => stored.message)
}

/** What is wrong with a session's transcript as the next request would begin with it. */
function faultOf(messages: readonly TranscriptMessage[]): string | undefined {
  return validateTranscript([...messages, { role: 'user', content: 'next' }])
}

const call = (name: string, args: Record<string, unknown> | string) => ({ name, arguments: args })

test('a turn of everything ends once, with a well-formed transcript', async () => {
  let home: TemporaryHome | undefined
  await using all = await scripted((_request, n): ScriptedAnswer => {
    const work = home?.path('work') ?? ''
    const answers: readonly ScriptedAnswer[] = [
      { fault: { type: 'http', status: 429, headers: { 'retry-after': '1' } } },
      {
        text: 'Looking.',
        reasoning: 'Two files to read.',
        toolCalls: [call('read_file', { path: 'a.txt' }), call('read_file', { path: 'b.txt' })],
      },
      { text: 'half an ans', fault: { type: 'drop', afterChunks: 2 } },
      { toolCalls: [call('write_file', { path: 'c.txt', content: 'α+β' })] },
      { toolCalls: [call('terminal', { command: `rm -rf ${work}` })] },
      { toolCalls: [call('write_file', '{"path": "d.txt", "content": "cut o')] },
      { toolCalls: [call('read_file', "{'path': 'c.txt',}")] },
      { text: 'All done.', usage: { prompt_tokens: 50, completion_tokens: 5, total_tokens: 55 } },
    ]
    return answers[n] ?? { text: 'too many calls' }
  })
  home = all.home
  await writeFile(`${all.work}/a.txt`, 'alpha')
  await writeFile(`${all.work}/b.txt`, 'beta')
  const events = await all.turn('Join a and b.')
  const end = endOf(events)
  assert.equal(end.status, 'completed', JSON.stringify(end.failure))
  assert.equal(end.text, 'All done.')
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, index) => index + 1),
  )

  const messages = await transcriptOf(all.context)
  assert.equal(faultOf(messages), undefined)
  const tools = messages.filter((message) => message.role === 'tool')
  assert.equal(tools.length, 6)
  const reads = tools.slice(0, 2).map(({ content }) => content)
  assert.match(reads.join(), /alpha/)
  assert.match(reads.join(), /beta/)
  assert.equal(await readFile(`${all.work}/c.txt`, 'utf8'), 'α+β')
  assert.match(tools[3]?.content ?? '', /"status":"blocked"/)
  assert.match(tools[4]?.content ?? '', /cut off/)
  await assert.rejects(readFile(`${all.work}/d.txt`))
  assert.match(tools[5]?.content ?? '', /α\+β/)
  const reasoned = messages.find((message) => message.role === 'assistant' && message.reasoning)
  assert.equal(reasoned?.role === 'assistant' && reasoned.reasoning, 'Two files to read.')

  const [limited, retried] = all.model.requests
  const waitedMs = Number((retried?.arrivedAtNs ?? 0n) - (limited?.endedAtNs ?? 0n)) / 1e6
  assert.ok(waitedMs >= 990, `Retry-After of 1 s was obeyed; waited ${waitedMs} ms`)
  assert.equal(all.model.requests.filter((request) => request.problem).length, 0)
  assert.ok(events.some((event) => event.type === 'answer-reset'))
})

test('reads run side by side, and a writer among them makes the batch go in order', async () => {
  await using all = await scripted([
    { toolCalls: ['1', '2', '3'].map((name) => call('read_file', { path: `${name}.txt` })) },
    {
      toolCalls: [call('write_file', { path: 'x.txt', content: 'new' }), call('read_file', { path: 'x.txt' })],
    },
    { text: 'ok' },
  ])
  for (const name of ['1', '2', '3']) await writeFile(`${all.work}/${name}.txt`, name)
  const events = await all.turn('go')
  assert.equal(endOf(events).status, 'completed')
  const order = events.flatMap((event) =>
    event.type === 'tool-start' || event.type === 'tool-end' ? [event.type.slice(5)] : [],
  )
  assert.deepEqual(order.slice(0, 3), ['start', 'start', 'start'])
  assert.deepEqual(order.slice(6), ['start', 'end', 'start', 'end'])
  const results = (await transcriptOf(all.context)).filter((message) => message.role === 'tool')
  assert.match(results.at(-1)?.content ?? '', /new/)
})

test('an answer cut at the output limit is continued into one', async () => {
  await using all = await scripted([
    { text: 'one, two, ', finishReason: 'length' },
    { text: 'three.', finishReason: 'stop' },
    { text: 'next' },
  ])
  assert.equal(endOf(await all.turn('count')).text, 'one, two, three.')
  await all.turn('again')
  const sent = all.model.requests[2]?.body.messages?.map((message) => message.content)
  assert.deepEqual(sent?.slice(1), ['count', 'one, two, three.', 'again'])
})

test('an answer that never ends is given up after its continuations, as incomplete', async () => {
  await using all = await scripted(() => ({ text: 'more ', finishReason: 'length' }))
  const end = endOf(await all.turn('count'))
  assert.equal(end.status, 'incomplete')
  assert.equal(end.failure?.code, 'output-limit')
  assert.equal(all.model.requests.length, 4)
})

test('unknown tools are answered with those that exist, and a model that keeps asking is stopped', async () => {
  await using all = await scripted(() => ({ toolCalls: [call('teleport', {})] }))
  const end = endOf(await all.turn('go'))
  assert.equal(end.status, 'incomplete')
  assert.equal(end.failure?.code, 'broken-tool-calls')
  assert.equal(all.model.requests.length, 3)
  const messages = await transcriptOf(all.context)
  assert.match(messages.at(-1)?.content ?? '', /Unknown tool: teleport\. Available tools: .*read_file/)
  assert.equal(faultOf(messages), undefined)
})

test('an empty answer is asked for again, and silence for good is a failure', async () => {
  await using all = await scripted([{ text: '' }, { text: 'Here.' }, { text: '' }, { text: '' }, { text: '' }])
  assert.equal(endOf(await all.turn('hello?')).text, 'Here.')
  const end = endOf(await all.turn('hello?'))
  assert.equal(end.status, 'failed')
  assert.equal(end.failure?.code, 'empty-answer')
})

test('the last word at the limit of steps is asked for without tools', async () => {
  await using all = await scripted((_request, n) =>
    n < 3 ? { toolCalls: [call('todo', { todos: [] })] } : { text: 'I got this far.' },
  )
  const end = endOf(await all.turn('work', { maxIterations: 3 }))
  assert.equal(end.status, 'incomplete')
  assert.equal(end.text, 'I got this far.')
  assert.equal(end.failure?.code, 'budget')
  assert.equal(all.model.requests[3]?.body['tool_choice'], 'none')
})

test('a failure of the model ends the turn with its code, and what was said stays', async () => {
  await using all = await scripted([
    { fault: { type: 'http', status: 401, message: 'bad key made-up-key-123456' } },
    { text: 'Going on.' },
  ])
  const end = endOf(await all.turn('hi'))
  assert.equal(end.status, 'failed')
  assert.equal(end.failure?.code, 'auth')
  assert.doesNotMatch(JSON.stringify(end), /made-up-key-123456/)
  assert.equal(endOf(await all.turn('still there?')).text, 'Going on.')
  assert.equal(all.model.requests[1]?.body.messages?.at(-1)?.content, 'hi\n\nstill there?')
})

test('a stopped stream ends at once as cancelled and keeps what was said', async () => {
  await using all = await scripted([
    { text: ['Once ', 'upon ', 'a time'], fault: { type: 'stall', afterChunks: 3 } },
    { text: 'The end.' },
  ])
  const stop = new AbortController()
  const events: NumberedEvent[] = []
  for await (const event of runTurn(all.request('tell'), all.context, stop.signal)) {
    events.push(event)
    if (event.type === 'text-delta') stop.abort()
  }
  assert.equal(endOf(events).status, 'cancelled')
  await all.model.ended(0)
  assert.equal(all.model.requests[0]?.hungUp, true)
  const [, said] = await transcriptOf(all.context)
  assert.match(said?.content ?? '', /^Once/)
  assert.equal(endOf(await all.turn('and then?')).text, 'The end.')
})

test('stopping a turn kills the command that runs, and every call still has its one result', async () => {
  await using all = await scripted([
    { toolCalls: [call('terminal', { command: 'echo started; sleep 600' }), call('terminal', { command: 'echo no' })] },
    { text: 'ok' },
  ])
  const stop = new AbortController()
  const events: NumberedEvent[] = []
  const from = performance.now()
  for await (const event of runTurn(all.request('go'), all.context, stop.signal)) {
    events.push(event)
    if (event.type === 'tool-progress') stop.abort()
  }
  assert.equal(endOf(events).status, 'cancelled')
  assert.ok(performance.now() - from < 60_000)
  const messages = await transcriptOf(all.context)
  assert.equal(faultOf(messages), undefined)
  assert.deepEqual(
    messages.flatMap((message) => (message.role === 'tool' ? [/skipped|cancelled/i.test(message.content)] : [])),
    [true, true],
  )
  assert.equal(endOf(await all.turn('go on')).status, 'completed')
})

test('a consumer that stops reading cancels its turn', async () => {
  await using all = await scripted(() => ({ text: ['x ', 'y'], fault: { type: 'stall', afterChunks: 2 } }))
  for await (const event of runTurn(all.request('go'), all.context, new AbortController().signal)) {
    if (event.type === 'text-delta') break
  }
  assert.equal(all.context.scopes.get('20260101_000000_aaaaaa').turnRunning, false)
  await all.model.ended(0)
})

test('a second turn of a busy session is refused and changes nothing', async () => {
  await using all = await scripted([{ text: 'slow', delayMs: 1_500 }])
  const first = all.turn('one')
  await all.model.arrived(1)
  const second = endOf(await all.turn('two'))
  assert.equal(second.failure?.code, 'session-busy')
  assert.equal(endOf(await first).text, 'slow')
  assert.equal((await transcriptOf(all.context)).length, 2)
})

test('the person who is asked decides: once runs it, deny does not', async () => {
  const answers = ['once', 'deny'] as const
  let asked = 0
  await using all = await scripted(
    [
      { toolCalls: [call('terminal', { command: 'rm -rf gone' })] },
      { toolCalls: [call('terminal', { command: 'rm -rf kept' })] },
      { text: 'ok' },
    ],
    { decide: async () => ({ kind: 'approval', choice: answers[asked++] ?? 'deny' }) },
  )
  for (const name of ['gone', 'kept']) await mkdir(`${all.work}/${name}`)
  const events = await all.turn('clean')
  assert.equal(asked, 2)
  assert.equal(events.filter((event) => event.type === 'decision-request').length, 2)
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'tool-end' ? [event.status] : [])),
    ['ok', 'denied'],
  )
  await assert.rejects(readFile(`${all.work}/gone/x`), { code: 'ENOENT' })
  await writeFile(`${all.work}/kept/x`, 'still a folder')
})

test('calls that a crash left open are answered before the session goes on', async () => {
  await using all = await scripted([{ text: 'I will check.' }])
  const { sessions } = all.context
  const id = '20260101_000000_aaaaaa'
  await sessions.create({ id, source: 'cli' })
  await sessions.append(id, { role: 'user', content: 'deploy' })
  await sessions.append(id, {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'call_1', name: 'terminal', arguments: '{"command":"./deploy"}' }],
  })
  assert.equal(endOf(await all.turn('well?')).status, 'completed')
  const messages = await transcriptOf(all.context)
  assert.equal(faultOf(messages), undefined)
  assert.match(messages[2]?.content ?? '', /outcome of this call is unknown/)
})

test('a number or a switch that a model wrote as text is taken for what it says', async () => {
  await using all = await scripted([
    { toolCalls: [call('read_file', { path: 'a.txt', offset: '2', limit: '1' })] },
    { toolCalls: [call('read_file', { path: 'a.txt', offset: 'two' })] },
    { text: 'ok' },
  ])
  await writeFile(`${all.work}/a.txt`, 'one\ntwo\nthree\n')
  assert.equal(endOf(await all.turn('read')).status, 'completed')
  const [read, refused] = (await transcriptOf(all.context)).filter((message) => message.role === 'tool')
  assert.match(read?.content ?? '', /two/)
  assert.doesNotMatch(read?.content ?? '', /three/)
  assert.match(refused?.content ?? '', /Invalid arguments for read_file[^]*offset/)
})
