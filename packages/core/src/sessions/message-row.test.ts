import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type Row, toColumns, toStoredMessage } from './message-row.ts'

const row: Row = {
  id: 7,
  session_id: 's',
  role: 'assistant',
  content: null,
  tool_call_id: null,
  tool_calls: null,
  tool_name: null,
  timestamp: 1772007041.0502,
  token_count: null,
  finish_reason: null,
  reasoning: null,
  reasoning_details: null,
  codex_reasoning_items: null,
}

function assistant(columns: Row) {
  const stored = toStoredMessage({ ...row, ...columns })?.message
  assert.ok(stored?.role === 'assistant')
  return stored
}

test('tool calls are stored in the shape that upstream reads', () => {
  const columns = toColumns({
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'call_1', name: 'terminal', arguments: '{"command":"ls"}', extra: { google: { sig: 'x' } } }],
  })
  assert.equal(columns.content, null)
  assert.deepEqual(JSON.parse(columns.toolCalls ?? ''), [
    {
      id: 'call_1',
      call_id: 'call_1',
      response_item_id: 'fc_1',
      type: 'function',
      function: { name: 'terminal', arguments: '{"command":"ls"}' },
      extra_content: { google: { sig: 'x' } },
    },
  ])
})

test('tool calls of other writers are read: no ids, arguments as an object, only the id of the other wire', () => {
  const calls = [
    { id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } },
    { call_id: 'b', function: { name: 'y', arguments: { z: 1 } }, extra_content: null },
    { function: { name: 'terminal', arguments: '{}' } },
    { function: { arguments: '{}' } },
    'noise',
  ]
  assert.deepEqual(assistant({ tool_calls: JSON.stringify(calls) }).toolCalls, [
    { id: 'a', name: 'x', arguments: '{}' },
    { id: 'b', name: 'y', arguments: '{"z":1}' },
    { id: 'call_7b0b6ddcb361', name: 'terminal', arguments: '{}' },
  ])
})

test('a broken column leaves the rest of the message readable', () => {
  const broken = assistant({ content: 'said', tool_calls: '[{"id"', reasoning_details: 'nope', reasoning: 'thought' })
  assert.deepEqual(broken, { role: 'assistant', content: 'said', toolCalls: [], reasoning: 'thought' })
})

test('rows that are no part of a transcript are left out', () => {
  assert.equal(toStoredMessage({ ...row, role: 'session_meta' }), undefined)
})

test('no row makes reading fail', () => {
  const value = fc.oneof(
    fc.string(),
    fc.json(),
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 8 }),
  )
  const role = fc.constantFrom('user', 'assistant', 'tool', 'system')
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(row)), value), role, (columns, role) => {
      assert.equal(toStoredMessage({ ...row, ...columns, role })?.message.role, role)
    }),
  )
})
