import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { loadEnvironment, saveVariable } from './environment.ts'
import { openHome, type Home } from './home.ts'

let home: Home
beforeEach(() => {
  home = openHome({ HERMES_HOME: mkdtempSync(join(tmpdir(), 'hermes-env-')) })
})
afterEach(() => rmSync(home.dir, { recursive: true, force: true }))

const write = (content: string | Uint8Array) => writeFileSync(home.path('.env'), content)
const read = () => readFileSync(home.path('.env'), 'utf8')

test('without a file the environment is that of the process', () => {
  const loaded = loadEnvironment(home, { A: '1' })
  assert.deepEqual(loaded, { environment: { A: '1' }, fromFile: new Map(), warnings: [] })
})

test('the file goes over the process, and what it hides is known', () => {
  write('A=file\nB=same\nEMPTY=\n')
  const { environment, fromFile } = loadEnvironment(home, { A: 'process', B: 'same', C: '3', EMPTY: 'x' })
  assert.deepEqual(environment, { A: 'file', B: 'same', C: '3', EMPTY: '' })
  assert.deepEqual(
    [...fromFile],
    [
      ['A', { line: 1, hides: 'process' }],
      ['B', { line: 2, hides: undefined }],
      ['EMPTY', { line: 3, hides: 'x' }],
    ],
  )
})

test('the file cannot name another home', () => {
  write('HERMES_HOME=/elsewhere\nA=1\n')
  const { environment, warnings } = loadEnvironment(home, { HERMES_HOME: home.dir })
  assert.deepEqual(environment, { HERMES_HOME: home.dir, A: '1' })
  assert.deepEqual(warnings, ['.env line 1: HERMES_HOME is ignored'])
})

test('known assignments run together are read, the file stays as it is', () => {
  const text = 'OPENROUTER_API_KEY=sk-or-xTELEGRAM_BOT_TOKEN=1:a\n'
  write(text)
  const { environment } = loadEnvironment(home, {})
  assert.equal(environment['OPENROUTER_API_KEY'], 'sk-or-x')
  assert.equal(environment['TELEGRAM_BOT_TOKEN'], '1:a')
  assert.equal(read(), text)
})

test('a file in Latin-1 is read, and stays in it when a variable is set', async () => {
  write(Buffer.from('NAME=Jörg\n', 'latin1'))
  assert.equal(loadEnvironment(home, {}).environment['NAME'], 'Jörg')
  await saveVariable({ home }, 'A', '1')
  assert.deepEqual(readFileSync(home.path('.env')), Buffer.from('NAME=Jörg\nA=1\n', 'latin1'))
  await saveVariable({ home }, 'A', '日本')
  assert.equal(read(), "NAME=Jörg\nA='日本'\n")
})

test('a variable is set and taken out; the file is closed to others', async () => {
  write('# mine\nA=1\n')
  chmodSync(home.path('.env'), 0o644)
  await saveVariable({ home }, 'B', "it's two")
  assert.equal(read(), "# mine\nA=1\nB='it\\'s two'\n")
  assert.equal(statSync(home.path('.env')).mode & 0o777, 0o600)
  assert.equal(loadEnvironment(home, {}).environment['B'], "it's two")
  await saveVariable({ home }, 'B', undefined)
  assert.equal(read(), '# mine\nA=1\n')
})

test('names and values that cannot stand in the file are refused, and nothing is written', async () => {
  for (const [name, value] of [
    ['A-B', '1'],
    ['1A', '1'],
    ['', '1'],
    ['A', 'x\ny'],
    ['A', 'x\ry'],
    ['A', 'x\0y'],
    ['A=B', '1'],
  ] as const) {
    await assert.rejects(saveVariable({ home }, name, value), { code: 'bad-variable' })
  }
  assert.throws(read, { code: 'ENOENT' })
})

test('a file with an open quote that would swallow the new line is left as it is', async () => {
  write("OPEN='\n")
  await assert.rejects(saveVariable({ home }, 'A', "#'#"), { code: 'edit-by-hand' })
  assert.equal(read(), "OPEN='\n")
})

test('variables set at the same time are all there', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `V${index}`)
  await Promise.all(names.map((name) => saveVariable({ home }, name, name)))
  const { environment } = loadEnvironment(home, {})
  assert.deepEqual(Object.keys(environment).sort(), names)
})
