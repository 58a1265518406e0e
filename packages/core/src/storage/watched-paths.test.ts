import assert from 'node:assert/strict'
import {
  appendFile,
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import * as fc from 'fast-check'
import { fileState } from './file-state.ts'
import { FolderWatch } from './folder-watch.ts'
import { WatchedPaths } from './watched-paths.ts'

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hermes-watched-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Every path below a folder, itself included. */
async function pathsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true })
  return [root, ...entries.map((entry) => join(entry.parentPath, entry.name))]
}

/** What tells whether a file has changed. */
function traceOf(path: string): unknown {
  const state = fileState(path)
  return state && [state.ino, state.size, state.mtimeMs, state.ctimeMs]
}

const changes: Readonly<Record<string, (from: string, to: string) => Promise<unknown>>> = {
  write: (from) => writeFile(from, 'written'),
  append: (from) => appendFile(from, 'more'),
  touch: (from) => utimes(from, 1, Math.random()),
  mode: (from) => chmod(from, 0o700),
  folder: (from) => mkdir(from),
  rename: (from, to) => rename(from, to),
  link: (from, to) => link(from, to),
  pointer: (from, to) => symlink(from, to),
  remove: (from) => rm(from, { recursive: true, force: true }),
}

test('whatever happens to files and folders is seen, however they are watched', async (t) => {
  const root = await folder(t)
  const outside = await folder(t)
  const places = [root, join(root, 'a'), join(root, 'a', 'b'), join(root, 'c'), outside, join(outside, 'd')]
  const place = fc.tuple(fc.constantFrom(...places), fc.constantFrom('a', 'b', 'c', 'd', 'e'))
  const step = fc.tuple(fc.constantFrom(...Object.keys(changes)), place, place)
  using folders = new FolderWatch()
  for (const [name, from, to] of fc.sample(step, { numRuns: 500, seed: 11 })) {
    const paths = await pathsIn(root)
    const states = new Map(paths.map((path) => [path, fileState(path)]))
    const before = JSON.stringify(paths.map(traceOf))
    const watched = new WatchedPaths(states, folders)
    // Looked at often enough to be watched, and then by what is told.
    for (let look = 0; look < 8; look++) assert.ok(watched.areUnchanged(0))
    // What cannot be done changes nothing, which is as good.
    await changes[name]?.(join(...from), join(...to)).catch(() => undefined)
    for (let rounds = 0; rounds < 2; rounds++) await nextRound()
    const isSame = JSON.stringify(paths.map(traceOf)) === before
    assert.equal(watched.areUnchanged(0), isSame, `${name} ${from.join('/')} ${to.join('/')}`)
  }
})

test('all of them are looked at again after a while, whatever is told', async (t) => {
  const root = await folder(t)
  const file = join(root, 'file')
  await writeFile(file, 'x')
  // A folder that hears of nothing, as one that something has been mounted over.
  using folders = new FolderWatch()
  folders.cover = () => []
  const watched = new WatchedPaths(new Map([root, file].map((path) => [path, fileState(path)])), folders)
  for (let look = 0; look < 8; look++) assert.ok(watched.areUnchanged(0))
  await writeFile(file, 'longer')
  assert.ok(watched.areUnchanged(4_999))
  assert.ok(!watched.areUnchanged(5_000))
})
