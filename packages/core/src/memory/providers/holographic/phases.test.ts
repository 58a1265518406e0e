import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { bind, bundle, createPhaseSpace, roles, similarity, unbind, wordsOf } from './phases.ts'

const space = createPhaseSpace(1_024)

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ß', '漢', 'z'), minLength: 1, maxLength: 6 })

test('what is bound comes out again with its key, and is like neither of the two', () => {
  fc.assert(
    fc.property(word, word, (one, other) => {
      fc.pre(one !== other)
      const [a, b] = [space.atom(one), space.atom(other)]
      const bound = bind(a, b)
      assert.ok(similarity(unbind(bound, a), b) > 0.999)
      assert.ok(Math.abs(similarity(bound, a)) < 0.15)
    }),
    { numRuns: 50 },
  )
})

test('a bundle is like each of its parts and like nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 9 }), (words) => {
      const [left, ...parts] = words
      const all = bundle(
        parts.map((part) => space.atom(part)),
        space.dim,
      )
      for (const part of parts) assert.ok(similarity(all, space.atom(part)) > 0.2)
      assert.ok(Math.abs(similarity(all, space.atom(left ?? ''))) < 0.15)
    }),
    { numRuns: 50 },
  )
})

test("an atom is the one that upstream's library reckons, in any number of dimensions", () => {
  // Python: struct.unpack('<16H', sha256(b'tea:0').digest()), and of b'tea:1'.
  const known: readonly (readonly [number, number])[] = [
    [0, 13_324],
    [1, 51_660],
    [15, 58_055],
    [16, 17_311],
  ]
  for (const one of [space, createPhaseSpace(32)]) {
    for (const [at, bits] of known)
      assert.ok(Math.abs((one.atom('tea')[at] ?? 0) - (bits * 2 * Math.PI) / 65_536) < 1e-12)
  }
})

test('vectors are kept in double precision, and read in either', () => {
  const phases = space.text('green tea')
  const blob = space.write(phases)
  assert.equal(blob.length, 8_192)
  assert.deepEqual(space.read(blob), phases)
  const single = Buffer.concat([Buffer.from('HRR1'), Buffer.from(Float32Array.from(phases).buffer)])
  const read = space.read(single)
  assert.ok(read && similarity(read, phases) > 0.999)
  assert.equal(space.read(Buffer.alloc(16)), undefined)
})

test('a fact has its words in one role and its entities in the other', () => {
  const fact = space.fact('Ann drinks green tea', ['Ann Lee'])
  assert.ok(similarity(fact, space.entity('ann lee')) > 0.3)
  assert.ok(similarity(unbind(fact, space.atom(roles.content)), space.atom('green')) > 0.15)
  assert.ok(Math.abs(similarity(fact, space.entity('Bob'))) < 0.12)
})

test('words are parted at spaces, without the marks around them', () => {
  assert.deepEqual(wordsOf('  "Green" tea, (hot)!  don\'t '), ['green', 'tea', 'hot', "don't"])
  assert.deepEqual(wordsOf(' ... '), [])
})
