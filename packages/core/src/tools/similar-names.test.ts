import assert from 'node:assert/strict'
import { test } from 'node:test'
import { similarIn, similarNames } from './similar-names.ts'

test('the likeliest name comes first', () => {
  const names = ['readme.txt', 'README.md', 'read.md', 'a-readme.md-b', 'reader.md', 'main.md', 'x.go']
  assert.deepEqual(similarNames('readme.md', names), [
    'README.md',
    'readme.txt',
    'a-readme.md-b',
    'read.md',
    'reader.md',
  ])
  assert.deepEqual(similarNames('zzz', names), [])
})

test('a folder that cannot be listed has no names', async () => {
  assert.deepEqual(await similarIn('/nowhere/at/all', 'x'), [])
})
