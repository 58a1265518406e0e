import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { upstreamHome } from '../sessions/test-home.ts'
import { createCatalogue } from './catalogue.ts'
import { ConfigError } from './config-error.ts'
import { editConfig } from './edit.ts'
import { openHome, type Home } from './home.ts'
import { loadConfig } from './load.ts'
import { setSetting, type SetOptions } from './set-setting.ts'
import { getAt } from './tree.ts'

let home: Home
beforeEach(() => {
  home = openHome({ HERMES_HOME: mkdtempSync(join(tmpdir(), 'hermes-edit-')) })
})
afterEach(() => rmSync(home.dir, { recursive: true, force: true }))

const catalogue = createCatalogue()
const write = (text: string) => writeFileSync(home.path('config.yaml'), text)
const read = (name = 'config.yaml') => readFileSync(home.path(name), 'utf8')
const set = (name: string, text: string, more: Partial<SetOptions> = {}) =>
  setSetting({ home, environment: {}, catalogue, ...more }, name, text)

test('one line of a file of an upstream user changes, everything else stays byte for byte', async (t) => {
  const upstream = await upstreamHome(t)
  if (!upstream) return
  home = upstream
  const before = read()
  await set('terminal.timeout', '30')
  assert.equal(read(), before.replace('timeout: 90', 'timeout: 30'))
  await set('display.skin', 'slate')
  assert.equal(read(), before.replace('timeout: 90', 'timeout: 30').replace('{skin: mono', '{skin: slate'))
  await set('agent.max_turns', '61')
  await set('agent.max_turns', '60')
  await set('terminal.timeout', '90')
  await set('display.skin', 'mono')
  assert.equal(read(), before)
  const env = read('.env')
  await set('OPENROUTER_API_KEY', 'made-up-key-eee')
  assert.equal(read('.env'), env.replace('made-up-key-ddd', 'made-up-key-eee'))
})

const settings: readonly [name: string, text: string, value: unknown][] = [
  ['agent.max_turns', '60', 60],
  ['approvals.mode', 'off', 'off'],
  ['display.streaming', 'off', false],
  ['display.streaming', 'yes', true],
  ['compression.threshold', '0.7', 0.7],
  ['model.default', '123', '123'],
  ['model', 'z-ai/glm-5', undefined],
  ['terminal.docker_volumes', '["/a:/b"]', ['/a:/b']],
  ['toolsets', 'file, web', ['file', 'web']],
  ['timezone', 'Europe/Berlin', 'Europe/Berlin'],
  ['agent.tool_use_enforcement', 'no', false],
  ['providers.local.base_url', 'http://localhost:1', 'http://localhost:1'],
  ['model_aliases."gpt-4.1".model', 'gpt-4.1', 'gpt-4.1'],
  ['quick_commands.up', '{type: exec, command: uptime}', { type: 'exec', command: 'uptime' }],
]

for (const [name, text, value] of settings) {
  if (value === undefined) continue
  test(`config set ${name} ${text} sets ${JSON.stringify(value)}`, async () => {
    const result = await set(name, text)
    assert.deepEqual(result.value, value)
    const { config } = await loadConfig({ home, environment: {} })
    const path = name.split(/\.(?![0-9])/).map((part) => part.replaceAll('"', ''))
    assert.deepEqual(getAt(config, path), value)
    assert.equal(statSync(home.path('config.yaml')).mode & 0o777, 0o600)
  })
}

test('keys and tokens go to .env, in capitals; look-alikes of settings do not', async () => {
  for (const name of [
    'openrouter_api_key',
    'TELEGRAM_BOT_TOKEN',
    'FAL_KEY',
    'TERMINAL_SSH_HOST',
    'TELEGRAM_ALLOWED_USERS',
  ]) {
    assert.equal((await set(name, 'value-1')).file, '.env')
  }
  assert.match(read('.env'), /^OPENROUTER_API_KEY=value-1\nTELEGRAM_BOT_TOKEN=value-1\n/)
  assert.equal(existsSync(home.path('config.yaml')), false)
  assert.equal((await set('auxiliary.vision.api_key', 'value-2')).file, 'config.yaml')
})

test('a variable of .env that sets the same is changed along, since it goes first', async () => {
  writeFileSync(home.path('.env'), 'TERMINAL_TIMEOUT=10\n')
  assert.equal((await set('terminal.timeout', '20')).alsoVariable, 'TERMINAL_TIMEOUT')
  assert.equal(read('.env'), 'TERMINAL_TIMEOUT=20\n')
  assert.equal((await set('terminal.cwd', '/tmp')).alsoVariable, undefined)
})

