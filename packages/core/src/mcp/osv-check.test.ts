import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { silentLogger } from '../log/logger.ts'
import { packageOf, refuseMalware } from './osv-check.ts'

test('the package that a command line fetches and runs', () => {
  const cases = [
    ['npx -y @scope/server@1.2.3 /tmp', { ecosystem: 'npm', name: '@scope/server', version: '1.2.3' }],
    ['/usr/bin/npx some-server', { ecosystem: 'npm', name: 'some-server' }],
    ['npx --package=thing@latest run-it', { ecosystem: 'npm', name: 'thing' }],
    ['npx --registry http://r -p thing run-it', { ecosystem: 'npm', name: 'thing' }],
    ['npm exec -- some-server@2.0.0', { ecosystem: 'npm', name: 'some-server', version: '2.0.0' }],
    ['uvx --python 3.12 --from mcp-thing[all]==0.3 thing', { ecosystem: 'PyPI', name: 'mcp-thing', version: '0.3' }],
    ['uvx mcp_server', { ecosystem: 'PyPI', name: 'mcp_server' }],
    ['uv tool run mcp-server@1.0', { ecosystem: 'PyPI', name: 'mcp-server', version: '1.0' }],
    ['pipx run --spec thing==2 thing-cli', { ecosystem: 'PyPI', name: 'thing', version: '2' }],
    ['pipx install thing', undefined],
    ['uv run server.py', undefined],
    ['node server.js', undefined],
    ['npx', undefined],
    ['uvx --from git+https://example.com/x thing', undefined],
  ] as const
  for (const [line, expected] of cases) {
    const [command = '', ...args] = line.split(' ')
    assert.deepEqual(packageOf(command, args), expected, line)
  }
})

/** A stand-in of the list of known malware. */
async function osv(answer: (body: { package: { name: string } }) => { status?: number; body: string } | undefined) {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const said = answer(JSON.parse(Buffer.concat(pieces).toString()) as never)
      if (said) response.writeHead(said.status ?? 200, { 'content-type': 'application/json' }).end(said.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    environment: { OSV_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/query` },
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const check = (name: string, environment: Record<string, string>, signal = new AbortController().signal) =>
  refuseMalware({ server: 's', command: 'npx', args: [name], agent: { environment, log: silentLogger } }, signal)

test('a package that is known to be malware is not started; other advisories and clean packages pass', async () => {
  using list = await osv(({ package: { name } }) => {
    const ids = { bad: ['GHSA-1', 'MAL-2026-1'], old: ['GHSA-2'] }[name] ?? []
    return { body: JSON.stringify(ids.length > 0 ? { vulns: ids.map((id) => ({ id })) } : {}) }
  })
  await assert.rejects(check('bad', list.environment), { code: 'blocked', message: /MAL-2026-1.*hermes mcp remove s/ })
  await check('old', list.environment)
  await check('fine', list.environment)
})

test('a list that cannot be asked, or answers nonsense, stops nothing', async () => {
  using broken = await osv(() => ({ status: 500, body: 'no' }))
  await check('bad', broken.environment)
  using odd = await osv(() => ({ body: '[1' }))
  await check('bad', odd.environment)
  await check('bad', { OSV_ENDPOINT: 'http://127.0.0.1:1/' })
})

test('a list that hangs ends with the signal', async () => {
  using hung = await osv(() => undefined)
  await assert.rejects(check('bad', hung.environment, AbortSignal.timeout(50)), { name: 'TimeoutError' })
})
