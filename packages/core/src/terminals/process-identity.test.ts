import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isRunning, startTicks } from './process-identity.ts'

const skip = existsSync('/proc/self/stat') ? false : 'there is no /proc here'

test('a process runs while it is the one that started then', { skip }, () => {
  const ticks = startTicks(process.pid)
  assert.match(ticks ?? '', /^\d+$/)
  assert.ok(isRunning(process.pid) && isRunning(process.pid, ticks))
  assert.ok(!isRunning(process.pid, '1'))
})

test(
  'one that has ended does not run, also while its parent has not asked how',
  { skip, timeout: 60_000 },
  async () => {
    // The shell becomes `sleep`, which never asks after its child.
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      const [text] = await once(parent.stdout, 'data')
      const pid = Number(String(text))
      while (!readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      assert.ok(!isRunning(pid))
      assert.ok(!isRunning(pid, startTicks(pid)))
    } finally {
      parent.kill('SIGKILL')
      await once(parent, 'exit')
    }
  },
)
