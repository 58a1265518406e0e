import assert from 'node:assert/strict'
import { chmod, readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { installedRuntime } from '../runtime.ts'
import { installRuntime, platformName } from './install-runtime.ts'

const never = new AbortController().signal

/** A home, and an `npm` that runs this script where it would install. */
async function setUp(script: string) {
  const home = await temporaryHome({ 'bin/npm': `#!/bin/sh\n${script}\n` })
  await chmod(home.path('bin', 'npm'), 0o700)
  return { home, environment: { ...home.environment, PATH: `${home.path('bin')}:${home.environment['PATH']}` } }
}

const installs =
  'mkdir -p node_modules/node-llama-cpp && cp package.json node_modules/node-llama-cpp/ && echo "$@" > asked'

test('npm is asked for the runtime of this machine, without scripts and without what is optional', async () => {
  const { home, environment } = await setUp(installs)
  await using _ = home
  await installRuntime(home, environment, never)
  const folder = home.path('runtimes', 'llama')
  assert.equal(installedRuntime(home, environment), folder)
  const wanted = await readFile(home.path('runtimes', 'llama', 'package.json'), 'utf8')
  assert.match(wanted, /"node-llama-cpp":"3\.21\.1","@node-llama-cpp\/[\w-]+":"3\.21\.1"/)
  assert.match(await readFile(home.path('runtimes', 'llama', 'asked'), 'utf8'), /--omit=optional --ignore-scripts/)
  await installRuntime(home, environment, never)
  assert.deepEqual(await readdir(home.path('runtimes')), ['llama'])
})

test('an installation that fails or is stopped leaves nothing, and the one before stays', async () => {
  const { home, environment } = await setUp('echo "no such version" >&2; exit 1')
  await using _ = home
  await assert.rejects(installRuntime(home, environment, never), { code: 'not-configured', message: /no such version/ })
  assert.deepEqual(await readdir(home.path('runtimes')), [])
  const slow = await setUp('exec sleep 60')
  await using _slow = slow.home
  const stop = new AbortController()
  const installing = installRuntime(slow.home, slow.environment, stop.signal)
  setImmediate(() => stop.abort(new Error('stopped')))
  await assert.rejects(installing, /stopped/)
  assert.deepEqual(await readdir(slow.home.path('runtimes')), [])
})

test('the packages of each kind of machine are known', () => {
  assert.equal(platformName('linux', 'x64'), 'linux-x64')
  assert.equal(platformName('darwin', 'arm64'), 'mac-arm64-metal')
  assert.throws(() => platformName('aix', 'ppc64'), { code: 'not-configured' })
})
