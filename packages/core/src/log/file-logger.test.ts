import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openHome, type Home } from '../config/home.ts'
import { createRedactor } from '../security/redact.ts'
import { type FileLoggerOptions, openLogger } from './file-logger.ts'

let home: Home
let time = Date.parse('2026-04-13T09:30:00.123')

beforeEach(() => {
  home = openHome({ HERMES_HOME: mkdtempSync(join(tmpdir(), 'hermes-log-')) })
  time = Date.parse('2026-04-13T09:30:00.123')
})
afterEach(() => rmSync(home.dir, { recursive: true, force: true }))

function open(options: Partial<FileLoggerOptions> = {}) {
  const redactor = createRedactor({ enabled: true, known: [{ name: 'MY_KEY', value: 'canary-value-123' }] })
  return openLogger({ home, level: 'INFO', redactor, clock: { now: () => time }, ...options })
}
const written = () => nextRound()
const read = (name: string) => readFileSync(home.path('logs', name), 'utf8')

test('nothing is opened before the first line', () => {
  open().debug({}, 'below the level')
  assert.equal(existsSync(home.path('logs')), false)
})

test('lines have the form that upstream reads, with name, session and fields', async () => {
  const log = open().child({ name: 'tools.terminal', session: '20260413_093000_abc123' })
  log.info({ durationMs: 12 }, 'tool finished')
  await written()
  open().warn({}, 'odd')
  assert.equal(
    read('agent.log'),
    '2026-04-13 09:30:00,123 INFO [20260413_093000_abc123] tools.terminal: tool finished {"durationMs":12}\n' +
      '2026-04-13 09:30:00,123 WARNING hermes: odd\n',
  )
})

test('warnings and errors stand in errors.log too, whatever the level', () => {
  const log = open({ level: 'CRITICAL' })
  log.info({}, 'a')
  log.warn({}, 'b')
  log.error({}, 'c')
  assert.match(read('errors.log'), /WARNING hermes: b\n.*ERROR hermes: c\n$/)
  assert.doesNotMatch(read('agent.log'), / [ab]\n/)
})

test('secrets are hidden in messages, fields, errors and child fields', () => {
  const error = new Error('failed with canary-value-123', { cause: { password: 'hunter2' } })
  open()
    .child({ token: `ghp_${'a1B2'.repeat(9)}` })
    .error({ error, nested: { api_key: 'abcd', list: ['canary-value-123'] } }, 'Authorization: Bearer canary-value-123')
  for (const name of ['agent.log', 'errors.log']) {
    const text = read(name)
    for (const secret of ['canary', 'hunter2', 'abcd"', 'a1B2'])
      assert.ok(!text.includes(secret), `${secret} in ${text}`)
    assert.match(text, /«secret:MY_KEY»/)
  }
})

test('one call is one line, and cannot forge another', async () => {
  open().info({ text: 'a\nb' }, 'first\n2026-04-13 09:30:00,123 ERROR root: forged\u2028\u001b[31m')
  await written()
  assert.equal(read('agent.log').split('\n').length, 2)
  assert.ok(!read('agent.log').includes('\u001b'))
})

test('circles, bigints, functions, deep values and broken getters are no reason to fail', async () => {
  const circle: Record<string, unknown> = { big: 1n, run: () => {} }
  circle['self'] = circle
  const error = new Error('x')
  error.cause = error
  const broken = {
    get bad() {
      throw new Error('no')
    },
  }
  open().info({ circle, error, broken: undefined }, 'odd values')
  open().info({ broken }, 'broken getter')
  await written()
  assert.match(read('agent.log'), /\[circular\]/)
  assert.match(read('agent.log'), /broken getter \{"unreadable"/)
})

test('a long message is cut', async () => {
  open().info({ text: 'y'.repeat(1_000_000) }, 'x'.repeat(1_000_000))
  await written()
  assert.ok(read('agent.log').length < 30_000)
})

test('files are closed to others, older ones too', () => {
  mkdirSync(home.path('logs'))
  writeFileSync(home.path('logs', 'agent.log'), 'old\n')
  chmodSync(home.path('logs', 'agent.log'), 0o644)
  open().error({}, 'x')
  for (const name of ['agent.log', 'errors.log']) assert.equal(statSync(home.path('logs', name)).mode & 0o777, 0o600)
  assert.match(read('agent.log'), /^old\n/)
})

test('a full file is put aside and only so many are kept', async () => {
  const log = open({ maxSizeMb: 0.001, backups: 2 })
  for (let index = 0; index < 100; index++) log.info({}, `line ${index} ${'x'.repeat(40)}`)
  await written()
  assert.deepEqual(readdirSync(home.path('logs')).sort(), ['agent.log', 'agent.log.1', 'agent.log.2'])
  assert.match(read('agent.log'), /line 99/)
  for (const name of ['agent.log', 'agent.log.1', 'agent.log.2'])
    assert.ok(statSync(home.path('logs', name)).size <= 1049)
  const last = Number(/line (\d+)/.exec(read('agent.log'))?.[1])
  assert.match(read('agent.log.1'), new RegExp(`line ${last - 1} x+\n$`))
})

test('a log that cannot be written never throws, and what was lost is told afterwards', async () => {
  writeFileSync(home.path('logs'), 'a file where the folder should be')
  const log = open()
  log.info({}, 'one')
  log.info({}, 'two')
  await written()
  rmSync(home.path('logs'))
  time += 6000
  log.info({}, 'three')
  await written()
  assert.match(read('agent.log'), /WARNING log: lines could not be written \{"lost":2\}\n.*three\n$/)
})

test('several processes write to one log, over rotations, and no line is torn', async () => {
  const script = `
    const { openLogger } = await import(${JSON.stringify(import.meta.resolve('./file-logger.ts'))})
    const { openHome } = await import(${JSON.stringify(import.meta.resolve('../config/home.ts'))})
    const log = openLogger({ home: openHome(process.env), level: 'INFO', redactor: { redact: (text) => text }, clock: { now: Date.now }, maxSizeMb: 0.02, backups: 50 })
    for (let index = 0; index < 200; index++) log.info({ process: process.argv[1] }, 'line ' + index)`
  const run = (name: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, name], {
      env: { ...process.env, HERMES_HOME: home.dir, NODE_NO_WARNINGS: '1' },
    })
  await Promise.all(['a', 'b', 'c'].map(run))
  const files = readdirSync(home.path('logs')).filter((name) => name.startsWith('agent.log') && !name.endsWith('.lock'))
  const lines = files.flatMap((name) => read(name).split('\n').slice(0, -1))
  assert.ok(files.length > 1)
  for (const line of lines) assert.match(line, /^\d{4}-\d\d-\d\d [\d:,]+ INFO hermes: line \d+ \{"process":"[abc]"\}$/)
  assert.equal(new Set(lines.map((line) => line.slice(line.indexOf('line ')))).size, 600)
})

