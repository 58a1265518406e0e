import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createTurnGate } from './turn-gate.ts'

test('a few turns begin in each round of the event loop, in the order in which they came', async () => {
  const gate = createTurnGate(2)
  const begun: number[] = []
  const begin = async (turn: number) => {
    await gate.enter()
    begun.push(turn)
  }
  const all = [0, 1, 2, 3, 4].map(begin)
  await Promise.resolve()
  assert.deepEqual(begun, [0, 1])
  await nextRound()
  // Who comes later waits behind those who wait already.
  all.push(begin(5))
  assert.deepEqual(begun, [0, 1, 2, 3])
  await Promise.all(all)
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5])
})

test('after a while without turns they begin at once again', async () => {
  const gate = createTurnGate(1)
  assert.equal(gate.enter(), undefined)
  await gate.enter()
  for (let rounds = 0; rounds < 3; rounds++) await nextRound()
  assert.equal(gate.enter(), undefined)
})
