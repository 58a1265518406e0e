import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'

const fixture = fileURLToPath(new URL('plugin-faults.fixture.ts', import.meta.url))

async function run(args: readonly string[]) {
  await using home = await temporaryHome({
    'plugins/tp/package.json': '{"type": "module"}',
    'plugins/tp/index.js': `void Promise.reject(new Error('rejected'))
setImmediate(() => { throw new Error('thrown') })
`,
  })
  const child = spawn(process.execPath, ['--conditions=development', fixture, ...args], {
    env: { ...home.environment, ...compileCache() },
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, err, code: child.exitCode }
}

test('what the code of a plugin does not catch is told and ends nothing; what is no plugin’s ends the process', async () => {
  const kept = await run([])
  assert.match(kept.out, /rejected[^]*thrown/)
  assert.equal(kept.code, 0, kept.err)
  const ended = await run(['own'])
  assert.match(ended.err, /a failure of our own/)
  assert.equal(ended.code, 1)
})
