import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { finishChanges, journalPath } from './change-journal.ts'
import { patch } from './patch.ts'
import { readFile as readFileTool } from './read-file.ts'
import { testContext } from './test-context.ts'

const fixture = join(import.meta.dirname, 'change-journal.fixture.ts')

/** The version that each file has, and what else lies there. */
async function stateOf(dir: string) {
  const names = (await readdir(dir, { recursive: true })).sort()
  const numbered = names.filter((name) => /^(?:\d+|last)$/.test(name))
  const versions = await Promise.all(numbered.map((name) => readFile(join(dir, name), 'utf8')))
  return { versions: new Set(versions), count: numbered.length, names }
}

/** Kills a process some time after it has noted what it is about to do, the later rounds the later. */
function killAmid(child: ChildProcess, path: string, afterMs: number): void {
  const end = performance.now() + 10_000
  // Nothing else may happen here meanwhile: the moment is short.
  while (!existsSync(path) && performance.now() < end);
  const at = performance.now() + afterMs
  while (performance.now() < at);
  child.kill('SIGKILL')
}

test('a process that is killed while it changes many files leaves all of a version, or all of the one before', async () => {
  let recovered = 0
  for (let round = 0; round < 4; round++) {
    await using t = await testContext()
    const { home } = t.context.agent
    for (const name of [...Array.from({ length: 12 }, (_, number) => String(number)), 'last', 'left']) {
      await writeFile(t.path(name), '0')
    }
    await mkdir(t.path('right'))
    const child = spawn(process.execPath, ['--conditions=development', fixture, home.dir, t.dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    killAmid(child, journalPath(home), round * 0.6)
    const ended = once(child, 'exit')
    await ended
    if (existsSync(journalPath(home))) recovered++
    await finishChanges(home)
    const { versions, count, names } = await stateOf(t.dir)
    assert.equal(count, 13)
    assert.equal(versions.size, 1, `one version everywhere: ${[...versions].join(', ')}`)
    const isOdd = Number([...versions][0]) % 2 === 1
    assert.equal(names.includes('flag'), isOdd)
    assert.equal(names.includes('left'), !isOdd)
    assert.equal(names.includes('right/moved'), isOdd)
    assert.equal(existsSync(journalPath(home)), false)
  }
  assert.ok(recovered > 0, 'some change was cut in two')
})

test('the next file tool ends what was begun, and leaves alone what somebody has changed since', async () => {
  await using t = await testContext({ files: { a: 'new', b: 'mine', '.a.old': 'old', '.b.old': 'old', z: 'old' } })
  const { home } = t.context.agent
  await mkdir(home.path('changes'))
  const { markOf } = await import('./change-journal.ts')
  const write = async (name: string, mark: string) => ({
    type: 'write',
    path: t.path(name),
    replaces: true,
    fresh: `.${name}.new`,
    backup: `.${name}.old`,
    mark,
  })
  const steps = [
    await write('a', (await markOf(t.path('a'))) ?? ''),
    await write('b', '1:2:3:4'),
    await write('z', '1:2:3:4'),
  ]
  await writeFile(journalPath(home), JSON.stringify({ steps, madeFolders: [] }))
  assert.match((await t.run(readFileTool, { path: 'a' })).json.content, /old/)
  assert.match((await t.run(readFileTool, { path: 'b' })).json.content, /mine/)
  assert.deepEqual((await readdir(t.dir)).sort(), ['a', 'b', 'z'])
})

test('a journal that nobody can read, or one that asks for what is elsewhere, changes nothing', async () => {
  await using t = await testContext({ files: { a: 'a\n' } })
  const { home } = t.context.agent
  await mkdir(home.path('changes'))
  for (const text of [
    '',
    '{',
    '[]',
    '{"steps":[{"type":"remove","path":"/nowhere/x","backup":"y"}],"madeFolders":[]}',
  ]) {
    await writeFile(journalPath(home), text)
    await finishChanges(home)
    assert.equal(existsSync(journalPath(home)), false, text)
  }
  assert.equal((await t.run(readFileTool, { path: journalPath(home) })).status, 'denied', 'tools do not reach it')
})

test('a patch whose second file cannot be written leaves the first as it was', async () => {
  await using t = await testContext({ files: { a: 'one\n', 'folder/b': 'two\n' } })
  const text = [
    '*** Begin Patch',
    '*** Update File: a',
    '-one',
    '+ONE',
    '*** Add File: folder/b/c',
    '+x',
    '*** End Patch',
  ].join('\n')
  assert.equal((await t.run(patch, { mode: 'patch', patch: text })).status, 'error')
  assert.equal(await readFile(t.path('a'), 'utf8'), 'one\n')
  assert.deepEqual((await readdir(t.dir, { recursive: true })).sort(), ['a', 'folder', 'folder/b'])
  assert.equal(existsSync(journalPath(t.context.agent.home)), false)
})
