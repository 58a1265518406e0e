import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { withFileLock } from './file-lock.ts'

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-lock-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A process of its own that runs `body` with `withFileLock` and `path` in scope. */
function runElsewhere(path: string, body: string): ChildProcess {
  const code = `
    import { readFile, writeFile } from 'node:fs/promises'
    import { withFileLock } from ${JSON.stringify(import.meta.resolve('./file-lock.ts'))}
    const path = ${JSON.stringify(path)}
    ${body}`
  return spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'inherit'] })
}

test('changes made under the lock by several processes and callers at once are all kept', async (t) => {
  const path = join(await temporaryFolder(t), 'counter')
  await writeFile(path, '0')
  const others = [1, 2, 3].map(() =>
    runElsewhere(
      path,
      `for (let i = 0; i < 40; i += 1) {
         await withFileLock(path, async () => writeFile(path, String(Number(await readFile(path, 'utf8')) + 1)))
       }`,
    ),
  )
  const own = Array.from({ length: 40 }, () =>
    withFileLock(path, async () => writeFile(path, String(Number(await readFile(path, 'utf8')) + 1))),
  )
  const exits = await Promise.all([...others.map((child) => once(child, 'exit')), ...own])
  assert.deepEqual(
    exits.slice(0, 3).map((exit) => exit?.[0]),
    [0, 0, 0],
  )
  assert.equal(await readFile(path, 'utf8'), '160')
})

test('a holder that is killed leaves the lock free', async (t) => {
  const path = join(await temporaryFolder(t), 'file')
  const holder = runElsewhere(
    path,
    `await withFileLock(path, () => { process.stdout.write('held'); return new Promise((resolve) => setTimeout(resolve, 60_000)) })`,
  )
  await once(holder.stdout!, 'data')
  await assert.rejects(
    withFileLock(path, () => undefined, { timeoutMs: 20 }),
    { code: 'locked' },
  )
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  assert.equal(await withFileLock(path, () => 'mine', { timeoutMs: 30_000 }), 'mine')
})

test('waiting ends with the reason of the abort', async (t) => {
  const path = join(await temporaryFolder(t), 'file')
  const abort = new AbortController()
  await withFileLock(path, async () => {
    const waiting = withFileLock(path, () => undefined, { signal: abort.signal })
    abort.abort(new Error('enough'))
    await assert.rejects(waiting, { message: 'enough' })
  })
})

test('the lock is released when the work fails, and only an empty private file stays', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'new', 'file')
  await assert.rejects(
    withFileLock(path, async () => {
      assert.deepEqual(await readdir(join(folder, 'new')), ['file.lock'])
      throw new Error('no')
    }),
    { message: 'no' },
  )
  await withFileLock(path, () => undefined, { timeoutMs: 0 })
  const { size, mode } = await stat(`${path}.lock`)
  assert.deepEqual([size, mode & 0o777], [0, 0o600])
})
