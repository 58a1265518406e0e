import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachedText } from '../context/references/attached-text.ts'
import { invocation } from '../skills/invocation.ts'
import { toListing } from './session-row.ts'

const preview = (first: string) => toListing({ first_text: first.slice(0, 200) }).preview

test('a preview has what the person wrote, not what was attached to it or loaded with it', () => {
  assert.equal(preview(attachedText({ typed: 'look at this', warnings: ['no'], attached: ['x'] })), 'look at this')
  assert.equal(preview(attachedText({ typed: '', warnings: ['no'], attached: [] })), '--- Context Warnings --- - no')
  assert.equal(preview(invocation('csv', '<skill name="csv">\nmuch text\n'.padEnd(500, '.'), 'clean a.csv')), '/csv')
  assert.equal(preview('long '.repeat(20)), `${'long '.repeat(12)}...`)
})
