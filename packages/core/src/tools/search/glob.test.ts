import assert from 'node:assert/strict'
import { matchesGlob } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compileGlob } from './glob.ts'

test('a pattern without a slash is for the name, one with a slash for the whole path', () => {
  const cases: [pattern: string, path: string, isMatch: boolean][] = [
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/b/*', 'a/b/c', true],
    ['**', 'a/b', true],
    ['./src/*', 'src/a', true],
    ['/src/*', 'src/a', true],
    ['a?c', 'abc', true],
    ['a?c', 'a😀c', true],
    ['[ab]*', 'banana', true],
    ['[!ab]*', 'banana', false],
    ['[a-c]1', 'b1', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['*.{ts,tsx}', 'a.js', false],
    ['{a,b}/{c,d}', 'b/d', true],
    ['a{b', 'a{b', true],
    ['[', '[', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['*', '.hidden', true],
    ['**/x', 'x', true],
  ]
  for (const [pattern, path, isMatch] of cases) assert.equal(compileGlob(pattern)(path), isMatch, `${pattern} ${path}`)
})

test('whole paths are matched as Node matches them', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 4 })
  const pattern = fc
    .array(fc.oneof(part, fc.constant('**')), { minLength: 2, maxLength: 4 })
    .map((parts) => parts.join('/'))
  const path = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(pattern, path, (glob, names) => {
      // Node lets a `**` at the end stand for one name at least, we for none as well.
      if (/\*\*(?!\/)/.test(glob.replaceAll('**/', '')) || glob.endsWith('**')) return
      assert.equal(compileGlob(glob)(names.join('/')), matchesGlob(names.join('/'), glob), `${glob} ${names.join('/')}`)
    }),
    { numRuns: 500 },
  )
})

test('no pattern takes long', () => {
  const before = process.threadCpuUsage()
  assert.equal(compileGlob(`${'*a'.repeat(40)}b`)('a'.repeat(250)), false)
  assert.equal(compileGlob(`${'**/a/'.repeat(20)}b`)('a/'.repeat(200)), false)
  compileGlob('{a,b}'.repeat(30))('ab')
  assert.ok(process.threadCpuUsage(before).user < 500_000)
})
