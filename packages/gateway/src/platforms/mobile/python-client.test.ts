import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { isAfterTool, lastUser, openMobileGateway } from './test-mobile-gateway.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const program = fileURLToPath(new URL('python-client.fixture.py', import.meta.url))
const latest = process.env['HERMES_TEST_PYTHON_SDK_LATEST']

/** Python environments with the oldest and the latest `websockets` that the client works with. */
const environments = {
  HERMES_TEST_PYTHON_SDK_12: 'websockets 12',
  HERMES_TEST_PYTHON_SDK_LATEST: 'the latest websockets',
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
  if (said === 'send the file' || said.includes('Send it back')) return { text: 'Here.\nMEDIA:./clip.mp4' }
  if (said === 'stream it') return { text: ['One two ', 'three ', 'four ', 'five.'], chunkDelayMs: 250 }
  return { text: `You said: ${said}` }
}

async function open() {
  const all = await openMobileGateway({
    script,
    config: 'streaming: {enabled: true, edit_interval: 0.05}\nstt: {enabled: false}\n',
    work: { 'old/file': 'x' },
  })
  await writeFile(join(all.agent.work, 'clip.mp4'), randomBytes(1_000_000))
  return all
}

function run(python: string | undefined, args: readonly string[], environment: Record<string, string> = {}) {
  assert.ok(python)
  const env = {
    ...process.env,
    PYTHONPATH: root,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONIOENCODING: 'utf-8',
    ...environment,
  }
  return promisify(execFile)(python, args, { cwd: root, env, timeout: 90_000 })
}

for (const [variable, name] of Object.entries(environments)) {
  const python = process.env[variable]
  const options = { skip: python ? false : `${variable} names no Python environment`, timeout: 120_000 }
  test(`each method of the Python client does its work with ${name}`, options, async () => {
    await using all = await open()
    const folder = await mkdtemp(join(tmpdir(), 'hermes-python-'))
    const { stdout } = await run(python, [program, all.url, folder])
    assert.equal(stdout.trim(), 'ok')
  })
}

const withLatest = {
  skip: latest ? false : 'HERMES_TEST_PYTHON_SDK_LATEST names no Python environment',
  timeout: 120_000,
}

test('the examples of the Python client run', withLatest, async () => {
  await using all = await open()
  const environment = { HERMES_URL: all.url, HERMES_TOKEN: 'the-token' }
  const example = (name: string, ...args: string[]) =>
    run(latest, ['-m', `sdk.python.examples.${name}`, ...args], environment)
  const dialogue = await example('dialogue', 'How', 'are', 'you?')
  assert.equal(dialogue.stdout.trim(), 'You said: How are you?')
  const again = await example('dialogue', 'And', 'now?')
  assert.equal(again.stdout.trim(), 'You said: And now?', 'what was acknowledged does not come again')
  const folder = await mkdtemp(join(tmpdir(), 'hermes-python-'))
  const media = await example('media', 'sdk/python/README.md', folder)
  assert.match(media.stdout, /saved: .*clip\.mp4 video video\/mp4/)
  const cards = run(latest, ['-m', 'sdk.python.examples.cards', 'clean up'], environment)
  cards.child.stdin?.end('once\n')
  assert.match((await cards).stdout, /exec_approval [\s\S]*outcome: once[\s\S]*Done\./)
})
