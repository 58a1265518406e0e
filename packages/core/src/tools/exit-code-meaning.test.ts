import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exitCodeMeaning } from './exit-code-meaning.ts'

test('the last program of a command gives its exit code a meaning', async () => {
  for (const command of [
    'grep x y',
    'cat y | grep x',
    'cd a && /bin/egrep x y',
    'ls; rg x',
    '(cat y | fgrep x)',
    'grep -r "a;b" . 2>/dev/null',
  ]) {
    assert.match((await exitCodeMeaning(command, 1)) ?? '', /no lines matched/, command)
  }
  assert.match((await exitCodeMeaning('diff a b', 1)) ?? '', /differ/)
  assert.match((await exitCodeMeaning('[ -f x ]', 1)) ?? '', /false/)
  assert.match((await exitCodeMeaning('curl -f http://x', 22)) ?? '', /error status/)
  assert.match((await exitCodeMeaning('curl http://x', 28)) ?? '', /timed out/)
})

test('other codes and programs have no meaning of their own', async () => {
  for (const [command, code] of [
    ['grep x y', 2],
    ['grep x y', 0],
    ['grep x y | cat', 1],
    ['make', 1],
    ['echo "grep', 1],
    ['', 1],
  ] as const) {
    assert.equal(await exitCodeMeaning(command, code), undefined, command)
  }
})
