import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { bindings } from './bindings.ts'
import { createCatalogue } from './catalogue.ts'
import { ConfigError } from './config-error.ts'
import { loadEnvironment } from './environment.ts'
import { explainSetting } from './explain.ts'
import { upstreamHome } from '../sessions/test-home.ts'
import { openHome, type Home } from './home.ts'
import { loadConfig } from './load.ts'
import { configSchema } from './schema.ts'
import { getAt, setAt, type Tree } from './tree.ts'
import { VariableError } from './variable-values.ts'

let home: Home
beforeEach(() => {
  home = openHome({ HERMES_HOME: mkdtempSync(join(tmpdir(), 'hermes-config-')) })
})
afterEach(() => rmSync(home.dir, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(home.path(name), text)

async function load(processEnvironment: Readonly<Record<string, string>> = {}) {
  const { environment, fromFile } = loadEnvironment(home, processEnvironment)
  return loadConfig({ home, environment, fromFile })
}

/** The error of a load that must fail. */
async function failure(processEnvironment: Readonly<Record<string, string>> = {}): Promise<ConfigError> {
  const result = await load(processEnvironment).catch((error: unknown) => error)
  assert.ok(result instanceof ConfigError)
  return result
}

/** How one setting is written in each of the five sources, and what each makes of it. */
interface Row {
  readonly key: string
  readonly envFile?: readonly [line: string, value: unknown]
  readonly environment?: readonly [variable: string, text: string, value: unknown]
  readonly config: readonly [yaml: string, value: unknown]
  readonly legacy?: readonly [file: 'config.yaml' | 'gateway.json', text: string, value: unknown]
  readonly fallback: unknown
}

const rows: readonly Row[] = [
  {
    key: 'agent.max_turns',
    envFile: ['HERMES_MAX_ITERATIONS=11', 11],
    environment: ['HERMES_MAX_ITERATIONS', '12', 12],
    config: ['agent: {max_turns: 13}', 13],
    legacy: ['config.yaml', 'max_turns: 14', 14],
    fallback: 90,
  },
  {
    key: 'model.provider',
    envFile: ['HERMES_INFERENCE_PROVIDER=anthropic', 'anthropic'],
    environment: ['HERMES_INFERENCE_PROVIDER', 'nous', 'nous'],
    config: ['model: {provider: openrouter}', 'openrouter'],
    legacy: ['config.yaml', 'provider: custom', 'custom'],
    fallback: 'auto',
  },
  {
    key: 'terminal.backend',
    envFile: ['TERMINAL_ENV=docker', 'docker'],
    environment: ['TERMINAL_ENV', 'ssh', 'ssh'],
    config: ['terminal: {backend: modal}', 'modal'],
    legacy: ['config.yaml', 'terminal: {env_type: daytona}', 'daytona'],
    fallback: 'local',
  },
  {
    key: 'session_reset.at_hour',
    envFile: ['SESSION_RESET_HOUR=0', 0],
    environment: ['SESSION_RESET_HOUR', '1', 1],
    config: ['session_reset: {at_hour: 0}', 0],
    legacy: ['gateway.json', '{"default_reset_policy": {"at_hour": 2}}', 2],
    fallback: 4,
  },
  {
    key: 'security.redact_secrets',
    envFile: ['HERMES_REDACT_SECRETS=false', false],
    environment: ['HERMES_REDACT_SECRETS', '0', false],
    config: ['security: {redact_secrets: no}', false],
    fallback: true,
  },
  {
    key: 'terminal.docker_volumes',
    envFile: ['TERMINAL_DOCKER_VOLUMES=', []],
    environment: ['TERMINAL_DOCKER_VOLUMES', '["a:b"]', ['a:b']],
    config: ['terminal: {docker_volumes: []}', []],
    fallback: [],
  },
  {
    key: 'agent.system_prompt',
    envFile: ['HERMES_EPHEMERAL_SYSTEM_PROMPT=', ''],
    environment: ['HERMES_EPHEMERAL_SYSTEM_PROMPT', 'Be brief.', 'Be brief.'],
    config: ['agent: {system_prompt: ""}', ''],
    fallback: '',
  },
  {
    key: 'stt.enabled',
    config: ['stt: {enabled: false}', false],
    legacy: ['gateway.json', '{"stt_enabled": false}', false],
    fallback: true,
  },
  {
    key: 'approvals.mode',
    envFile: ['HERMES_YOLO_MODE=1', 'off'],
    environment: ['HERMES_YOLO_MODE', 'yes', 'off'],
    config: ['approvals: {mode: smart}', 'smart'],
    fallback: 'manual',
  },
  {
    key: 'agent.personalities',
    config: ['agent: {personalities: {}}', {}],
    legacy: ['config.yaml', 'personalities: {p: Arr}', { p: 'Arr' }],
    fallback: {},
  },
]

const kinds = ['env-file', 'environment', 'config', 'legacy'] as const

const catalogue = createCatalogue()

for (const row of rows) {
  test(`${row.key}: of every set of sources the strongest wins, and the others are known`, async () => {
    for (let mask = 0; mask < 16; mask++) {
      const given = kinds.filter((kind, index) => (mask & (1 << index)) !== 0 && has(row, kind))
      rmSync(home.path('gateway.json'), { force: true })
      const legacyYaml = given.includes('legacy') && row.legacy?.[0] === 'config.yaml' ? row.legacy[1] : ''
      const configYaml = given.includes('config') ? row.config[0] : ''
      write('config.yaml', mergeYaml(configYaml, legacyYaml))
      write('.env', given.includes('env-file') ? `${row.envFile?.[0]}\n` : '')
      if (given.includes('legacy') && row.legacy?.[0] === 'gateway.json') write('gateway.json', row.legacy[1])
      const [variable = '', text = ''] = given.includes('environment') ? (row.environment ?? []) : []
      const loaded = await load(variable === '' ? {} : { [variable]: text })

      const [strongest] = given
      const expected = strongest === undefined ? row.fallback : valueOf(row, strongest)
      const isMerged = row.key === 'agent.personalities' && given.includes('legacy')
      const value = isMerged ? valueOf(row, 'legacy') : expected
      assert.deepEqual(getAt(loaded.config, row.key.split('.')), value, `${row.key} from ${given.join(' ')}`)

      if (isMerged) continue
      const explanation = explainSetting(row.key.split('.'), loaded, catalogue)
      assert.equal(explanation?.winner.kind, strongest ?? 'default')
      assert.deepEqual(explanation?.value, expected)
      assert.deepEqual(
        explanation?.losers.map(({ kind }) => kind),
        [...given.slice(1), ...(strongest ? ['default'] : [])],
      )
      const differs = given.slice(1).some((kind) => JSON.stringify(valueOf(row, kind)) !== JSON.stringify(expected))
      assert.equal(
        loaded.warnings.some(({ code, key }) => code === 'shadowed' && key === row.key),
        differs,
      )
    }
  })
}

function has(row: Row, kind: (typeof kinds)[number]): boolean {
  return (
    { 'env-file': row.envFile, environment: row.environment, config: row.config, legacy: row.legacy }[kind] !==
    undefined
  )
}

function valueOf(row: Row, kind: (typeof kinds)[number]): unknown {
  return {
    'env-file': row.envFile?.[1],
    environment: row.environment?.[2],
    config: row.config[1],
    legacy: row.legacy?.[2],
  }[kind]
}

/** Two one-line mappings; both may be the same section. */
function mergeYaml(a: string, b: string): string {
  const [section, inner] = /^(\w+): \{(.*)\}$/.exec(a)?.slice(1) ?? []
  const [other, more] = /^(\w+): \{(.*)\}$/.exec(b)?.slice(1) ?? []
  return section !== undefined && section === other ? `${section}: {${inner}, ${more}}\n` : `${a}\n${b}\n`
}

test('a bad value names the key, the line, what was wrong and what is accepted, all at once', async () => {
  write(
    'config.yaml',
    'agent:\n  max_turns: soon\n\nterminal:\n  backend: dokcer\n  ssh_port: 0\ntimezone: Mars/Olympus\nmemory: 5\n',
  )
  const error = await failure()
  assert.equal(error.code, 'invalid')
  assert.deepEqual(error.issues, [
    {
      key: 'agent.max_turns',
      where: 'config.yaml line 2',
      message: '"soon" is not accepted; a whole number of at least 1 is.',
    },
    {
      key: 'terminal.backend',
      where: 'config.yaml line 5',
      message: '"dokcer" is not accepted; one of local, docker, ssh, singularity, modal, daytona is.',
    },
    {
      key: 'terminal.ssh_port',
      where: 'config.yaml line 6',
      message: '0 is not accepted; a whole number from 1 to 65535 is.',
    },
    { key: 'memory', where: 'config.yaml line 8', message: '5 is not accepted; a section of settings is.' },
    {
      key: 'timezone',
      where: 'config.yaml line 7',
      message: '"Mars/Olympus" is not accepted; text is (no time zone of that name is known).',
    },
  ])
})

test('a bad value of a variable names it, and a bad older value its older place', async () => {
  write('config.yaml', 'max_turns: soon\n')
  assert.match((await failure()).message, /agent\.max_turns \(max_turns \(config\.yaml line 1\)\): "soon"/)
  write('config.yaml', '')
  const error = await failure({ HERMES_MAX_ITERATIONS: 'many', TERMINAL_ENV: 'x' })
  assert.match(error.message, /agent\.max_turns \(HERMES_MAX_ITERATIONS\): "many" is not accepted; a whole number/)
  assert.match(error.message, /terminal\.backend \(TERMINAL_ENV\)/)
})

test('a wrong value that may be a secret is not in the message', async () => {
  write('config.yaml', 'model: {api_key: [hunter2]}\n')
  const error = await failure()
  assert.ok(!error.message.includes('hunter2'))
  assert.match(error.message, /model\.api_key \(config\.yaml line 1\)/)
})

test('broken YAML tells its line', async () => {
  write('config.yaml', 'agent:\n  max_turns: [1\nx: 2\n')
  const error = await failure()
  assert.equal(error.code, 'syntax')
  assert.match(error.message, /^config\.yaml line [34] is no valid YAML/)
  write('config.yaml', '- a list\n')
  assert.match((await failure()).message, /must hold settings/)
  for (const endless of ['a: &a [*a]\n', 'a: &a {b: {c: *a}}\n', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`]) {
    write('config.yaml', endless)
    const { code, message } = await failure()
    assert.equal(code, 'syntax')
    assert.match(message, /^config\.yaml .*is no valid YAML/)
  }
})

test('unknown keys are kept and told, with what may have been meant; variables at the root are fine', async () => {
  write(
    'config.yaml',
    'agent:\n  max_turn: 5\nplugin_key: {a: [1, {b: 2}]}\nTELEGRAM_HOME_CHANNEL: -1001234567890\nDISCORD_HOME_CHANNEL: 123456789012345678\n',
  )
  const { config, warnings } = await load()
  assert.deepEqual(getAt(config, ['plugin_key', 'a']), [1, { b: 2 }])
  assert.equal(getAt(config, ['DISCORD_HOME_CHANNEL']), '123456789012345678')
  assert.deepEqual(
    warnings.map(({ code, key, message }) => [code, key, message]),
    [
      [
        'unknown-key',
        'agent.max_turn',
        'agent.max_turn (config.yaml line 2) is no setting that Hermes knows. Was agent.max_turns meant? It is kept.',
      ],
      ['unknown-key', 'plugin_key', 'plugin_key (config.yaml line 3) is no setting that Hermes knows. It is kept.'],
    ],
  )
})

test('a key that stands twice is told, and the last one counts', async () => {
  write('config.yaml', 'timezone: UTC\nagent: {max_turns: 5}\ntimezone: Europe/Berlin\n')
  const { config, warnings } = await load()
  assert.equal(config.timezone, 'Europe/Berlin')
  assert.match(warnings[0]?.message ?? '', /timezone stands more than once in config.yaml \(lines 1, 3\)/)
})

test('variables in texts are expanded, unset ones stay and are told, keys are left alone', async () => {
  write(
    'config.yaml',
    'model: {api_key: "${MY_KEY}", base_url: "http://${HOST}:1/${NOPE}"}\nagent: {max_turns: "${TURNS}"}\n',
  )
  const { config, warnings } = await load({ MY_KEY: 'k', HOST: 'h', TURNS: '7' })
  assert.equal(config.model.api_key, 'k')
  assert.equal(config.model.base_url, 'http://h:1/${NOPE}')
  assert.equal(config.agent.max_turns, 7)
  assert.match(warnings.map(({ message }) => message).join(), /\$\{NOPE\}, which is not set/)
})

test('sections without anything in them are as absent ones', async () => {
  write('config.yaml', 'agent:\n  # max_turns: 5\nmodel:\ncheckpoints: on\n')
  const { config, sources } = await load()
  assert.equal(config.agent.max_turns, 90)
  assert.equal(config.checkpoints.enabled, true)
  assert.deepEqual([...sources.keys()], ['checkpoints.enabled'])
})

test('the configuration is frozen through and through', async () => {
  const { config } = await load()
  assert.throws(() => Object.assign(config.agent, { max_turns: 1 }), TypeError)
  assert.throws(() => (config.reset_triggers as string[]).push('x'), TypeError)
})

test('a gateway.json that is no JSON is told and passed over', async () => {
  write('gateway.json', '{oops')
  assert.equal((await load()).warnings[0]?.code, 'legacy-file')
})

test('a configuration as upstream users have it loads', async (t) => {
  const upstream = await upstreamHome(t)
  if (!upstream) return
  home = upstream
  const { config, warnings } = await load()
  assert.equal(config.model.default, 'z-ai/glm-5')
  assert.equal(config.terminal.timeout, 90)
  assert.equal(config.agent.max_turns, 60)
  assert.equal(config.display.skin, 'mono')
  assert.equal(config.compression.threshold, 0.6)
  assert.deepEqual(config.quick_commands['uptime'], { type: 'exec', command: 'uptime' })
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['unknown-key', 'unset-variable'],
  )
})

// --- the cache ---

/** Makes the files look settled, so that the cache is trusted at once. */
function settle(): void {
  const past = new Date(Date.now() - 60_000)
  for (const name of ['config.yaml', 'gateway.json'])
    if (existsSync(home.path(name))) utimesSync(home.path(name), past, past)
}

test('what comes out of the cache is what was put in, and the cache is closed to others', async () => {
  write('config.yaml', 'agent: {max_turns: 5, oops: 1}\nmodel: {api_key: "${K}"}\nmax_turns: 6\n')
  settle()
  const cold = await load({ K: 'v' })
  assert.equal(statSync(home.path('cache', 'config.json')).mode & 0o777, 0o600)
  assert.ok(!readFileSync(home.path('cache', 'config.json'), 'utf8').includes('"v"'))
  const warm = await load({ K: 'v' })
  assert.deepEqual(warm, cold)
  assert.equal((await load({ K: 'other' })).config.model.api_key, 'other')
})

test('a change of a file is seen, even one that keeps the size and the time', async () => {
  write('config.yaml', 'agent: {max_turns: 5}\n')
  settle()
  const { mtime } = statSync(home.path('config.yaml'))
  assert.equal((await load()).config.agent.max_turns, 5)
  write('config.yaml', 'agent: {max_turns: 6}\n')
  utimesSync(home.path('config.yaml'), mtime, mtime)
  assert.equal((await load()).config.agent.max_turns, 6)
  write('gateway.json', '{"stt_enabled": false}')
  assert.equal((await load()).config.stt.enabled, false)
  rmSync(home.path('config.yaml'))
  assert.equal((await load()).config.agent.max_turns, 90)
})

test('a cache that is broken, foreign or cannot be written does no harm', async () => {
  write('config.yaml', 'agent: {max_turns: 5}\n')
  settle()
  await load()
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '{"key": 1}',
    '{"key": "x", "file": {"config": {}, "sources": [], "warnings": []}}',
  ]) {
    write('cache/config.json', text)
    assert.equal((await load()).config.agent.max_turns, 5)
  }
  rmSync(home.path('cache'), { recursive: true })
  write('cache', 'a file where the folder should be')
  assert.equal((await load()).config.agent.max_turns, 5)
})

test('values of variables that had to be expanded to be checked are not cached', async () => {
  write('config.yaml', 'agent: {max_turns: "${TURNS}"}\n')
  settle()
  assert.equal((await load({ TURNS: '7' })).config.agent.max_turns, 7)
  assert.equal((await load({ TURNS: '8' })).config.agent.max_turns, 8)
  assert.ok(!existsSync(home.path('cache', 'config.json')))
})

test('a home that is not there is not made', async () => {
  rmSync(home.dir, { recursive: true })
  assert.equal((await load()).config.agent.max_turns, 90)
  assert.ok(!existsSync(home.dir))
})

test('with a warm cache neither the YAML parser nor the schema library is loaded', async () => {
  write('config.yaml', 'agent: {max_turns: 5}\n')
  settle()
  await load()
  const script = `
    const { registerHooks } = await import('node:module')
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    const { loadConfig } = await import(${JSON.stringify(import.meta.resolve('./load.ts'))})
    const { loadEnvironment } = await import(${JSON.stringify(import.meta.resolve('./environment.ts'))})
    const { openHome } = await import(${JSON.stringify(import.meta.resolve('./home.ts'))})
    const home = openHome(process.env)
    const { config } = await loadConfig({ home, ...loadEnvironment(home, process.env) })
    console.log(JSON.stringify({ turns: config.agent.max_turns, loaded }))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: process.env['PATH'], HERMES_HOME: home.dir, NODE_NO_WARNINGS: '1' },
  })
  const { turns, loaded } = JSON.parse(stdout) as { turns: number; loaded: readonly string[] }
  assert.equal(turns, 5)
  assert.ok(loaded.some((url) => url.endsWith('/load.ts')))
  assert.deepEqual(
    loaded.filter((url) => /node_modules|schema\.ts|yaml|read-config/.test(url)),
    [],
  )
})

// --- the variables ---

const variableText = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '23',
    '24',
    '1.5',
    'true',
    'false',
    'off',
    'no',
    'on',
    'all',
    'local',
    'docker',
    'auto',
    'natural',
    '[]',
    '["a"]',
    'a,b',
    '[',
    'Europe/Berlin',
    '65536',
    '1e5',
    ' 7 ',
  ),
  fc.integer().map(String),
  fc.string({ maxLength: 8 }),
)

