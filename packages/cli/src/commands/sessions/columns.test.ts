import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui/dist/utils.js'
import * as fc from 'fast-check'
import { columnLines } from './columns.ts'

const columns = [{ heading: 'Title', most: 10 }, { heading: 'Preview', isFlexible: true }, { heading: 'ID' }]

test('columns line up by what characters take on the screen', () => {
  assert.deepEqual(
    columnLines(columns, [
      ['数据库', 'a', '1'],
      ['e\u0301🚀', 'b', '2'],
    ]),
    ['Title   Preview  ID', '数据库  a        1', 'e\u0301🚀     b        2'],
  )
})

test('on a terminal the flexible column takes what is left, and titles are cut', () => {
  assert.deepEqual(columnLines(columns, [['a long title indeed', 'a preview that is long', '1']], 32), [
    'Title       Preview           ID',
    'a long ti…  a preview that …  1',
  ])
})

test('no line is wider than a terminal that has room for the other columns', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, fc.constant('20260225_081000_52e6b438')), { maxLength: 5 }), (rows) => {
      for (const line of columnLines(columns, rows, 60)) assert.ok(visibleWidth(line) <= 60, line)
    }),
  )
})
