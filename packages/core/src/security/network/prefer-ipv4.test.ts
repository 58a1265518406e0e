import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'

const program = `
  import { getDefaultResultOrder } from 'node:dns'
  import { getDefaultAutoSelectFamily } from 'node:net'
  import { createContext } from ${JSON.stringify(import.meta.resolve('../../agent/create-context.ts'))}
  await using context = await createContext({ environment: process.env, cwd: process.cwd() })
  console.log(getDefaultResultOrder(), getDefaultAutoSelectFamily())`

test('network.force_ipv4 holds for the whole process, and only where it is set', async () => {
  for (const [config, told] of [
    ['network: {force_ipv4: true}\n', 'ipv4first false\n'],
    ['', 'verbatim true\n'],
  ] as const) {
    await using home = await temporaryHome({ 'config.yaml': config })
    const args = ['--conditions=development', '--input-type=module', '-e', program]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { PATH: process.env['PATH'], ...home.environment },
      timeout: 60_000,
    })
    assert.equal(stdout, told)
  }
})
