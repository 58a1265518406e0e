import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spawnSync } from 'node:child_process'
import { temporaryHome } from '@hermes/testing'
import { hermesFile } from './run-hermes.ts'

/** The files that a run of the built command loads, by Node's own trace of module loading. */
async function loadedBy(...args: string[]): Promise<readonly string[]> {
  await using home = await temporaryHome()
  const hook = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module'
    import { writeSync } from 'node:fs'
    registerHooks({ load(url, context, next) { writeSync(2, 'LOADED ' + url + '\\n'); return next(url, context) } })
  `)}`
  const { stderr, status } = spawnSync(process.execPath, ['--import', hook, hermesFile, ...args], {
    env: home.environment,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return stderr.split('\n').flatMap((line) => (line.startsWith('LOADED ') ? [line.slice('LOADED '.length)] : []))
}

test('--version loads the entry and nothing else', async () => {
  const loaded = await loadedBy('--version')
  assert.deepEqual(
    loaded.map((url) => url.split('/').at(-1)),
    ['hermes.mjs'],
  )
})

test('--help loads no dependency, no database and no model code', async () => {
  const loaded = await loadedBy('--help')
  const builtin = loaded.filter((url) => url.startsWith('node:'))
  assert.deepEqual(
    builtin.filter((url) => /sqlite|http|net|tls|child_process|worker/.test(url)),
    [],
  )
  const files = loaded.filter((url) => url.startsWith('file:'))
  assert.ok(files.length <= 10, files.join('\n'))
})
