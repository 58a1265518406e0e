import assert from 'node:assert/strict'
import { test } from 'node:test'
import { similarNames } from './similar-names.ts'

const names = ['openrouter', 'openai', 'ollama', 'offline', 'xai', 'zai']

const cases: readonly [string, readonly string[]][] = [
  ['openruter', ['openrouter']],
  ['opneai', ['openai']],
  ['OLAMA', ['ollama']],
  ['openr', ['openrouter']],
  ['xia', ['xai']],
  ['something', []],
  ['', []],
]
for (const [wanted, expected] of cases) {
  test(`${JSON.stringify(wanted)} is like ${expected.join(', ') || 'none'}`, () => {
    assert.deepEqual(similarNames(wanted, names), expected)
  })
}
