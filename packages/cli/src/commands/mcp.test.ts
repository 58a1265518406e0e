import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { startMcpHttpServer } from '@hermes/testing/mcp-server/http.ts'
import { mcpStandIn } from '@hermes/testing/mcp-server/stand-in.ts'
import { runForTest } from './auth/run-for-test.ts'
import { command } from './mcp.ts'

const { command: program, args } = mcpStandIn()

test('a server is added once it has answered, listed, tested, configured and removed', async () => {
  await using home = await temporaryHome({ 'config.yaml': '# mine\ntimezone: UTC\n' })
  const run = (...argv: readonly string[]) => runForTest(command, argv, { environment: home.environment })
  const config = () => readFile(home.path('config.yaml'), 'utf8')

  const added = await run('add', 'odd', '--command', program, '--env', 'TOKEN=${SOME_TOKEN}', '--', ...args)
  assert.equal(added.code, 1, 'a variable that is not set is told')
  const good = await run('add', 'odd', '--command', program, '--env', 'OWN=1', '--', ...args)
  assert.equal(good.code, 0, good.stderr)
  assert.match(good.stdout, /✓ echo +Does echo\./)
  assert.match(good.stdout, /✓ odd is added, with \d+ tools\./)
  assert.match(await config(), /^# mine\n/)
  assert.match(await config(), /OWN: ['"]?1/)

  const again = await run('add', 'odd', '--command', program)
  assert.equal(again.code, 2)
  assert.match(again.stderr, /already.*hermes mcp remove odd/)

  assert.match((await run('ls')).stdout, /✓ on {3}odd {2}.*stand-in\.mjs/)
  const [row] = JSON.parse((await run('list', '--json')).stdout) as { name: string; transport: string }[]
  assert.deepEqual([row?.name, row?.transport], ['odd', 'stdio'])

  assert.match((await run('test', 'odd')).stdout, /✓ odd answers/)
  const unknown = await run('test', 'od')
  assert.deepEqual([unknown.code, /Did you mean odd/.test(unknown.stderr)], [2, true])

  assert.equal((await run('configure', 'odd', '--only', 'echo,huge')).code, 0)
  assert.match(await config(), /include:[^]*echo[^]*huge/)
  const probed = JSON.parse((await run('test', 'odd', '--json')).stdout) as { tools: { name: string; isOn: boolean }[] }
  assert.deepEqual(
    probed.tools.filter(({ isOn }) => isOn).map(({ name }) => name),
    ['echo', 'huge'],
  )
  assert.match((await run('config', 'odd', '--only', 'nothing')).stderr, /no tool nothing/)
  assert.equal((await run('configure', 'odd', '--all')).code, 0)
  assert.doesNotMatch(await config(), /include/)

  assert.equal((await run('rm', 'odd')).code, 0)
  assert.doesNotMatch(await config(), /odd/)
  assert.match((await run('list')).stdout, /No MCP server is set up/)
})

test('a server that does not answer is not kept, and the error says why', async () => {
  await using home = await temporaryHome()
  const run = (...argv: readonly string[]) => runForTest(command, argv, { environment: home.environment })
  const failed = await run('add', 'gone', '--command', '/nowhere/at-all')
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /gone does not start: .*no such program/)
  assert.match((await run('list')).stdout, /No MCP server/)
  for (const argv of [
    ['add', 'x'],
    ['add', 'x', '--url', 'http://127.0.0.1:1/', '--command', 'y'],
    ['add', 'x', '--url', 'http://127.0.0.1:1/', '--env', 'A=1'],
    ['add', 'x', '--command', 'y', '--auth', 'header'],
    ['add', 'x', '--command', 'y', '--env', 'nonsense'],
    ['add', '../x', '--command', 'y'],
  ]) {
    assert.equal((await run(...argv)).code, 2, argv.join(' '))
  }
})

test('a key is kept in .env and sent as a header', async () => {
  await using server = await startMcpHttpServer({
    allow(request, response) {
      const isRight = request.headers.authorization === 'Bearer made-up-right-key'
      if (!isRight) response.writeHead(401).end()
      return isRight
    },
  })
  await using home = await temporaryHome()
  const run = (input: string, ...argv: readonly string[]) =>
    runForTest(command, argv, { environment: home.environment, input })
  const wrong = await run('made-up-wrong-key', 'add', 'my-search', '--url', server.url, '--auth', 'header')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /401/)
  assert.doesNotMatch(wrong.stderr, /made-up-wrong-key/)
  const added = await run('made-up-right-key', 'add', 'my-search', '--url', server.url, '--auth', 'header')
  assert.equal(added.code, 0, added.stderr)
  assert.match(await readFile(home.path('.env'), 'utf8'), /^MCP_MY_SEARCH_API_KEY=made-up-right-key$/m)
  assert.equal((await stat(home.path('.env'))).mode & 0o777, 0o600)
  const config = await readFile(home.path('config.yaml'), 'utf8')
  assert.match(config, /Authorization: ['"]?Bearer \$\{MCP_MY_SEARCH_API_KEY\}/)
  assert.doesNotMatch(config, /made-up/)
  assert.equal((await run('', 'test', 'my-search')).code, 0)
})
