import { test } from 'node:test'
import assert from 'node:assert/strict'
import { TextBlock } from './text-block.ts'

test('a row of a table that is too long goes on below its last column', () => {
  const block = new TextBlock('Tools\n  /tools [NAME]  List the tools; switch toolsets off and on')
  assert.deepEqual(block.render(46), [
    'Tools',
    '  /tools [NAME]  List the tools; switch',
    `${' '.repeat(17)}toolsets off and on`,
  ])
})

test('where the last column would be too narrow, the rest is a little indented', () => {
  const block = new TextBlock('  /tools [NAME]  List the tools; switch toolsets off and on')
  assert.deepEqual(block.render(36), ['  /tools [NAME]  List the tools;', '      switch toolsets off and on'])
})

test('other text is wrapped to the full width, and rows that fit stay as they are', () => {
  assert.deepEqual(new TextBlock('one two three').render(9), ['one two', 'three'])
  assert.deepEqual(new TextBlock('  a  b').render(40), ['  a  b'])
})
