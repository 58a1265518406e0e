import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryHome } from '@hermes/testing'

// The official conformance suite for MCP clients. What it has besides these are extensions that Hermes does not offer:
// sign-in without a person (client credentials) and through a company's identity provider.
const scenarios = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
]

const suite = join(
  dirname(findPackageJSON('@modelcontextprotocol/conformance', import.meta.url) ?? ''),
  'dist',
  'index.js',
)
const client = fileURLToPath(import.meta.resolve('@hermes/testing/mcp-server/conformance-client.ts'))

test('the MCP client passes the official conformance suite', { concurrency: 2, timeout: 600_000 }, async (t) => {
  await using folder = await temporaryHome()
  const command = `${process.execPath} --conditions=development ${client}`
  await Promise.all(
    scenarios.map((scenario) =>
      t.test(scenario, async () => {
        const child = spawn(process.execPath, [suite, 'client', '--command', command, '--scenario', scenario], {
          cwd: folder.dir,
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        let output = ''
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding('utf8').on('data', (text: string) => (output += text))
        }
        const [code] = await once(child, 'close')
        assert.equal(code, 0, output)
      }),
    ),
  )
})
