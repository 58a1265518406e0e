import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { claimGateway } from '@hermes/gateway/life/pid-file.ts'
import { type TemporaryHome, temporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { startMem0 } from '@hermes/testing/memory-services/mem0.ts'
import { openPty, type Pty } from '@hermes/testing/pty/pty.ts'
import { runForTest, type TestRun } from './auth/run-for-test.ts'
import { command } from './memory.ts'

function memory(
  home: TemporaryHome,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<TestRun> {
  return runForTest(command, argv, { environment: { ...home.environment, ...environment } })
}

const configOf = (home: TemporaryHome) => readFile(home.path('config.yaml'), 'utf8')

test('a provider that needs nothing is set up, shown and switched off, and comments stay', async () => {
  await using home = await temporaryHome({
    'config.yaml': '# mine\nagent: {max_turns: 7}\n',
    'memories/USER.md': 'likes tea\n§\nlives in Leeds',
  })
  const none = await memory(home, ['status'])
  assert.match(
    none.stdout,
    /^MEMORY\.md {2}0 entries \(0% — 0\/2,200 chars\)\nUSER\.md {4}2 entries .*\nProvider {3}none; /,
  )
  assert.equal(none.code, 0)
  const setup = await memory(home, ['setup', 'holographic', '--set', 'auto_extract=true', '--set', 'default_trust=0.7'])
  assert.equal(setup.code, 0, setup.stderr)
  const config = await configOf(home)
  assert.match(config, /^# mine\nagent: \{max_turns: 7\}\n/)
  assert.match(config, /provider: holographic/)
  assert.match(config, /hermes-memory-store:\n\s+auto_extract: "?true"?\n\s+default_trust: "?0\.7"?/)
  const ready = await memory(home, ['status'])
  assert.match(ready.stdout, /Provider {3}holographic ✓ 0 facts in .*memory_store\.db/)
  assert.equal(ready.code, 0)
  const off = await memory(home, ['off'])
  assert.match(off.stdout, /holographic is off/)
  assert.match((await memory(home, ['off'])).stdout, /No memory provider is set/)
  assert.equal(JSON.parse((await memory(home, ['status', '--json'])).stdout).state, 'none')
})

test('a gateway that runs is said to need a restart for another provider', async () => {
  await using home = await temporaryHome()
  await claimGateway(openHome(home.environment))
  for (const argv of [['setup', 'holographic'], ['off']]) {
    const { code, stderr } = await memory(home, argv)
    assert.deepEqual([code, /memory\.provider after "hermes gateway restart" only/.test(stderr)], [0, true], stderr)
  }
  assert.equal((await memory(home, ['off'])).stderr, '')
})

test('a key goes to .env, other answers to the file of the provider, and status asks the service', async () => {
  await using service = await startMem0({ key: 'made-up-key-123456' })
  await using home = await temporaryHome()
  const environment = { MEM0_BASE_URL: service.url }
  const missing = await memory(home, ['setup', 'mem0'])
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /mem0 cannot be used yet: .*\n.*--set api_key=VALUE\nmemory\.provider was not changed/)
  const setup = await memory(
    home,
    ['setup', 'mem0', '--set', 'api_key=made-up-key-123456', '--set', 'user_id=ann'],
    environment,
  )
  assert.equal(setup.code, 0, setup.stderr)
  assert.match(await readFile(home.path('.env'), 'utf8'), /^MEM0_API_KEY=made-up-key-123456$/m)
  assert.equal((await stat(home.path('.env'))).mode & 0o777, 0o600)
  assert.equal(JSON.parse(await readFile(home.path('mem0.json'), 'utf8')).user_id, 'ann')
  assert.ok(!(await configOf(home)).includes('made-up-key'))
  assert.match((await memory(home, ['status'], environment)).stdout, /mem0 ✓ Memories of ann/)
  service.misbehave({ type: 'status', status: 401 })
  const failing = await memory(home, ['status'], environment)
  assert.equal(failing.code, 1)
  assert.match(failing.stdout, /mem0 ✗ /)
  assert.ok(!`${failing.stdout}${failing.stderr}`.includes('made-up-key'))
})

test('what is wrong on the command line is said, and changes nothing', async () => {
  await using home = await temporaryHome()
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['setup', 'holografic'], /no memory provider "holografic"\. Did you mean holographic\?/],
    [['setup', 'holographic', '--set', 'colour=red'], /--set colour: .*db_path/],
    [['setup', 'holographic', '--set', 'auto_extract=maybe'], /one of true, false/],
    [['setup'], /name a provider \(.*holographic.*\)/],
    [['off', 'now'], /unexpected argument "now"/],
  ]
  for (const [argv, expected] of cases) {
    const run = await memory(home, argv)
    assert.equal(run.code, 2)
    assert.match(run.stderr, expected)
  }
  const wrong = await memory(home, ['setup', 'holographic', '--set', 'hrr_dim=many'])
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /hrr_dim is not right[^]*memory\.provider was not changed/)
  assert.ok(!(await configOf(home)).includes('provider: holographic'))
})

test('a provider that is set and not there is told', async () => {
  await using home = await temporaryHome({ 'config.yaml': 'memory: {provider: nonsense}\n' })
  const run = await memory(home, ['status'])
  assert.equal(run.code, 1)
  assert.match(run.stdout, /nonsense ✗ there is no such provider; there are .*holographic/)
})

function terminal(home: TemporaryHome, argv: readonly string[]): Pty {
  const code = `
    import { runAtTerminal } from ${JSON.stringify(import.meta.resolve('./auth/run-for-test.ts'))}
    import { command } from ${JSON.stringify(import.meta.resolve('./memory.ts'))}
    process.exitCode = await runAtTerminal(command, ${JSON.stringify(argv)})`
  const args = ['--conditions=development', '--input-type=module', '--eval', code]
  return openPty(process.execPath, args, {
    env: { ...home.environment, ...compileCache(), NODE_NO_WARNINGS: '1' },
    cwd: home.dir,
  })
}

test('at a terminal a person picks the provider and answers its questions; a key is not shown', async () => {
  await using home = await temporaryHome()
  await using pty = terminal(home, ['setup'])
  await pty.screen.waitFor('Memory providers')
  pty.write('mem0')
  await pty.screen.waitFor(/mem0/)
  pty.write('\r')
  await pty.screen.waitFor('not shown')
  pty.write('made-up-key-123456\r')
  await pty.screen.waitFor('hermes-user')
  pty.write('ann\r')
  await pty.screen.waitFor('Which agent')
  pty.write('\r')
  await pty.screen.waitFor('[true/false]')
  pty.write('perhaps\r')
  await pty.screen.waitFor('One of: true, false')
  pty.write('false\r')
  assert.equal((await pty.exited()).code, 0)
  assert.ok(!pty.output().includes('made-up-key'), pty.output())
  assert.match(await readFile(home.path('.env'), 'utf8'), /MEM0_API_KEY=made-up-key-123456/)
  assert.deepEqual(JSON.parse(await readFile(home.path('mem0.json'), 'utf8')), { user_id: 'ann', rerank: 'false' })
  assert.match(await configOf(home), /provider: mem0/)
})
