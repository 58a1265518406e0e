import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryHome } from '@hermes/testing'
import { storageProblem } from './storage-problem.ts'

test('where something can be stored there is no problem, and nothing is left of the try', async () => {
  await using home = await temporaryHome()
  const before = await readdir(home.dir)
  assert.equal(await storageProblem(home.dir), undefined)
  assert.equal(await storageProblem(home.path('none')), undefined)
  assert.deepEqual(await readdir(home.dir), before)
})

test('what keeps it from being stored is told with what to do', async () => {
  const problem = (code: string) =>
    storageProblem('/h', () => Promise.reject(Object.assign(new Error(`${code}: no`), { code })))
  assert.equal(await problem('ENOSPC'), 'no room is left in /h (ENOSPC); free some disk space')
  assert.match((await problem('EDQUOT')) ?? '', /^no room is left/)
  assert.equal(await problem('EROFS'), '/h cannot be written (EROFS); check its disk, owner and permissions')
})

const run = promisify(execFile)
const canMount = await run('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'full', tmpdir()]).then(
  () => true,
  () => false,
)

test('a disk that is really full is told', { skip: canMount ? false : 'no disks of its own here' }, async () => {
  await using home = await temporaryHome()
  const module = JSON.stringify(import.meta.resolve('./storage-problem.ts'))
  const script = `import { storageProblem } from ${module}; console.log(await storageProblem(process.argv[1]))`
  const inFull = 'mount -t tmpfs -o size=64k full "$1" && exec "$2" --input-type=module -e "$3" "$1"'
  const { stdout } = await run('unshare', ['-rm', 'sh', '-c', inFull, 'sh', home.dir, process.execPath, script])
  assert.match(stdout, /^no room is left in .+ \(ENOSPC\)/)
})
