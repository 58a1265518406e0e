import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type TemporaryHome, temporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { openPty } from '@hermes/testing/pty/pty.ts'
import { runForTest } from './auth/run-for-test.ts'
import { command } from './tools.ts'

const tools = (home: TemporaryHome, ...argv: readonly string[]) =>
  runForTest(command, argv, { environment: home.environment })
const configOf = (home: TemporaryHome) => readFile(home.path('config.yaml'), 'utf8')

async function standing(home: TemporaryHome, ...argv: readonly string[]) {
  const json = JSON.parse((await tools(home, 'list', '--json', ...argv)).stdout)
  const named = (list: readonly { name: string; on: boolean }[]) =>
    Object.fromEntries(list.map((one) => [one.name, one.on]))
  return { toolsets: named(json.toolsets), servers: named(json.servers) }
}

test('toolsets are listed with their tools, and what is missing with the reason', async () => {
  await using home = await temporaryHome({
    'config.yaml': 'memory: {memory_enabled: false, user_profile_enabled: false}\n',
  })
  const { stdout, code } = await tools(home, 'list')
  assert.equal(code, 0)
  assert.match(stdout, /^Tools of cli:\n/)
  assert.match(stdout, /✓ on {3}terminal +terminal, process|✓ on {3}terminal +process, terminal/)
  assert.match(stdout, /! switched off: memory\.memory_enabled, memory\.user_profile_enabled/)
})

test('a tool whose service lacks its key is listed with what to set', async () => {
  await using home = await temporaryHome({ 'config.yaml': 'web: {backend: tavily}\n' })
  const { stdout } = await tools(home, 'list')
  assert.match(stdout, /web_search[^]*! .*web\.backend is tavily, which needs TAVILY_API_KEY/)
})

test('a toolset is switched for one platform; comments and everything else stay', async () => {
  await using home = await temporaryHome({ 'config.yaml': '# mine\nagent: {max_turns: 7}\n' })
  const off = await tools(home, 'disable', 'todo', 'clarify', '--platform', 'telegram')
  assert.equal(off.stdout, '✓ todo, clarify off for telegram.\n')
  assert.match(await configOf(home), /^# mine\nagent: \{max_turns: 7\}\n/)
  const telegram = await standing(home, '--platform', 'telegram')
  assert.equal(telegram.toolsets['todo'], false)
  assert.equal(telegram.toolsets['terminal'], true)
  assert.equal((await standing(home)).toolsets['todo'], true)
  assert.match((await tools(home, 'disable', 'todo', '--platform', 'telegram')).stdout, /already/)
  await tools(home, 'enable', 'todo,clarify', '--platform', 'telegram')
  assert.deepEqual((await standing(home, '--platform', 'telegram')).toolsets, (await standing(home)).toolsets)
})

test('servers and their tools are switched; an allow-list of tools is kept one', async () => {
  await using home = await temporaryHome({
    'config.yaml': 'mcp_servers:\n  git: {command: x}\n  wiki: {command: y, tools: {include: [a, b]}}\n',
  })
  await tools(home, 'disable', 'git')
  assert.deepEqual((await standing(home)).servers, { git: false, wiki: true })
  await tools(home, 'disable', 'wiki')
  assert.deepEqual((await standing(home)).servers, { git: false, wiki: false })
  assert.match(await configOf(home), /no_mcp/)
  await tools(home, 'enable', 'git', 'wiki')
  assert.deepEqual((await standing(home)).servers, { git: true, wiki: true })
  await tools(home, 'disable', 'git:push', 'wiki:a')
  const config = await configOf(home)
  assert.match(config, /exclude:\s*\[?\s*-? ?push/)
  assert.match(config, /include: ?\[ ?b ?\]/)
  await tools(home, 'enable', 'git:push', 'wiki:a')
  assert.match(await configOf(home), /include: ?\[ ?b, a ?\]/)
})

test('a name that is none changes nothing and gets the nearest one', async () => {
  await using home = await temporaryHome({ 'config.yaml': '{}\n' })
  const typo = await tools(home, 'disable', 'termnal')
  assert.equal(typo.code, 2)
  assert.match(typo.stderr, /no toolset "termnal"\. Did you mean terminal\?/)
  assert.match((await tools(home, 'enable', 'nowhere:tool')).stderr, /No MCP server is set up/)
  assert.equal((await tools(home, 'enable')).code, 2)
  assert.equal(await configOf(home), '{}\n')
})

test('a person switches toolsets in a list', async () => {
  await using home = await temporaryHome({ 'config.yaml': '{}\n' })
  const code = `
    import { runAtTerminal } from ${JSON.stringify(import.meta.resolve('./auth/run-for-test.ts'))}
    import { command } from ${JSON.stringify(import.meta.resolve('./tools.ts'))}
    process.exitCode = await runAtTerminal(command, [])`
  const args = ['--conditions=development', '--input-type=module', '--eval', code]
  await using pty = openPty(process.execPath, args, {
    env: { ...home.environment, ...compileCache(), NODE_NO_WARNINGS: '1' },
    cwd: home.dir,
  })
  await pty.screen.waitFor('Toolsets of cli')
  pty.write('todo')
  await pty.screen.waitFor('Filter: todo')
  pty.write('\r')
  await pty.screen.waitFor(/\[ \] {3}todo/)
  pty.write('\u001b')
  assert.equal((await pty.exited()).code, 0)
  assert.match(pty.output(), /Tools of cli:/)
  assert.equal((await standing(home)).toolsets['todo'], false)
})
