import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { claimGateway, releaseGateway } from '@hermes/gateway/life/pid-file.ts'
import { temporaryHome, type TemporaryHome } from '@hermes/testing/temporary-home.ts'
import { type Cli, CommandError, UsageError } from '../command.ts'
import { parseCommand } from '../parse-arguments.ts'
import { command } from './config.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface RunOptions {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs `hermes config …` as its command line would. */
async function run(
  home: TemporaryHome,
  words: readonly string[],
  { input = '', environment = {} }: RunOptions = {},
): Promise<Ran> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const cli: Cli = {
    environment: { ...home.environment, ...environment },
    cwd: home.dir,
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    signal: new AbortController().signal,
  }
  const parsed = parseCommand(command, words, ['hermes', 'config'])
  const code = (await parsed.command.run?.(parsed.input, cli)) ?? -1
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

const files = {
  'config.yaml':
    '# mine\nagent: {max_turns: 30}\nmodel: {api_key: sk-canary-value-12345}\nplugin: {level: 3, token: canary-token-99}\n',
  '.env': 'OPENROUTER_API_KEY=sk-or-canary-98765\nHERMES_MAX_ITERATIONS=20\n',
}

test('get prints values, sections and variables, for people and for programs', async () => {
  await using home = await temporaryHome(files)
  assert.equal((await run(home, ['get', 'agent.max_turns'])).out, '20\n')
  assert.equal((await run(home, ['get', 'terminal.docker_volumes'])).out, '[]\n')
  assert.equal((await run(home, ['get', 'model.context_length'])).out, '\n')
  assert.equal((await run(home, ['get', 'model.context_length', '--json'])).out, 'null\n')
  assert.equal((await run(home, ['get', 'plugin.level'])).out, '3\n')
  assert.equal((await run(home, ['get', 'HERMES_MAX_ITERATIONS'])).out, '20\n')
  assert.equal(JSON.parse((await run(home, ['get', 'approvals', '--json'])).out).mode, 'manual')
})

test('no command prints a secret, on either stream', async () => {
  await using home = await temporaryHome(files)
  const commands = [
    [],
    ['--json'],
    ['list'],
    ['list', '--json'],
    ['get', 'model'],
    ['get', 'model.api_key'],
    ['get', 'plugin'],
    ['get', 'OPENROUTER_API_KEY'],
    ['explain', 'model.api_key'],
    ['explain', 'plugin.token', '--json'],
    ['explain', 'OPENROUTER_API_KEY'],
    ['set', 'OPENROUTER_API_KEY', 'sk-or-canary-98765'],
    ['set', 'auxiliary.vision.api_key', 'sk-canary-value-77777'],
    ['reset', 'model.api_key'],
    ['check'],
    ['check', '--json'],
    ['migrate'],
  ]
  for (const words of commands) {
    const { out, err } = await run(home, words)
    assert.doesNotMatch(out + err, /canary/, words.join(' '))
    assert.notEqual(out, '', words.join(' '))
  }
})

test('a misspelt key is told with the nearest ones', async () => {
  await using home = await temporaryHome(files)
  for (const sub of ['get', 'explain', 'reset']) {
    await assert.rejects(run(home, [sub, 'agent.max_turn']), (error: CommandError) =>
      /Did you mean agent\.max_turns/.test(error.message),
    )
  }
  await assert.rejects(run(home, ['set', 'agent.max_turn', '5']), /Did you mean agent\.max_turns/)
  await assert.rejects(run(home, ['list', 'agnet']), CommandError)
  await assert.rejects(run(home, ['get']), UsageError)
  await assert.rejects(run(home, ['set', 'a']), UsageError)
})

