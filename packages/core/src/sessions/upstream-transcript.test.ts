import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { readUpstreamTranscript } from './upstream-transcript.ts'

const now = 1_700_000_000_000

async function read(lines: readonly (string | object)[]) {
  await using home = await temporaryHome()
  const path = home.path('s.jsonl')
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  await writeFile(path, text)
  return readUpstreamTranscript(path, now)
}

test('messages are read in OpenAI’s form, with their calls, times and parts; notes and damage are not', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } }
  const { messages, model, damaged, isCut } = await read([
    { role: 'session_meta', tools: [], model: 'm/1', platform: 'telegram', timestamp: '2026-01-02T03:04:05.678901' },
    { role: 'system', content: 'You are …' },
    { role: 'user', content: 'list it', timestamp: '2026-01-02T03:04:06' },
    { role: 'assistant', content: null, tool_calls: [call], reasoning: 'hm', finish_reason: 'tool_calls' },
    '{"role": "assistant", "content": "half',
    { role: 'tool', tool_call_id: 'call_1', name: 'terminal', content: 'a.txt' },
    '"a text"',
    '[]',
    { content: 'of nobody' },
    '',
    { role: 'user', content: [{ type: 'text', text: 'and' }, { type: 'image_url', image_url: {} }, 'this'] },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: 'One file.', timestamp: 1_767_323_047.5 },
  ])
  assert.deepEqual(
    messages.map(({ message }) => message),
    [
      { role: 'user', content: 'list it' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'call_1', name: 'terminal', arguments: '{"command":"ls"}' }],
        reasoning: 'hm',
        finishReason: 'tool_calls',
      },
      { role: 'tool', toolCallId: 'call_1', toolName: 'terminal', content: 'a.txt' },
      { role: 'user', content: 'and\nthis' },
      { role: 'assistant', content: 'One file.', toolCalls: [] },
    ],
  )
  const at = new Date(2026, 0, 2, 3, 4, 6).getTime()
  assert.deepEqual(
    messages.map(({ timestamp }) => timestamp),
    [at, at, at, at, 1_767_323_047_500],
  )
  assert.deepEqual([model, damaged, isCut], ['m/1', 4, false])
})

test('whatever stands there, reading it fails on nothing; without a time it is of now', async () => {
  const odd = [
    { role: 'user', content: { a: 1 }, timestamp: 'yesterday' },
    { role: 'assistant', content: 5, tool_calls: 'no json', reasoning_details: '{' },
    { role: 'tool', content: null, tool_call_id: 7 },
    { role: 'user', content: 'half \ud800' },
  ]
  const { messages, damaged } = await read(odd)
  assert.equal(damaged, 0)
  assert.deepEqual(
    messages.map(({ timestamp, message }) => [timestamp, message.role, message.content]),
    [
      [now, 'user', '{"a":1}'],
      [now, 'assistant', '5'],
      [now, 'tool', ''],
      [now, 'user', 'half \ufffd'],
    ],
  )
})

test('of a very long one the end is taken, from a whole line on', async () => {
  const many = Array.from({ length: 5_100 }, (_, at) => ({ role: 'user', content: `${at}` }))
  const long = await read(many)
  assert.deepEqual([long.messages.length, long.isCut, long.damaged], [5_000, true, 0])
  assert.equal(long.messages[0]?.message.content, '100')
  const large = await read(
    Array.from({ length: 40 }, (_, at) => ({ role: 'user', content: `${at} ${'x'.repeat(500_000)}` })),
  )
  assert.deepEqual([large.isCut, large.damaged], [true, 0])
  assert.ok(large.messages.length > 30)
  assert.ok(large.messages.at(-1)?.message.content.startsWith('39 '))
})
