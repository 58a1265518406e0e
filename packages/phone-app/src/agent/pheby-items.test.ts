import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toolOf } from './pheby-items.ts'

test('a tool that failed says what it was called with, and why it failed', () => {
  const call = { type: 'tool.event', conversation_id: 'c', tool_call_id: 't', tool_name: 'read_file', ts: '' } as const
  const running = toolOf({ ...call, status: 'running', args_redacted: { path: 'a.txt' } }, undefined)
  assert.deepEqual(running, {
    type: 'tool',
    id: 't',
    name: 'read_file',
    status: 'running',
    detail: '{"path":"a.txt"}',
  })
  assert.deepEqual(toolOf({ ...call, status: 'failed', error: 'not found' }, running), {
    ...running,
    status: 'failed',
    detail: '{"path":"a.txt"}\nnot found',
  })
  assert.deepEqual(toolOf({ ...call, status: 'completed' }, running), { ...running, status: 'completed' })
})
