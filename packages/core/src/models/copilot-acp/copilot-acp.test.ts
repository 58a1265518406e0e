import assert from 'node:assert/strict'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { collectAnswer, temporaryHome } from '@hermes/testing'
import type { AcpRecord, AcpScript } from '@hermes/testing/copilot/acp-agent.ts'
import * as fc from 'fast-check'
import { configSchema } from '../../config/schema.ts'
import type { Config } from '../../config/schema.ts'
import { openHome } from '../../config/home.ts'
import { silentLogger } from '../../log/logger.ts'
import { createModels } from '../create-models.ts'
import type { ModelEvent, ModelRequest, ToolSchema } from '../model.ts'
import { createCopilotAcp } from './index.ts'
import { linesOf } from './lines.ts'

const never = new AbortController().signal
const agentFile = fileURLToPath(import.meta.resolve('@hermes/testing/copilot/acp-agent.ts'))
const tool: ToolSchema = { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } }

/** Whether a process runs: one that nobody has waited for yet does not. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    return !/^State:\s+[ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return false
    throw error
  }
}

/** Copilot's stand-in, reached as a person's settings would reach it. */
async function setUp(script: AcpScript, files: Readonly<Record<string, string>> = {}) {
  const home = await temporaryHome({ ...files, 'script.json': JSON.stringify(script), 'work/.keep': '' })
  const environment = {
    ...home.environment,
    OPENROUTER_API_KEY: 'of another provider',
    HERMES_COPILOT_ACP_COMMAND: process.execPath,
    HERMES_COPILOT_ACP_ARGS: `--conditions=development "${agentFile}" '${home.path('script.json')}' ${home.path('record')}`,
  }
  const open = (variables: Readonly<Record<string, string>> = {}) => {
    // The schema's own output, frozen by the loader; only the type says so here.
    const config = configSchema.parse({ model: { provider: 'copilot-acp' } }) as unknown as Config
    const all = { ...environment, ...variables }
    const cwd = home.path('work')
    return createModels({ config, environment: all, home: openHome(environment), cwd, log: silentLogger })
  }
  const stream = async (request: Partial<ModelRequest> = {}, signal = never, wanted?: string) => {
    const { provider, model } = await open().resolve(wanted, signal)
    const messages = [{ role: 'user' as const, content: 'hi' }]
    return provider.stream({ model, messages, tools: [], ...request }, signal)
  }
  const ask = async (request: Partial<ModelRequest> = {}, wanted?: string) =>
    collectAnswer(await stream(request, never, wanted))
  const records = async (type: string): Promise<unknown[]> => {
    const lines = (await readFile(home.path('record'), 'utf8')).trim().split('\n')
    const all = lines.map((line) => JSON.parse(line) as AcpRecord)
    return all.filter((one) => one.type === type).map(({ value }) => value)
  }
  const work = (name: string) => home.path('work', name)
  return { home, open, stream, ask, records, work, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() }
}

test('words and thoughts stream as they come, and a tool call is read from the text', async () => {
  await using all = await setUp({
    steps: [
      { type: 'noise', text: 'A new version is available!' },
      { type: 'think', text: 'A file is ' },
      { type: 'think', text: 'wanted.' },
      { type: 'say', text: 'Reading it. <tool' },
      { type: 'say', text: '_call>{"name": "read_file", "arguments": {"path": "a.txt"}}</tool_call>' },
    ],
  })
  const { message, finish, events } = await all.ask({ tools: [tool] })
  assert.equal(message.reasoning, 'A file is wanted.')
  assert.equal(message.content.trim(), 'Reading it.')
  assert.equal(finish, 'tool_calls')
  assert.deepEqual(
    message.toolCalls.map(({ name, arguments: text }) => [name, JSON.parse(text) as unknown]),
    [['read_file', { path: 'a.txt' }]],
  )
  assert.equal(events.filter(({ type }) => type === 'reasoning-delta').length, 2)
})