test('a short form becomes a section when something is set in it', async () => {
  write('model: z-ai/glm-5 # cheap\ncheckpoints: on\n')
  await set('model.provider', 'openrouter')
  await set('checkpoints.max_snapshots', '5')
  const { config } = await loadConfig({ home, environment: {} })
  assert.equal(config.model.default, 'z-ai/glm-5')
  assert.equal(config.model.provider, 'openrouter')
  assert.deepEqual({ ...config.checkpoints }, { enabled: true, max_snapshots: 5 })
  assert.match(read(), /# cheap/)
})

const refused: readonly [name: string, text: string, code: string, message: RegExp][] = [
  [
    'agent.max_turns',
    'soon',
    'invalid',
    /agent\.max_turns \(new value\): "soon" is not accepted; a whole number of at least 1 is/,
  ],
  ['terminal.backend', 'dokcer', 'invalid', /one of local, docker/],
  ['agent.max_turn', '5', 'unknown-key', /Did you mean agent\.max_turns/],
  ['terminal', '5', 'unknown-key', /terminal is a section/],
  ['agent.max_turns.x', '5', 'unknown-key', /no setting/],
  ['a..b', '5', 'unknown-key', /no key/],
  ['list.x', '5', 'edit-by-hand', /list \(config\.yaml line 2\) is a list/],
]

for (const [name, text, code, message] of refused) {
  test(`config set ${name} ${text} is refused and changes nothing`, async () => {
    const before = 'agent: {max_turns: 5}\nlist: [1]\n'
    write(before)
    await assert.rejects(set(name, text, { force: code === 'edit-by-hand' }), (error: ConfigError) => {
      assert.equal(error.code, code)
      assert.match(error.message, message)
      return true
    })
    assert.equal(read(), before)
  })
}

test('a key nobody knows is set when forced, or when it is in the file already', async () => {
  await set('plugin.level', '5', { force: true })
  await set('plugin.level', '6')
  assert.equal(read(), 'plugin:\n  level: 6\n')
})

test('a bad value elsewhere does not keep a setting from being set, or itself from being mended', async () => {
  write('agent: {max_turns: soon}\nterminal: {backend: dokcer}\n')
  await set('display.skin', 'mono')
  await set('agent.max_turns', '5')
  assert.match(read(), /max_turns: 5/)
})

test('broken YAML is not touched', async () => {
  write('agent: {max_turns: 5\n')
  await assert.rejects(set('display.skin', 'mono'), { code: 'syntax' })
  assert.equal(read(), 'agent: {max_turns: 5\n')
})

test('a managed installation is not written', async () => {
  await assert.rejects(set('display.skin', 'mono', { environment: { HERMES_MANAGED: 'nixos' } }), { code: 'managed' })
  await assert.rejects(set('FAL_KEY', 'x', { environment: { HERMES_MANAGED: 'nixos' } }), { code: 'managed' })
  assert.equal(existsSync(home.path('config.yaml')), false)
})

test('an edit sees the file as it is under the lock, so that none is lost', async () => {
  write('# mine\ncommand_allowlist:\n  - first # kept\n')
  chmodSync(home.path('config.yaml'), 0o644)
  const names = Array.from({ length: 8 }, (_, index) => `rule ${index}`)
  const add = (name: string) =>
    editConfig({ home, environment: {} }, (tree) => {
      const list = getAt(tree, ['command_allowlist'])
      return [{ path: ['command_allowlist'], value: [...(Array.isArray(list) ? list : []), name] }]
    })
  await Promise.all(names.map(add))
  const { config } = await loadConfig({ home, environment: {} })
  assert.deepEqual([...config.command_allowlist].sort(), ['first', ...names])
  assert.match(read(), /^# mine\ncommand_allowlist:\n {2}- first # kept\n/)
  assert.equal(statSync(home.path('config.yaml')).mode & 0o777, 0o600)
})

test('an edit that changes nothing writes nothing', async () => {
  assert.equal(await editConfig({ home, environment: {} }, () => [{ path: ['a'], value: undefined }]), false)
  assert.equal(existsSync(home.path('config.yaml')), false)
})

test('an aborted edit changes nothing', async () => {
  const signal = AbortSignal.abort(new Error('stopped'))
  await assert.rejects(set('display.skin', 'mono', { signal }), /stopped/)
  assert.equal(existsSync(home.path('config.yaml')), false)
})
