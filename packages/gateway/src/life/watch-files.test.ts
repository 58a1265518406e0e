import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchFiles } from './watch-files.ts'

const limitMs = 20_000

test('a file that comes, changes, is replaced or goes is told, and others are not', async () => {
  using watched = watchFolder()
  const { folder } = watched
  writeFileSync(join(folder, 'other'), 'x')
  for (const change of [
    () => writeFileSync(join(folder, 'named'), 'one'),
    () => writeFileSync(join(folder, 'named'), 'three'),
    () => renameSync(join(folder, 'other'), join(folder, 'named')),
    () => rmSync(join(folder, 'named')),
  ]) {
    await watched.quiet()
    const before = watched.told
    change()
    await until(() => watched.told > before)
  }
})

test('in a folder where much else is written no write is watched, and a change is told all the same', async (t) => {
  if (process.platform !== 'linux') return t.skip('which watches there are is told by Linux alone')
  using watched = watchFolder()
  const { folder } = watched
  for (let round = 0; round < 2; round++) {
    await until(() => {
      for (const name of ['a', 'b']) writeFileSync(join(folder, name), 'x')
      return !watched.isWatching()
    })
    const before = watched.told
    writeFileSync(join(folder, 'fresh'), `${round}`)
    renameSync(join(folder, 'fresh'), join(folder, 'named'))
    await until(() => watched.told > before)
    assert.ok(watched.isWatching())
  }
  assert.deepEqual(watched.errors, [])
})

test('a folder that is not there cannot be watched', () => {
  const none = { folder: join(tmpdir(), 'hermes-no-such-folder'), names: ['named'] }
  assert.throws(() => watchFiles({ ...none, onChange: () => {}, onError: () => {} }), { code: 'ENOENT' })
})

function watchFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-watch-'))
  const errors: Error[] = []
  let told = 0
  const watch = watchFiles({
    folder,
    names: ['named'],
    onChange: () => void told++,
    onError: (error) => void errors.push(error),
  })
  return {
    folder,
    errors,
    get told() {
      return told
    },
    isWatching: () => inotifyWatches() > 0,
    /** What was done before has been told: a change that a watch of our own sees comes after it. */
    async quiet() {
      let seen = false
      using _own = watchFiles({ folder, names: ['mark'], onChange: () => void (seen = true), onError: () => {} })
      writeFileSync(join(folder, 'mark'), `${performance.now()}`)
      await until(() => seen)
    },
    [Symbol.dispose]() {
      watch[Symbol.dispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Folders that this process has watched by the kernel. */
function inotifyWatches(): number {
  return readdirSync('/proc/self/fdinfo')
    .map((name) => {
      try {
        return readFileSync(`/proc/self/fdinfo/${name}`, 'utf8').match(/^inotify /gm)?.length ?? 0
      } catch {
        // The one that the folder was read by.
        return 0
      }
    })
    .reduce((sum, count) => sum + count, 0)
}

async function until(isSo: () => boolean): Promise<void> {
  const from = performance.now()
  while (!isSo()) {
    assert.ok(performance.now() - from < limitMs, 'it did not come to that')
    await sleep(5)
  }
}
