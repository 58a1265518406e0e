import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { fuzzyScore } from './fuzzy.ts'

const ranked = (typed: string, ...paths: string[]) =>
  paths
    .flatMap((path) => {
      const score = fuzzyScore(path, typed)
      return score === undefined ? [] : [{ path, score }]
    })
    .sort((a, b) => b.score - a.score)
    .map(({ path }) => path)

test('the path, then the name, then anywhere, then scattered letters', () => {
  assert.deepEqual(
    ranked('turn', 'src/a-turn.ts', 'src/turn-loop.ts', 'turn/x.ts', 'turns/b', 'src/th/under/n', 'other'),
    ['turns/b', 'turn/x.ts', 'src/turn-loop.ts', 'src/a-turn.ts', 'src/th/under/n'],
  )
  assert.deepEqual(ranked('TURN', 'src/Turn.ts', 'src/turn-loop.ts'), ['src/Turn.ts', 'src/turn-loop.ts'])
  assert.deepEqual(ranked('lib', 'src/lib/', 'lib/'), ['lib/', 'src/lib/'])
})

test('every part of a path finds it, nothing is found that lacks a letter', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.nat(), (path, from, length) => {
      const part = path.slice(from % path.length, (from % path.length) + (length % 5))
      assert.notEqual(fuzzyScore(path, part), undefined)
      assert.equal(fuzzyScore(path, `${path}x`), undefined)
    }),
  )
})