test('the prompt holds the instructions, the tools and all that was said, with its calls and results', async () => {
  await using all = await setUp({ steps: [{ type: 'say', text: 'Done.' }], takesImages: true })
  const { message, finish } = await all.ask({
    tools: [tool],
    messages: [
      { role: 'system', content: 'You are Hermes.' },
      { role: 'user', content: 'read it', images: [{ mediaType: 'image/png', data: 'aGk=' }] },
      { role: 'assistant', content: 'Yes.', toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }] },
      { role: 'tool', toolCallId: 'c1', toolName: 'read_file', content: 'its content' },
    ],
  })
  assert.deepEqual([message.content, finish], ['Done.', 'stop'])
  const [[text, image]] = (await all.records('prompt')) as [{ text?: string; data?: string }[]]
  for (const part of [
    'You are Hermes.',
    '"name":"read_file"',
    'read it',
    '{"name": "read_file", "arguments": {"path":"a"}}',
    'its content',
  ])
    assert.ok(text?.text?.includes(part), part)
  assert.equal(image?.data, 'aGk=')
  const [variables] = (await all.records('variables')) as [string[]]
  assert.ok(!variables.includes('OPENROUTER_API_KEY'), 'keys of others stay here')
  assert.deepEqual(await all.records('session'), [{ cwd: all.home.path('work'), mcpServers: [] }])
})

test('files of its folder are read and written; others, protected ones and links out of it are not', async () => {
  const outside = '/etc/hostname'
  await using all = await setUp({}, { 'work/a.txt': 'one\ntwo\nthree\n', '.env': 'SECRET=1' })
  await symlink(outside, all.work('link'))
  const steps: AcpScript['steps'] = [
    { type: 'read', path: all.work('a.txt') },
    { type: 'read', path: all.work('a.txt'), line: 2, limit: 1 },
    { type: 'read', path: all.work('none.txt') },
    { type: 'read', path: outside },
    { type: 'read', path: all.work('link') },
    { type: 'read', path: all.home.path('.env') },
    { type: 'read', path: 'a.txt' },
    { type: 'write', path: all.work('new/b.txt'), content: 'written' },
    { type: 'write', path: all.home.path('c.txt'), content: 'no' },
    { type: 'call', method: 'terminal/create' },
    { type: 'call', method: '_made/up' },
    { type: 'say', text: 'ok' },
  ]
  await writeFile(all.home.path('script.json'), JSON.stringify({ steps }))
  await all.ask()
  const [whole, part, ...refused] = (await all.records('read')) as { content?: string; code?: number }[]
  assert.deepEqual([whole?.content, part?.content], ['one\ntwo\nthree\n', 'two\n'])
  assert.deepEqual(
    refused.map(({ code }) => code),
    [-32002, -32602, -32602, -32602, -32602],
  )
  assert.equal(await readFile(all.work('new/b.txt'), 'utf8'), 'written')
  const writes = (await all.records('write')) as { code?: number }[]
  assert.deepEqual(
    writes.map(({ code }) => code),
    [undefined, -32602],
  )
  const calls = (await all.records('call')) as { code?: number }[]
  assert.deepEqual(
    calls.map(({ code }) => code),
    [-32601, -32601],
  )
})

test('what it wants permission for is refused, and the person is told of it', async () => {
  await using all = await setUp({
    steps: [
      { type: 'permission', title: 'rm -rf build' },
      { type: 'permission', title: 'curl', withoutRefusal: true },
      { type: 'say', text: 'Then not.' },
    ],
  })
  const { events, message } = await all.ask()
  assert.deepEqual(await all.records('permission'), [
    { outcome: { outcome: 'selected', optionId: 'no' } },
    { outcome: { outcome: 'cancelled' } },
  ])
  assert.match(JSON.stringify(events.filter(({ type }) => type === 'notice')), /rm -rf build.*curl/)
  assert.equal(message.content, 'Then not.')
})

test('a model that Copilot has is switched to; another one is refused with those that there are', async () => {
  await using all = await setUp({ steps: [{ type: 'say', text: 'ok' }], models: ['gpt-5', 'claude-sonnet-4.5'] })
  await all.ask()
  await all.ask({}, 'copilot-acp:gpt-5')
  assert.deepEqual(await all.records('model').catch(() => []), [])
  await all.ask({}, 'copilot-acp:CLAUDE-SONNET-4.5')
  assert.deepEqual(await all.records('model'), ['claude-sonnet-4.5'])
  await assert.rejects(all.ask({}, 'copilot-acp:gpt-6'), { code: 'model-not-found', message: /gpt-5/ })
  const { provider } = await all.open().resolve(undefined, never)
  assert.deepEqual(await provider.models?.(never), [{ id: 'gpt-5' }, { id: 'claude-sonnet-4.5' }])
})