test('whatever a variable accepts, its setting accepts', () => {
  const known = new Set(createCatalogue().settings.map(({ key }) => key))
  for (const { variable, path, read } of bindings) {
    assert.ok(known.has(path.join('.')), variable)
    fc.assert(
      fc.property(variableText, (text) => {
        const value = valueRead(() => read(text))
        if (value === undefined) return
        const tree: Tree = {}
        setAt(tree, path, value)
        assert.deepEqual(getAt(configSchema.parse(tree), path), value)
      }),
      { numRuns: 40, examples: [['0'], ['']] },
    )
  }
})

function valueRead(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof VariableError) return undefined
    throw error
  }
}

test('a file that cannot be read is told, not taken as empty', async () => {
  mkdirSync(home.path('config.yaml'))
  const error = await failure()
  assert.equal(error.code, 'unreadable')
  assert.match(error.message, /config\.yaml cannot be read/)
})

test('a folder in place of the cache of an older version does no harm', async () => {
  mkdirSync(home.path('cache', 'config.json'), { recursive: true })
  write('config.yaml', 'agent: {max_turns: 5}\n')
  assert.equal((await load()).config.agent.max_turns, 5)
})

for (const name of ['config.yaml', '.env', 'gateway.json']) {
  test(`${name} that is a pipe, a folder or far too large is refused at once`, async () => {
    await promisify(execFile)('mkfifo', [home.path(name)])
    assert.match((await refused()).message, /it is no file/)
    rmSync(home.path(name))
    mkdirSync(home.path(name))
    assert.match((await refused()).message, /it is no file/)
    rmSync(home.path(name), { recursive: true })
    write(name, '# padding\n'.repeat(110_000))
    assert.match((await refused()).message, /1100000 bytes; at most 1048576/)
  })

  test(`${name} that is switched off by a link to the null device is empty`, async () => {
    symlinkSync('/dev/null', home.path(name))
    assert.equal((await load()).config.agent.max_turns, configSchema.parse({}).agent.max_turns)
  })
}

