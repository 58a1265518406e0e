import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { Cli } from '../../command.ts'
import { readSecret } from './read-secret.ts'

test('whoever pressed Ctrl-C before the question is not asked', { timeout: 10_000 }, async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const signal = AbortSignal.abort(new Error('Ctrl-C'))
  const cli: Cli = { environment: {}, cwd: '/', stdin, stdout, stderr, signal }
  await assert.rejects(readSecret(cli, 'token: '), /Ctrl-C/)
  assert.equal(stderr.read(), null)
})
