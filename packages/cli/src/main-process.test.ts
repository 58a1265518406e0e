import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import assert from 'node:assert/strict'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { startScriptedModel } from '@hermes/testing/scripted-model/server.ts'

const program = `
  import { main } from ${JSON.stringify(import.meta.resolve('./main.ts'))}
  await main(process.argv.slice(2))`

interface Streams {
  readonly stdout?: number | 'closed'
  readonly stderr?: number | 'closed'
  /** A folder to start in, which is deleted at once. */
  readonly gone?: string
}

/** Runs the program in a process of its own. A stream that is `closed` has lost its reader. */
async function hermes(home: string, args: readonly string[], { stdout, stderr, gone }: Streams = {}) {
  const node = [process.execPath, '--conditions=development', join(home, 'program.mjs')]
  writeFileSync(join(home, 'program.mjs'), program)
  const script = `${gone === undefined ? '' : 'rmdir "$PWD"; '}exec "$@"`
  const child = spawn('sh', ['-c', script, 'sh', ...node, ...args], {
    cwd: gone,
    env: { PATH: process.env['PATH'], HOME: home, HERMES_HOME: home, ...compileCache() },
    stdio: ['ignore', typeof stdout === 'number' ? stdout : 'pipe', typeof stderr === 'number' ? stderr : 'pipe'],
    timeout: 120_000,
  })
  const texts = { stdout: '', stderr: '' }
  if (stdout === 'closed') child.stdout?.destroy()
  else child.stdout?.on('data', (data) => (texts.stdout += String(data)))
  if (stderr === 'closed') child.stderr?.destroy()
  else child.stderr?.on('data', (data) => (texts.stderr += String(data)))
  const [exitCode] = await once(child, 'close')
  return { exitCode: exitCode as number | null, ...texts }
}

function homeWith(t: TestContext, config = 'model:\n  provider: offline\n  default: offline\n'): string {
  const home = mkdtempSync(join(tmpdir(), 'hermes-process-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'config.yaml'), config)
  return home
}

test('the answer arrives though nobody reads what is said beside it', async (t) => {
  const home = homeWith(t)
  const closed = await hermes(home, ['-t', 'run: echo one'], { stderr: 'closed' })
  assert.deepEqual([closed.exitCode, closed.stdout], [0, 'one\n'])
  if (process.platform !== 'linux') return
  const full = await hermes(home, ['-t', 'run: echo two'], { stderr: openSync('/dev/full', 'w') })
  assert.deepEqual([full.exitCode, full.stdout], [0, 'two\n'])
})

test('an answer that has nowhere to go is told in one line', { skip: process.platform !== 'linux' }, async (t) => {
  const { exitCode, stderr } = await hermes(homeWith(t), ['--help'], { stdout: openSync('/dev/full', 'w') })
  assert.deepEqual([exitCode, stderr], [1, 'hermes: the output cannot be written (ENOSPC).\n'])
})

test('a folder that was deleted under the program is told, and it goes on', async (t) => {
  const home = homeWith(t)
  const gone = mkdtempSync(join(tmpdir(), 'hermes-gone-'))
  const { exitCode, stdout, stderr } = await hermes(home, ['-t', 'run: pwd'], { gone })
  assert.deepEqual([exitCode, stdout], [0, '/\n'])
  assert.match(stderr, /^! The folder this was started in is gone/)
})

test('what a model server says of its failure cannot command the terminal', async (t) => {
  const message = '\u001b]52;c;cHduZWQ=\u0007 bad \u001b[2J request \u009b31m'
  await using model = await startScriptedModel([{ fault: { type: 'http', status: 400, message } }])
  const home = homeWith(t, `model:\n  default: scripted-model\n  base_url: ${model.url}\n`)
  const { exitCode, stderr } = await hermes(home, ['-t', 'hello'])
  assert.equal(exitCode, 1)
  assert.match(stderr, / bad {2}request /)
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  assert.doesNotMatch(stderr, /[\u0007\u001b\u009b]/)
})

test('a pipe in place of the sticky profile, and an image of 3 GB, are refused at once', async (t) => {
  const home = homeWith(t)
  await promisify(execFile)('mkfifo', [join(home, 'active_profile')])
  const piped = await hermes(home, ['--help'])
  assert.deepEqual([piped.exitCode, piped.stderr], [1, `${home}/active_profile must be a file with one name.\n`])
  rmSync(join(home, 'active_profile'))
  const image = join(home, 'huge.png')
  await promisify(execFile)('truncate', ['-s', '3G', image])
  const huge = await hermes(home, ['-t', 'look', '--image', image])
  assert.deepEqual([huge.exitCode, huge.stderr], [1, `${image} is larger than 20 MiB.\n`])
})