test('a home that takes no folders can be read', { skip: process.platform !== 'linux' }, async () => {
  const code = `
    import { loadConfig } from ${JSON.stringify(import.meta.resolve('./load.ts'))}
    import { openHome } from ${JSON.stringify(import.meta.resolve('./home.ts'))}
    await loadConfig({ home: openHome({ HERMES_HOME: '/proc' }), environment: {}, fromFile: new Set() })`
  const args = ['--conditions=development', '--input-type=module', '--eval', code]
  await promisify(execFile)(process.execPath, args, { timeout: 60_000, killSignal: 'SIGKILL' })
})

test('a second document in the file is refused, for nothing would come of it', async () => {
  write('config.yaml', '---\nagent:\n  max_turns: 5\n...\n')
  assert.equal((await load()).config.agent.max_turns, 5)
  write('config.yaml', 'agent:\n  max_turns: 5\n---\nagent:\n  max_turns: 6\n')
  const { code, message } = await failure()
  assert.equal(code, 'syntax')
  assert.match(message, /config.yaml line 3 is no valid YAML: .*multiple documents/)
})

test('a file full of keys that nobody knows is read in a moment, and each is told', async () => {
  const keys = Array.from({ length: 15_000 }, (_, index) => `unknown_key_${index}: value`)
  write('config.yaml', keys.join('\n'))
  const started = processorMs()
  const { warnings } = await load()
  assert.ok(processorMs() - started < 5_000)
  assert.equal(warnings.length, keys.length)
  assert.match(warnings.at(-1)?.message ?? '', /unknown_key_14999 \(config.yaml line 15000\)/)
})

/** The error of files that cannot be read; a process that hangs on one would hang the test, so it has a limit. */
async function refused(): Promise<ConfigError> {
  const code = `
    import { loadConfig } from ${JSON.stringify(import.meta.resolve('./load.ts'))}
    import { loadEnvironment } from ${JSON.stringify(import.meta.resolve('./environment.ts'))}
    import { openHome } from ${JSON.stringify(import.meta.resolve('./home.ts'))}
    const home = openHome({ HERMES_HOME: process.argv[1] })
    loadConfig({ home, ...loadEnvironment(home, {}) })`
  const args = ['--conditions=development', '--input-type=module', '--eval', code, home.dir]
  const hung = await promisify(execFile)(process.execPath, args, { timeout: 60_000, killSignal: 'SIGKILL' }).catch(
    (error: unknown) => error,
  )
  assert.ok(!(hung instanceof Error && 'killed' in hung && hung.killed), 'the process hung')
  return failed()
}

async function failed(): Promise<ConfigError> {
  try {
    await load()
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    assert.equal(error.code, 'unreadable')
    return error
  }
  throw new Error('nothing was refused')
}
