import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { isAfterTool, lastUser, openMobileGateway } from '@hermes/gateway/platforms/mobile/test-mobile-gateway.ts'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import { play } from './play.ts'
import { startRecordingProxy } from './recording-proxy.ts'
import type { Frame } from './recording-proxy.ts'

const root = resolve(import.meta.dirname, '../..')

/** Python environments with the oldest and the latest `websockets` that the client works with. */
const environments = {
  'websockets 12': 'HERMES_TEST_PYTHON_SDK_12',
  'the latest websockets': 'HERMES_TEST_PYTHON_SDK_LATEST',
}

function script(request: RecordedRequest): ScriptedAnswer {
  const said = lastUser(request)
  const result = String(request.body.messages?.at(-1)?.content)
  if (isAfterTool(request)) return { text: said === 'choose' ? `You chose ${result}` : 'Done.' }
  if (said === 'clean up') return { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
  if (said === 'choose') {
    return { toolCalls: [{ name: 'clarify', arguments: { question: 'Which?', choices: ['red', 'blue'] } }] }
  }
  if (said === 'long please') return { text: `${'word '.repeat(2_000)}end` }
  if (said === 'send the file') return { text: 'Here.\nMEDIA:./clip.mp4' }
  if (said === 'stream it') return { text: ['One two ', 'three ', 'four ', 'five.'], chunkDelayMs: 60 }
  if (said.startsWith('echo')) return { text: `You said: ${said}` }
  return { text: `I got ${['look', 'keep it', 'spoken words', 'a video'].find((one) => said.includes(one)) ?? 'it'}.` }
}

let all: Awaited<ReturnType<typeof openMobileGateway>>
before(async () => {
  all = await openMobileGateway({
    script,
    config: 'streaming: {enabled: true, edit_interval: 0.05}\nstt: {enabled: false}\n',
    work: { 'old/file': 'x' },
  })
  await writeFile(join(all.agent.work, 'clip.mp4'), randomBytes(1_000_000))
})
after(() => all[Symbol.asyncDispose]())

interface Played {
  readonly outcomes: readonly unknown[]
  readonly said: readonly Frame[]
  readonly heard: readonly Frame[]
}

/** Plays the list with one client against the gateway; what went over the wire comes with it. */
async function played(
  device: string,
  client: (given: { url: string; device: string; folder: string }) => Promise<readonly unknown[]>,
): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-clients-'))
  await using proxy = await startRecordingProxy(all.url)
  try {
    const outcomes = await client({ url: proxy.url, device, folder })
    return { outcomes, said: proxy.fromClient.flatMap(ofClient), heard: untilClose(proxy.fromServer).flatMap(ofServer) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The last connection is closed after the first reply of it, and how much comes again until then is a matter of chance. */
function untilClose(frames: readonly Frame[]): readonly Frame[] {
  const begin = frames.findLastIndex(({ t }) => t === 'ready')
  const first = frames.findIndex(({ t, final }, at) => at > begin && t === 'message' && final === true)
  return frames.slice(0, first + 1)
}

/** Without what the TypeScript client asks for by itself, and what each client makes up. */
function ofClient(frame: Frame): readonly Frame[] {
  if (frame['t'] === 'ping' && frame['ts'] !== 5) return []
  if (frame['t'] === 'hello') return [{ ...frame, device: Object.keys(Object(frame['device'])) }]
  return [plain(frame, frame['t'] === 'ack' ? ['id'] : ['prompt_id'])]
}

/** What does not hang on the moment. */
function ofServer(frame: Frame): readonly Frame[] {
  const { t } = frame
  if (t === 'error' || t === 'prompt_done' || t === 'prompt') return [plain(frame, ['id', 'session'])]
  const isLast = frame['final'] === true && frame['edit'] !== true
  return (t === 'message' || t === 'media') && isLast ? [plain(frame, ['id', 'reply_to'])] : []
}

function plain(frame: Frame, made: readonly string[]): Frame {
  return Object.fromEntries(
    Object.entries(frame).map(([name, value]) => {
      if (made.includes(name) && value !== '') return [name, 'MADE']
      return [name, name === 'data' ? createHash('sha256').update(String(value)).digest('hex') : value]
    }),
  )
}

const withTypeScript = () => played('bot-ts', play)
let ours: Promise<Played> | undefined

test('each method of the TypeScript client does its work on a real gateway', { timeout: 120_000 }, async () => {
  const { outcomes } = await (ours ??= withTypeScript())
  const of = (call: string) =>
    (outcomes as readonly { call: string; result?: unknown }[]).filter((one) => one.call === call)
  assert.deepEqual(of('connect')[0], { call: 'connect', refused: 'auth_failed', fatal: true })
  assert.deepEqual(
    of('send_text')
      .slice(0, 4)
      .map(({ call: _call, ...rest }) => rest),
    [{ error: 'not connected' }, { error: 'invalid' }, { result: 'm1' }, { result: 'm1' }],
  )
  const joined = of('wait_message').map(({ result }) => (Array.isArray(result) ? result.join('') : undefined))
  assert.deepEqual(joined.slice(0, 5), [
    'You said: echo привет 👋',
    'I got spoken words.',
    `${'word '.repeat(2_000)}end`,
    'One two three four five.',
    'Done.',
  ])
  assert.match(joined[5] ?? '', /green/)
  assert.deepEqual(joined.slice(7, 12), ['Here.', 'I got a video.', 'I got look.', 'I got keep it.', 'I got it.'])
  assert.deepEqual(of('wait_message').at(-2), { call: 'wait_message', error: 'timeout' })
  assert.match(joined.at(-1) ?? '', /spoken words/, 'what was not acknowledged comes again')
  assert.deepEqual(of('wait_error'), [{ call: 'wait_error', result: 'prompt_closed' }])
  assert.ok(Array.isArray(of('save_media')[0]?.result))
})

for (const [name, variable] of Object.entries(environments)) {
  const python = process.env[variable]
  const options = { skip: python ? false : `${variable} names no Python environment`, timeout: 120_000 }
  test(`the Python client with ${name} says, hears and comes to the same`, options, async () => {
    const theirs = await played(`bot-${variable.toLowerCase()}`, async ({ url, device, folder }) => {
      const env = { ...process.env, PYTHONPATH: root, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' }
      const args = [join(import.meta.dirname, 'play.py'), url, device, folder]
      const { stdout } = await promisify(execFile)(python ?? '', args, { cwd: root, env, timeout: 100_000 })
      return JSON.parse(stdout) as unknown[]
    })
    const { outcomes, said, heard } = await (ours ??= withTypeScript())
    assert.deepEqual(theirs.outcomes, outcomes)
    assert.deepEqual(theirs.said, said)
    assert.deepEqual(theirs.heard, heard)
  })
}
