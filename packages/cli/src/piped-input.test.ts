import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { readPipedInput } from './piped-input.ts'

/** Reads `text`, which the command line asked for, from a terminal or from a pipe. */
async function read(text: string, isTTY: boolean) {
  let told = ''
  const stdin = Object.assign(new PassThrough(), { isTTY })
  stdin.end(text)
  const read = await readPipedInput(
    {
      environment: {},
      cwd: process.cwd(),
      stdin,
      stdout: new PassThrough(),
      stderr: new Writable({ write: (chunk, _encoding, done) => ((told += String(chunk)), done()) }),
      signal: new AbortController().signal,
    },
    true,
  )
  return { read, told }
}

test('a person at a terminal is told how what is typed is ended; a pipe is not', async () => {
  assert.deepEqual(await read('a key\n', true), {
    read: 'a key\n',
    told: 'Type or paste it; Enter and then Ctrl-D end it.\n',
  })
  assert.deepEqual(await read('a key\n', false), { read: 'a key\n', told: '' })
})
