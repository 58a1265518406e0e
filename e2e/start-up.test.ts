import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { hermesFile, scriptedConfig } from './run-hermes.ts'

/** What a run of the built command loads: its files, and the parts of Node that they ask for. */
async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const hook = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module'
    import { writeSync } from 'node:fs'
    import vm from 'node:vm'
    const tell = (url) => writeSync(2, 'LOADED ' + url + '\\n')
    registerHooks({ load(url, context, next) { tell(url); return next(url, context) } })
    const { Script } = vm
    vm.Script = class extends Script {
      constructor(text, options) { tell('file://' + options.filename); super(text, options) }
    }
    const get = process.getBuiltinModule
    process.getBuiltinModule = (id) => { const found = get(id); if (found) tell(id); return found }
  `)}`
  const child = spawn(process.execPath, ['--import', hook, hermesFile, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [status] = await once(child, 'close')
  assert.equal(status, 0, stderr)
  return stderr.split('\n').flatMap((line) => (line.startsWith('LOADED ') ? [line.slice('LOADED '.length)] : []))
}

test('--version loads the entry and nothing else', async () => {
  await using home = await temporaryHome()
  const loaded = await loadedBy(['--version'], home.environment)
  assert.deepEqual(
    loaded.map((url) => url.split('/').at(-1)),
    ['hermes.cjs'],
  )
})

test('--help loads no dependency, no database and no model code', async () => {
  await using home = await temporaryHome()
  const loaded = await loadedBy(['--help'], home.environment)
  const builtin = loaded.filter((url) => url.startsWith('node:'))
  assert.deepEqual(
    builtin.filter((url) => /sqlite|http|net|tls|child_process|worker/.test(url)),
    [],
  )
  const files = loaded.filter((url) => url.startsWith('file:'))
  assert.ok(files.length <= 8, files.join('\n'))
})

test('a one-shot turn whose configuration is known loads no schema library, no YAML and no tool', async () => {
  await using model = await startScriptedModel(() => ({ text: 'ok' }))
  await using home = await temporaryHome(scriptedConfig(model.url))
  // A file that changed just now is read anew, since it may change again within its time stamp.
  const earlier = Date.now() / 1000 - 60
  await utimes(home.path('config.yaml'), earlier, earlier)
  await loadedBy(['-q', '-t', 'warm up'], home.environment)
  const loaded = await loadedBy(['-q', '-t', 'hi'], home.environment)
  const files = loaded.filter((url) => url.startsWith('file:')).map((url) => url.split('/').at(-1) ?? '')
  assert.deepEqual(
    files.filter((name) => /^(zod|yaml|terminal-|patch-|read-file|skills|approve)/.test(name)),
    [],
  )
  assert.ok(files.length <= 28, files.join('\n'))
})

test('of the schema library only what is used is in the bundle, and no file takes two bytes a character', async () => {
  const folder = join(hermesFile, '..', 'chunks')
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  assert.deepEqual(
    names.filter((_, at) => /[^\0-\x7f]/.test(texts[at] ?? '')),
    [],
  )
  const schemas = texts.filter((_, at) => names[at]?.startsWith('zod-'))
  assert.equal(schemas.length, 1)
  assert.ok((schemas[0]?.length ?? 0) < 150_000, `${schemas[0]?.length}`)
})