test('a pipe in place of the log that nobody reads holds nothing up', async () => {
  mkdirSync(home.path('logs'))
  await promisify(execFile)('mkfifo', [home.path('logs', 'agent.log')])
  const code = `
    import { openLogger } from ${JSON.stringify(import.meta.resolve('./file-logger.ts'))}
    import { openHome } from ${JSON.stringify(import.meta.resolve('../config/home.ts'))}
    const home = openHome({ HERMES_HOME: process.argv[1] })
    const log = openLogger({ home, level: 'INFO', redactor: { redact: (text) => text }, clock: { now: Date.now } })
    log.warn({}, 'written')`
  const args = ['--conditions=development', '--input-type=module', '--eval', code, home.dir]
  await promisify(execFile)(process.execPath, args, { timeout: 60_000, killSignal: 'SIGKILL' })
  assert.match(read('errors.log'), /WARNING hermes: written\n/)
})

test('lines wait for the end of a round, in their order, and no longer than for a warning', async () => {
  const log = open()
  log.info({}, 'a')
  log.info({}, 'b')
  assert.equal(existsSync(home.path('logs', 'agent.log')), false)
  log.warn({}, 'c')
  assert.match(read('agent.log'), / a\n.* b\n.* c\n$/)
  log.info({}, 'd')
  await written()
  assert.match(read('agent.log'), / c\n.* d\n$/)
  for (let index = 0; index < 500; index++) log.info({}, `line ${index}`)
  assert.match(read('agent.log'), /line 499\n$/)
})

for (const [how, end] of [
  ['is told to end', 'process.exit(0)'],
  ['breaks', "throw new Error('broken')"],
] as const) {
  test(`what was said just before the process ${how} is written`, async () => {
    const code = `
      import { openLogger } from ${JSON.stringify(import.meta.resolve('./file-logger.ts'))}
      import { openHome } from ${JSON.stringify(import.meta.resolve('../config/home.ts'))}
      const home = openHome({ HERMES_HOME: process.argv[1] })
      const log = openLogger({ home, level: 'INFO', redactor: { redact: (text) => text }, clock: { now: Date.now } })
      log.info({}, 'the last word')
      ${end}`
    const args = ['--conditions=development', '--input-type=module', '--eval', code, home.dir]
    await promisify(execFile)(process.execPath, args).catch(() => undefined)
    assert.match(read('agent.log'), /the last word\n$/)
  })
}

test('what the gateway says stands in a log of its own too, in its own process alone', () => {
  const log = open({ level: 'ERROR', hasGatewayLog: true })
  log.child({ name: 'gateway' }).info({}, 'a')
  log.child({ name: 'gateway.telegram' }).warn({}, 'b')
  log.child({ name: 'agent' }).error({}, 'c')
  assert.match(read('gateway.log'), /^\S+ \S+ INFO gateway: a\n\S+ \S+ WARNING gateway\.telegram: b\n$/)
  assert.match(read('agent.log'), /ERROR agent: c\n$/)
  rmSync(home.path('logs', 'gateway.log'))
  open().child({ name: 'gateway' }).info({}, 'd')
  assert.equal(existsSync(home.path('logs', 'gateway.log')), false)
})
