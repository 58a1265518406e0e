import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summaryMessage } from '../context/compaction/summary-message.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { todosOf } from './todo-restore.ts'

const result = (content: string, toolName = 'todo'): TranscriptMessage => ({
  role: 'tool',
  toolCallId: 'c',
  toolName,
  content,
})
const list = (...ids: string[]) =>
  JSON.stringify({ todos: ids.map((id) => ({ id, content: `do ${id}`, status: 'pending' })), summary: {} })
const ids = (history: readonly TranscriptMessage[]) => todosOf(history).map(({ id }) => id)

test('the newest list of a transcript is the list', () => {
  assert.deepEqual(ids([result(list('a')), result(list('a', 'b')), { role: 'user', content: list('x') }]), ['a', 'b'])
  assert.deepEqual(todosOf([]), [])
})

test('an empty list is one, an error and a shortened result are none', () => {
  assert.deepEqual(ids([result(list('a')), result(list())]), [])
  assert.deepEqual(ids([result(list('a')), result('{"error": "no \\"todos\\""}'), result('{"todos": [{"id')]), ['a'])
})

test('results of other tools are no task lists, and entries that are none are left out', () => {
  assert.deepEqual(ids([result(list('a')), result(list('b'), 'read_file')]), ['a'])
  assert.deepEqual(ids([result('{"todos": [null, 3, {"id": "a", "content": "x", "status": "odd"}]}')]), [])
})

test("upstream's rows, which do not always name the tool, are read too", () => {
  assert.deepEqual(ids([result(list('a'), '')]), ['a'])
})

test('a summary tells the open tasks of what it stands for', () => {
  const todos = [
    { id: 'a', content: 'sow', status: 'in_progress' },
    { id: 'b', content: 'dig', status: 'completed' },
  ] as const
  const summary = summaryMessage({ summary: 'A garden.', todos, sessionId: 's' })
  assert.deepEqual(ids([result(list('x')), summary, { role: 'user', content: 'go on' }]), ['a'])
  assert.deepEqual(ids([summary, result(list('c'))]), ['c'])
})