test('set writes, says where, and warns when something stronger hides it', async () => {
  await using home = await temporaryHome(files)
  const set = await run(home, ['set', 'display.skin', 'mono'])
  assert.deepEqual(set, { code: 0, out: `✓ Set display.skin = mono in ${home.path('config.yaml')}\n`, err: '' })
  const twin = await run(home, ['set', 'agent.max_turns', '40'])
  assert.match(twin.out, /✓ Set HERMES_MAX_ITERATIONS in \.env along with it/)
  assert.equal(twin.err, '')
  const hidden = await run(home, ['set', 'terminal.timeout', '5'], { environment: { TERMINAL_TIMEOUT: '9' } })
  assert.match(hidden.err, /! It does not count yet: TERMINAL_TIMEOUT goes before config\.yaml/)
  assert.match(readFileSync(home.path('config.yaml'), 'utf8'), /^# mine\nagent: \{max_turns: 40\}\n/)
})

test('set reads a value from standard input, so that a key need not stand on the command line', async () => {
  await using home = await temporaryHome()
  await run(home, ['set', 'FAL_KEY', '-'], { input: 'from-the-pipe\n' })
  assert.equal(readFileSync(home.path('.env'), 'utf8'), 'FAL_KEY=from-the-pipe\n')
  await assert.rejects(run(home, ['set', 'FAL_KEY', '-']), UsageError)
})

test('list shows every setting with its source, the unknown ones too', async () => {
  await using home = await temporaryHome(files)
  const rows = JSON.parse((await run(home, ['list', '--json'])).out) as {
    key: string
    value: unknown
    source: string
    from: string
  }[]
  const byKey = new Map(rows.map((row) => [row.key, row]))
  assert.ok(rows.length > 250)
  assert.deepEqual([byKey.get('agent.max_turns')?.source, byKey.get('agent.max_turns')?.value], ['env-file', 20])
  assert.equal(byKey.get('plugin.level')?.from, 'config.yaml line 4')
  assert.equal(byKey.get('terminal.timeout')?.source, 'default')
  const changed = (await run(home, ['list', '--changed'])).out
  assert.match(changed, /^agent\.max_turns +20 {2}\(HERMES_MAX_ITERATIONS in \.env line 2\)$/m)
  assert.doesNotMatch(changed, /terminal\.timeout/)
  assert.match(
    (await run(home, ['list', 'approvals'])).out,
    /^approvals\.gateway_timeout +300\napprovals\.mode +manual\napprovals\.timeout +60\napprovals\.trust_containers +false\n$/,
  )
})

test('explain tells what counts, what does not and why', async () => {
  await using home = await temporaryHome(files)
  const { out } = await run(home, ['explain', 'agent.max_turns'], { environment: { HERMES_MAX_ITERATIONS: '10' } })
  assert.equal(
    out,
    `agent.max_turns = 20
  Most model calls in one turn.
  Accepts a whole number of at least 1. HERMES_MAX_ITERATIONS sets it too, and goes first.

  counts   HERMES_MAX_ITERATIONS in .env line 2: 20
  hidden   HERMES_MAX_ITERATIONS of the process: 10  (the .env file of the home goes before the environment)
  hidden   config.yaml line 2: 30  (the .env file of the home goes before config.yaml)
  hidden   the default: 90  (the .env file of the home goes before the default)
`,
  )
  assert.equal((await run(home, ['explain', 'HERMES_MAX_ITERATIONS'])).out.split('\n')[0], 'agent.max_turns = 20')
})

test('explain tells about variables that set no setting', async () => {
  await using home = await temporaryHome({ '.env': 'HERMES_MODEL=a\n' })
  const { out } = await run(home, ['explain', 'HERMES_MODEL'], { environment: { HERMES_MODEL: 'b' } })
  assert.match(out, /counts {3}\.env line 1: a\n {2}hidden {3}the environment of the process: b/)
  assert.match((await run(home, ['explain', 'TELEGRAM_BOT_TOKEN'])).out, /set neither in \.env nor/)
})

test('path and env-path print where the files are, also when they are broken or missing', async () => {
  await using home = await temporaryHome({ 'config.yaml': ': [' })
  assert.equal((await run(home, ['path'])).out, `${home.path('config.yaml')}\n`)
  assert.equal((await run(home, ['env-path'])).out, `${home.path('.env')}\n`)
})

test('check tells every error with its line, and which keys are set', async () => {
  await using home = await temporaryHome({
    'config.yaml': 'agent:\n  max_turns: x\nterminal: {backend: y}\n',
    '.env': 'FAL_KEY=k\nno assignment\n',
  })
  const { code, out } = await run(home, ['check'])
  assert.equal(code, 1)
  assert.match(out, /✗ agent\.max_turns \(config\.yaml line 2\): "x" is not accepted/)
  assert.match(out, /✗ terminal\.backend \(config\.yaml line 3\)/)
  assert.match(out, /! \.env line 2: sets nothing/)
  assert.match(out, /✓ FAL_KEY/)
  assert.match(out, /○ OPENROUTER_API_KEY/)
  const report = JSON.parse((await run(home, ['check', '--json'])).out) as { isValid: boolean; errors: unknown[] }
  assert.equal(report.isValid, false)
  assert.equal(report.errors.length, 2)
})

test('a broken file is told by every command that reads it, as text with its line', async () => {
  await using home = await temporaryHome({ 'config.yaml': 'a: [\n' })
  for (const words of [['get', 'model'], ['list'], [], ['explain', 'model.default'], ['set', 'display.skin', 'x']]) {
    await assert.rejects(run(home, words), (error: CommandError) => /line \d+ is no valid YAML/.test(error.message))
  }
})

test('reset takes one setting back and keeps a backup', async () => {
  await using home = await temporaryHome({ 'config.yaml': '# mine\nagent: {max_turns: 30, verbose: on}\n' })
  const { out } = await run(home, ['reset', 'agent.max_turns'])
  assert.match(out, /^✓ Reset agent\.max_turns to 90\. The old file is .*config\.yaml\.\d{8}-\d{6}-\d{3}\.bak\n$/)
  assert.equal(readFileSync(home.path('config.yaml'), 'utf8'), '# mine\nagent: {verbose: on}\n')
  const backup = readdirSync(home.dir).find((name) => name.endsWith('.bak'))
  assert.match(readFileSync(home.path(backup ?? ''), 'utf8'), /max_turns: 30/)
  assert.match((await run(home, ['reset', 'agent.max_turns'])).out, /is not set in config\.yaml; it is 90/)
})

test('a section that a reset left empty is no setting, and nothing changed is told', async () => {
  await using home = await temporaryHome({ 'config.yaml': 'agent:\n  max_turns: 30\n' })
  await run(home, ['reset', 'agent.max_turns'])
  const { out, err } = await run(home, ['list', '--changed'])
  assert.deepEqual([out, err], ['', 'Every setting has its default.\n'])
})

test('reset takes a key out of .env, leaves the other lines, and says what still sets it', async () => {
  await using home = await temporaryHome({ '.env': '# mine\nOPENROUTER_API_KEY=sk-or-gone\nEXA_API_KEY=stays\n' })
  assert.match((await run(home, ['reset', 'OPENROUTER_API_KEY'])).out, /^✓ Took OPENROUTER_API_KEY out of .*\.env\n$/)
  assert.equal(readFileSync(home.path('.env'), 'utf8'), '# mine\nEXA_API_KEY=stays\n')
  assert.deepEqual(
    readdirSync(home.dir).filter((name) => name.includes('.bak')),
    [],
  )
  const again = await run(home, ['reset', 'OPENROUTER_API_KEY'], {
    environment: { OPENROUTER_API_KEY: 'sk-or-outside' },
  })
  assert.match(again.out, /^OPENROUTER_API_KEY is not set in .*\.env\n$/)
  assert.equal(again.err, '! The environment still sets OPENROUTER_API_KEY.\n')
})

test('reset of everything wants consent, and keeps a backup', async () => {
  await using home = await temporaryHome({ 'config.yaml': 'agent: {max_turns: 30}\n' })
  await assert.rejects(run(home, ['reset']), /Add --yes/)
  assert.ok(existsSync(home.path('config.yaml')))
  assert.match((await run(home, ['reset', '--yes'])).out, /✓ Reset\. The old file is/)
  assert.equal((await run(home, ['get', 'agent.max_turns'])).out, '90\n')
})

test('edit opens the editor that is set, and checks what it leaves', async () => {
  await using home = await temporaryHome({
    'good.sh': 'echo "agent: {max_turns: 7}" >> "$1"\n',
    'bad.sh': 'echo "timezone: Nowhere" >> "$1"\n',
  })
  const editor = (name: string) => ({ environment: { EDITOR: `sh '${home.path(name)}'` } })
  assert.match((await run(home, ['edit'], editor('good.sh'))).out, /is in order/)
  assert.equal((await run(home, ['get', 'agent.max_turns'])).out, '7\n')
  await assert.rejects(
    run(home, ['edit'], editor('bad.sh')),
    /timezone \(config\.yaml line \d\): "Nowhere" is not accepted/,
  )
  await assert.rejects(run(home, ['edit'], { environment: { EDITOR: 'exit 3;' } }), /ended with 3/)
})

test('migrate shows, moves and keeps a backup', async () => {
  await using home = await temporaryHome({ 'config.yaml': '# mine\nmax_turns: 30\n' })
  const dry = await run(home, ['migrate', '--dry-run'])
  assert.equal(
    dry.out,
    '- max_turns moves to agent.max_turns\n- _config_version becomes 17\nNothing was changed yet.\n',
  )
  assert.equal(readFileSync(home.path('config.yaml'), 'utf8'), '# mine\nmax_turns: 30\n')
  assert.match((await run(home, ['migrate'])).out, /✓ max_turns moves to agent\.max_turns\n.*\nThe old file is/)
  assert.equal(readFileSync(home.path('config.yaml'), 'utf8'), '# mine\nagent:\n  max_turns: 30\n_config_version: 17\n')
  assert.match((await run(home, ['migrate'])).out, /Nothing to do/)
})

test('a managed installation is told who manages it', async () => {
  await using home = await temporaryHome(files)
  const environment = { HERMES_MANAGED: 'homebrew' }
  for (const words of [['set', 'display.skin', 'x'], ['edit'], ['reset', '--yes'], ['reset', 'agent.max_turns']]) {
    await assert.rejects(run(home, words, { environment }), /Homebrew manages/)
  }
})

test('what a gateway that runs takes up only when it is started anew is said, and only then', async () => {
  await using home = await temporaryHome({ '.env': 'API_SERVER_PORT=8001\nTERMINAL_TIMEOUT=30\n' })
  const note = async (...words: string[]) => {
    const { err } = await run(home, words, { environment: { EDITOR: 'printf "timezone: Europe/Paris\\n" >' } })
    return /takes up (.*) after "hermes gateway restart" only\.\n$/.exec(err)?.[1]
  }
  assert.equal(await note('set', 'API_SERVER_KEY', 'made-up-key-1'), undefined)
  const hermes = openHome(home.environment)
  await claimGateway(hermes)
  assert.equal(await note('set', 'API_SERVER_KEY', 'made-up-key-2'), 'API_SERVER_KEY')
  assert.equal(await note('set', 'API_SERVER_KEY', 'made-up-key-2'), undefined)
  assert.equal(await note('set', 'agent.max_turns', '40'), undefined)
  assert.equal(await note('set', 'TELEGRAM_ALLOWED_USERS', '7'), undefined)
  assert.equal(await note('set', 'terminal.timeout', '40'), 'terminal')
  assert.equal(await note('set', 'logging.level', 'DEBUG'), 'logging')
  assert.equal(await note('edit'), 'logging, timezone')
  assert.equal(await note('reset', 'timezone'), 'timezone')
  assert.equal(await note('reset', 'API_SERVER_PORT'), 'API_SERVER_PORT')
  await releaseGateway(hermes)
  assert.equal(await note('set', 'API_SERVER_KEY', 'made-up-key-3'), undefined)
})