test('an abort ends the program, with its reason', async () => {
  await using all = await setUp({ steps: [{ type: 'say', text: 'a' }, { type: 'hang' }] })
  const abort = new AbortController()
  const events: ModelEvent[] = []
  const reading = (async () => {
    for await (const event of await all.stream({}, abort.signal)) {
      events.push(event)
      abort.abort(new Error('enough'))
    }
  })()
  await assert.rejects(reading, { message: 'enough' })
  assert.deepEqual(events, [{ type: 'text-delta', text: 'a' }])
  const [pid] = (await all.records('pid')) as [number]
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})

test('a program that will not end, and what it has started, are killed; what outlives it holds nothing up', async () => {
  await using all = await setUp({
    steps: [{ type: 'spawn', stubborn: true }, { type: 'say', text: 'a' }, { type: 'hang' }],
  })
  for await (const event of await all.stream()) {
    assert.equal(event.type, 'text-delta')
    break
  }
  const steps = [
    { type: 'spawn', stubborn: false },
    { type: 'exit', code: 1, complaint: 'gone' },
  ]
  await writeFile(all.home.path('script.json'), JSON.stringify({ steps }))
  await assert.rejects(all.ask(), { code: 'server', message: /gone/ })
  assert.equal((await all.records('term')).length, 1)
  const pids = [...(await all.records('pid')), ...(await all.records('child'))] as number[]
  assert.equal(pids.length, 4)
  for (const pid of pids) assert.ok(!(await isRunning(pid)), String(pid))
})

test('whoever stops listening ends the program too', async () => {
  await using all = await setUp({ steps: [{ type: 'say', text: 'a' }, { type: 'hang' }] })
  for await (const event of await all.stream()) {
    assert.equal(event.type, 'text-delta')
    break
  }
  const [pid] = (await all.records('pid')) as [number]
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})

test('a program that is not there, one that ends early, and one without a sign-in say what to do', async () => {
  await using all = await setUp({ steps: [{ type: 'exit', code: 3, complaint: 'first\nout of disk\n' }] })
  await assert.rejects(all.ask(), { code: 'server', message: /exit code 3\): out of disk/ })
  await writeFile(all.home.path('script.json'), JSON.stringify({ signedOut: true }))
  await assert.rejects(all.ask(), { code: 'auth', message: /sign in with \/login/ })
  const missing = await all.open({ HERMES_COPILOT_ACP_COMMAND: 'no-such-copilot' }).resolve(undefined, never)
  const request = { model: 'auto', messages: [{ role: 'user' as const, content: 'hi' }], tools: [] }
  await assert.rejects(collectAnswer(missing.provider.stream(request, never)), {
    code: 'not-configured',
    message: /no-such-copilot\) is not installed\. .*@github\/copilot/,
  })
})

test('limits and refusals of the model end an answer as they do elsewhere; one that hangs is over in time', async () => {
  await using all = await setUp({ steps: [{ type: 'say', text: 'cut' }], stopReason: 'max_tokens' })
  assert.equal((await all.ask()).finish, 'length')
  await writeFile(all.home.path('script.json'), JSON.stringify({ stopReason: 'refusal' }))
  assert.equal((await all.ask()).finish, 'content_filter')
  await writeFile(all.home.path('script.json'), JSON.stringify({ steps: [{ type: 'hang' }] }))
  const args = ['--conditions=development', agentFile, all.home.path('script.json'), all.home.path('record')]
  const { environment } = all.home
  const limits = () => ({ connectMs: 1, silenceMs: 1, progressMs: 1, totalMs: 1 })
  const hanging = createCopilotAcp({
    dialect: {
      command: process.execPath,
      args,
      folder: all.home.path('work'),
      home: openHome(environment),
      environment,
    },
    place: { name: 'copilot-acp', label: 'Copilot', baseUrl: 'acp://copilot', keyHint: '', isLocal: false, limits },
    totalMs: 600,
  })
  const request = { model: 'auto', messages: [{ role: 'user' as const, content: 'hi' }], tools: [] }
  await assert.rejects(collectAnswer(hanging.stream(request, never)), { code: 'timeout' })
})

test('lines are read however their bytes are cut', async () => {
  const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')))
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 7 }), async (given, size) => {
      const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''))
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      }
      assert.deepEqual(await Array.fromAsync(linesOf(pieces())), given)
    }),
    { numRuns: 100 },
  )
})
