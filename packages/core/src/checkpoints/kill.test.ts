import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkpointFixture } from './checkpoint-fixture.ts'

const restoring = fileURLToPath(new URL('./restore-killed.fixture.ts', import.meta.url))
const fixture = fileURLToPath(new URL('./take-forever.fixture.ts', import.meta.url))

function start(...args: readonly string[]) {
  const argv = ['--conditions=development', fixture, ...args]
  return spawn(process.execPath, argv, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Kills the process with every git that it has started. */
function killAll(pid: number | undefined): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}

test('a process that is killed at any moment leaves checkpoints that can be listed, restored and added to', async () => {
  await using one = await checkpointFixture({ kept: 'x' }, { maxSnapshots: 3, retention: { keepSeconds: 0 } })
  for (const ms of [15, 120, 260, 480]) {
    const child = start(one.folder, one.homeDir)
    await once(child.stdout, 'data')
    // When exactly does not matter: each time it is another moment.
    await wait(ms)
    const ended = once(child, 'exit')
    killAll(child.pid)
    await ended
    await one.put('kept', `${ms}`)
    const hash = await one.mark(`after ${ms}`)
    const before = await one.state()
    await one.put('kept', 'changed')
    await one.restore(hash)
    assert.deepEqual(await one.state(), before)
    const reasons = (await one.list()).map(({ reason }) => reason)
    assert.ok(reasons.includes(`after ${ms}`))
    const complaints = one
      .git('fsck', '--full')
      .split('\n')
      .filter((line) => !/^(?:dangling|unreachable) |^$/.test(line))
    assert.deepEqual(complaints, [])
  }
  await one.store.tidy(one.signal)
  assert.equal((await one.list()).length, 3)
})

test('a rollback that is killed leaves whole files, and the same rollback ends it', async () => {
  const contents = (version: string) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, `${version} ${index}\n`.repeat(2_000)]))
  await using one = await checkpointFixture(contents('old'))
  const first = await one.mark('old')
  for (const [name, content] of Object.entries(contents('new'))) await one.put(name, content)
  const second = await one.mark('new')
  const states = [await one.state()]
  await one.restore(first)
  states.push(await one.state())
  for (const ms of [10, 90, 170]) {
    const child = spawn(
      process.execPath,
      ['--conditions=development', restoring, one.folder, one.homeDir, first, second],
      { detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(child.stdout, 'data')
    // When exactly does not matter: each time it is another moment.
    await wait(ms)
    const ended = once(child, 'exit')
    killAll(child.pid)
    await ended
    for (const [name, content] of Object.entries(await one.state())) {
      if (name in (states[0] ?? {}))
        assert.ok(
          states.some((state) => state[name] === content),
          `half of ${name}`,
        )
    }
    await one.restore(first)
    const restored = await one.state()
    for (const [name, content] of Object.entries(states[1] ?? {})) assert.equal(restored[name], content)
  }
})

test('what a killed git left locked is taken away', async () => {
  await using one = await checkpointFixture({ a: '1' })
  await one.mark()
  const long = new Date(Date.now() - 3_600_000)
  for (const name of ['index.lock', 'HEAD.lock', 'refs/heads/master.lock', 'packed-refs.lock', 'shallow.lock']) {
    await writeFile(join(one.dir, name), '')
    await utimes(join(one.dir, name), long, long)
  }
  await writeFile(join(one.dir, 'index.hermes-1-0'), 'left behind')
  await writeFile(join(one.dir, 'index'), 'damaged')
  await one.put('a', '2')
  assert.ok((await one.take()).hash)
  assert.equal(one.git('status', '--short', '--untracked-files=no').includes('fatal'), false)
})

test('two processes and two calls in one take checkpoints of one folder at once', async () => {
  await using one = await checkpointFixture({ a: '1' }, { maxSnapshots: 3, retention: { keepSeconds: 0 } })
  const children = [start(one.folder, one.homeDir, '6'), start(one.folder, one.homeDir, '6')]
  const ended = Promise.all(children.map((child) => once(child, 'exit')))
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  const stores = [one.store, await one.open()]
  for (const name of ['x', 'y']) {
    await one.put(name, name)
    await Promise.all(stores.map((store) => store.take(name, [], one.signal)))
  }
  assert.deepEqual(await ended, [
    [0, null],
    [0, null],
  ])
  assert.equal((await one.list()).length, 3)
  assert.equal(one.git('fsck', '--full', '--no-dangling'), '')
})
