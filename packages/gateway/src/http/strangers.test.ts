import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createStrangers } from './strangers.ts'

test('who comes last always stays, a crowd of one address costs others nothing, and there are never too many', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 60 }), (addresses) => {
      const strangers = createStrangers({ most: 8, mostOfAddress: 3 })
      const open = new Map<number, string>()
      for (const [at, number] of addresses.entries()) {
        const address = String(number)
        const before = new Map(open)
        strangers.add({ address, cut: () => void open.delete(at) })
        open.set(at, address)
        const counts = Object.values(Object.groupBy(open.values(), (one) => one)).map((those) => those?.length ?? 0)
        assert.ok(open.size <= 8 && Math.max(...counts) <= 3)
        assert.equal(strangers.count, open.size)
        const cut = [...before].filter(([one]) => !open.has(one))
        assert.ok(cut.length <= 1)
        for (const [one, from] of cut) {
          const own = [...before].filter(([, other]) => other === from)
          assert.equal(one, own[0]?.[0], 'the oldest of its address')
        }
      }
    }),
    { seed: 1 },
  )
})

test('who has signed in or gone is counted no more, and never cut', () => {
  const strangers = createStrangers({ most: 2, mostOfAddress: 2 })
  let cut = 0
  const admit = strangers.add({ address: 'a', cut: () => cut++ })
  admit()
  admit()
  for (let n = 0; n < 5; n++) strangers.add({ address: 'a', cut: () => undefined })
  assert.deepEqual([strangers.count, cut], [2, 0])
  assert.deepEqual([strangers.cutOne(), strangers.cutOne(), strangers.cutOne()], [true, true, false])
})
