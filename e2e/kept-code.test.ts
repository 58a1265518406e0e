import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFileRoom } from '../packages/cli/src/code/file-room.ts'
import { readKept } from '../packages/cli/src/code/kept-code.ts'
import { temporaryHome } from '@hermes/testing'
import { hermesFile, scriptedConfig } from './run-hermes.ts'

/** Runs a command until it ends, or says that the gateway runs. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn(process.execPath, [hermesFile, ...args], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (!told.includes('The gateway runs') && `${told}${text}`.includes('The gateway runs')) child.kill('SIGTERM')
      told += text
    })
  }
  const [code] = await once(child, 'close')
  assert.equal(code, 0, told)
}

/** How many runs have added to what is kept of each file, by the file's name without its hash. */
async function keptRuns(folder: string): Promise<ReadonlyMap<string, number | undefined>> {
  const { read } = createFileRoom()
  const names = await readdir(folder)
  return new Map(names.map((name) => [name.replace(/-[\w-]{8}\.cjs$/, ''), readKept(join(folder, name), read)?.runs]))
}

test('compiled code is taken up by the next run, that of the gateway apart from others: it calls other functions', async () => {
  await using home = await temporaryHome(scriptedConfig('http://127.0.0.1:9/v1'))
  const caches = home.path('caches')
  const env = {
    ...home.environment,
    XDG_CACHE_HOME: caches,
    API_SERVER_KEY: 'made-up-key-of-a-server',
    API_SERVER_PORT: '0',
  }
  const ofRun = join(caches, 'hermes', 'code', `${process.version}-${process.arch}`)
  for (const runs of [1, 2, 3, 3]) {
    await run(['--help'], env)
    await run(['gateway', 'run'], env)
    const [help, gateway] = await Promise.all([keptRuns(ofRun), keptRuns(`${ofRun}-gateway`)])
    assert.deepEqual([help.get('main'), help.get('base')], [runs, runs])
    for (const name of ['main', 'base', 'turn', 'gateway-life']) assert.equal(gateway.get(name), runs, name)
    assert.ok(!help.has('gateway-life'))
  }
})
