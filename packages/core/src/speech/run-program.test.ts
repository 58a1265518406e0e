import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from './run-program.ts'

/** Starts a process in a group of its own, which holds the output for a minute. */
const leaves = `const {spawn} = require('node:child_process')
const left = spawn('sleep', ['60'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
left.unref()
console.log(left.pid)`

test('who leaves the group of a program and holds its output keeps nobody waiting', async () => {
  const run = { program: process.execPath, args: ['-e', leaves], env: { PATH: process.env['PATH'] ?? '' } }
  const output = await runProgram({ ...run, timeoutMs: 20_000 }, new AbortController().signal)
  assert.match(output, /^\d+\s*$/)
  process.kill(Number(output), 'SIGKILL')
})
