import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { writeGguf } from '@hermes/testing/llama/gguf.ts'
import { makeLlamaRuntime } from '@hermes/testing/llama/runtime.ts'
import { runHermes } from './run-hermes.ts'

const config = { 'config.yaml': 'model:\n  provider: local\n  default: small\n', 'models/.keep': '' }

test('a model file of the home answers a turn, calls a tool in it, and lets the program end', async () => {
  await using home = await temporaryHome(config)
  await writeGguf(home.path('models', 'small.gguf'), {
    'general.architecture': 'llama',
    'llama.context_length': 131_072,
  })
  const runtime = await makeLlamaRuntime(home.path('runtimes', 'llama'))
  const call = '<tool_call>{"name":"terminal","arguments":{"command":"echo from a tool"}}</tool_call>'
  const { stdout, stderr, code } = await runHermes(
    ['-t', `say: ${call}`, '--toolsets', 'terminal', '--json', '--max-turns', '2'],
    home.environment,
  )
  assert.equal(code, 0, stderr)
  assert.match(stderr, /terminal +echo from a tool/)
  const { usage } = JSON.parse(stdout)
  assert.ok(JSON.stringify(usage).length > 2, stdout)
  const acts = await runtime.acts()
  assert.deepEqual(
    acts.filter(({ act }) => act === 'load' || act === 'free').map(({ act }) => act),
    ['load', 'free'],
  )
})

const folder = process.env['HERMES_TEST_LLAMA'] ?? ''
const file = folder === '' ? undefined : readdirSync(folder).find((name) => /^SmolLM2-135M.*\.gguf$/.test(name))
const skip = file === undefined && 'HERMES_TEST_LLAMA names no folder with real weights; see scripts/test-llama.sh'

test('real weights answer a whole turn', { skip, timeout: 600_000 }, async () => {
  // So small a model may not find an end.
  const short = { ...config, 'config.yaml': `${config['config.yaml']}  max_tokens: 16\n` }
  await using home = await temporaryHome(short)
  await symlink(join(folder, file ?? ''), home.path('models', 'small.gguf'))
  const environment = { ...home.environment, HERMES_LLAMA_RUNTIME: folder }
  const { stdout, stderr } = await runHermes(['-t', 'Say hello', '--toolsets', 'todo', '--json'], environment)
  const { status, text } = JSON.parse(stdout)
  assert.match(status, /^(completed|incomplete)$/, stderr)
  assert.ok(text.trim().length > 0)
})
