import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { temporaryHome } from '@hermes/testing'
import { isRunning } from './process-identity.ts'
import { runInGroup } from './run-in-group.ts'

const limits = { timeoutMs: 60_000, maxChars: 1_000 }
const shell = (script: string) => ({ program: '/bin/sh', args: ['-c', script], ...limits })
const never = new AbortController().signal

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo(); waited += 20) {
    assert.ok(waited < 30_000, 'it goes on')
    await wait(20)
  }
}

/** A script that ignores TERM, as does a program that it starts; both write their ids. */
async function stubborn(more = '') {
  const home = await temporaryHome()
  const ids = home.path('ids')
  const script = `trap '' TERM; (while :; do sleep 0.1; done) & echo $$ $! > ${ids}.new; mv ${ids}.new ${ids}; ${more} while :; do sleep 0.1; done`
  return {
    script,
    hasBegun: () => existsSync(ids),
    pids: async () => (await readFile(ids, 'utf8')).trim().split(' ').map(Number),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}

test('what a program prints, reads and comes to is told', async () => {
  const said = await runInGroup({ ...shell('cat; echo oops >&2; exit 3'), input: 'hello' }, never)
  assert.deepEqual(said, { end: 'exited', code: 3, stdout: 'hello', stderr: 'oops\n' })
  assert.equal((await runInGroup(shell('kill -9 $$'), never)).code, 137)
  const missing = await runInGroup({ program: '/nowhere/none', args: [], ...limits }, never)
  assert.deepEqual(
    [missing.end, missing.failure && 'code' in missing.failure && missing.failure.code],
    ['not-started', 'ENOENT'],
  )
})

test('a program that ignores TERM ends with all that it has started, at its limits and when it is stopped', async () => {
  const cases = [
    { how: 'late', timeoutMs: 3_000, more: '' },
    { how: 'too-much', timeoutMs: 60_000, more: 'yes;' },
    { how: 'aborted', timeoutMs: 60_000, more: '' },
  ]
  for (const { how, timeoutMs, more } of cases) {
    await using it = await stubborn(more)
    const stop = new AbortController()
    const running = runInGroup({ ...shell(it.script), timeoutMs }, stop.signal)
    if (how === 'aborted') {
      await until(it.hasBegun)
      stop.abort(new Error('stopped'))
      await assert.rejects(running, /stopped/)
    } else {
      const { end, stdout } = await running
      assert.equal(end, how)
      assert.ok(stdout.length <= limits.maxChars)
    }
    // On a slow machine it may have been ended before it began.
    for (const pid of it.hasBegun() ? await it.pids() : []) await until(() => !isRunning(pid))
  }
})

test('what a program leaves running goes on when it ends by itself', async () => {
  const { end, stdout } = await runInGroup(shell('sleep 60 >/dev/null 2>&1 & echo $!'), never)
  assert.equal(end, 'exited')
  assert.ok(isRunning(Number(stdout)))
  process.kill(Number(stdout))
})

test('a program that left the group and holds the pipes keeps nobody waiting', async () => {
  const start = `setsid sh -c 'sleep 60' & echo $!; sleep 60`
  const { end, stdout } = await runInGroup({ ...shell(start), timeoutMs: 1_000 }, never)
  assert.equal(end, 'late')
  if (stdout !== '') process.kill(Number(stdout))
})
