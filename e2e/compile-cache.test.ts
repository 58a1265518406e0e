import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { hermesFile, scriptedConfig } from './run-hermes.ts'

/** Runs the gateway until it is ready; resolves to what Node says of its compile cache. */
async function cacheTrace(env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, [hermesFile, 'gateway', 'run'], {
    env: { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (!told.includes('The gateway runs') && `${told}${text}`.includes('The gateway runs')) child.kill('SIGTERM')
      told += text
    })
  }
  const [code] = await once(child, 'close')
  assert.equal(code, 0, told)
  return told
}

test('the gateway’s compiled code is taken from the cache: none of it was made under other flags of V8', async () => {
  await using home = await temporaryHome(scriptedConfig('http://127.0.0.1:9/v1'))
  const env = { ...home.environment, API_SERVER_KEY: 'made-up-key-of-a-server', API_SERVER_PORT: '0' }
  await cacheTrace(env)
  const told = await cacheTrace(env)
  assert.match(told, /was accepted/)
  assert.doesNotMatch(told, /was rejected/)
})
