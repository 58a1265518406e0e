import assert from 'node:assert/strict'
import { link, mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileState, isSettled } from './file-state.ts'
import { LookedAtPaths } from './looked-at-paths.ts'

const names = ['a', 'b', 'c', 'd', 'e']

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hermes-looked-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Until a change of a folder would show. */
async function settled(...folders: readonly string[]): Promise<void> {
  while (!folders.every((path) => isSettled(fileState(path), Date.now()))) await sleep(20)
}

function lookedAt(places: readonly string[], now: () => number = Date.now): LookedAtPaths {
  return new LookedAtPaths(new Map(places.map((path) => [path, fileState(path)])), now)
}

/** Ways in which something comes to a place that had nothing. `other` is a folder beside its own. */
const ways: Readonly<Record<string, (place: string, other: string) => Promise<unknown>>> = {
  'a file': (place) => writeFile(place, ''),
  'a folder': (place) => mkdir(place),
  'a pointer to a file': (place, other) => symlink(join(other, 'there'), place),
  'a second name': (place, other) => link(join(other, 'there'), place),
  'a file from elsewhere': (place, other) => rename(join(other, 'there'), place),
  'another folder in place of its own': async (place, other) => {
    await writeFile(join(other, names[2] ?? ''), '')
    await rename(dirname(place), `${dirname(place)}-before`)
    await rename(other, dirname(place))
  },
}

test('whatever comes to a place that had nothing is seen, however often it was looked at', async (t) => {
  const root = await folder(t)
  const beds = await Promise.all(
    Object.entries(ways).map(async ([name, come], n) => {
      const [own, other] = [join(root, `${n}`), join(root, `${n}-other`)]
      await mkdir(own)
      await mkdir(other)
      await writeFile(join(other, 'there'), '')
      return { name, come, own, other, places: names.map((place) => join(own, place)) }
    }),
  )
  await settled(...beds.flatMap(({ own, other }) => [own, other]))
  for (const { name, come, other, places } of beds) {
    const paths = lookedAt(places)
    for (let look = 0; look < 8; look++) assert.ok(paths.areUnchanged(), name)
    await come(places[2] ?? '', other)
    assert.ok(!paths.areUnchanged(), name)
  }
})

test('what a pointer to nothing points to is seen when it comes, though its folder does not change', async (t) => {
  const [own, other] = [await folder(t), await folder(t)]
  await symlink(join(other, 'target'), join(own, 'b'))
  await settled(own, other)
  const paths = lookedAt(names.map((name) => join(own, name)))
  for (let look = 0; look < 8; look++) assert.ok(paths.areUnchanged())
  await writeFile(join(other, 'target'), '')
  assert.ok(!paths.areUnchanged())
})

test('a folder that has only just changed is not relied on', async (t) => {
  const own = await folder(t)
  const places = names.map((name) => join(own, name))
  const paths = lookedAt(places, () => Math.max(fileState(own)?.mtimeMs ?? 0, fileState(own)?.ctimeMs ?? 0) + 50)
  for (const place of places) {
    for (let look = 0; look < 8; look++) assert.ok(paths.areUnchanged())
    await writeFile(place, '')
    assert.ok(!paths.areUnchanged(), place)
    await unlink(place)
  }
})

test('a folder is believed for a while only, and a file beside is looked at each time', async (t) => {
  const own = await folder(t)
  const file = join(own, 'file')
  await writeFile(file, 'one')
  await settled(own, file)
  let now = Date.now()
  const paths = lookedAt([file, ...names.map((name) => join(own, name))], () => now)
  for (let look = 0; look < 8; look++) {
    assert.ok(paths.areUnchanged())
    now += 3_000
  }
  await writeFile(file, 'another')
  assert.ok(!paths.areUnchanged())
})
