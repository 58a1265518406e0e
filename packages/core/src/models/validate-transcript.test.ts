import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TranscriptMessage } from './transcript.ts'
import { validateTranscript } from './validate-transcript.ts'

const system: TranscriptMessage = { role: 'system', content: 's' }
const user: TranscriptMessage = { role: 'user', content: 'u' }
const answer: TranscriptMessage = { role: 'assistant', content: 'a', toolCalls: [] }

function calls(...ids: readonly string[]): TranscriptMessage {
  return { role: 'assistant', content: '', toolCalls: ids.map((id) => ({ id, name: 'f', arguments: '{}' })) }
}

function result(id: string): TranscriptMessage {
  return { role: 'tool', toolCallId: id, toolName: 'f', content: 'r' }
}

const wellFormed: readonly (readonly TranscriptMessage[])[] = [
  [user],
  [system, user],
  [system, user, answer, user],
  [user, calls('1', '2'), result('2'), result('1')],
  [user, calls('1'), result('1'), calls('2'), result('2'), answer, user],
]
for (const messages of wellFormed) {
  test(`${messages.map((message) => message.role).join(', ')} is well formed`, () => {
    assert.equal(validateTranscript(messages), undefined)
  })
}

const malformed: readonly [string, readonly TranscriptMessage[], RegExp][] = [
  ['nothing', [], /no message/],
  ['only a system message', [system], /no message/],
  ['a late system message', [user, system], /not the first/],
  ['the model’s own message last', [user, answer], /own/],
  ['a missing result', [user, calls('1', '2'), result('1'), user], /message 3: no result for 2/],
  ['a missing result at the end', [user, calls('1')], /no result for 1/],
  ['a result without a call', [user, result('1')], /no open call/],
  ['two results', [user, calls('1'), result('1'), result('1')], /no open call/],
  ['a repeated id', [user, calls('1'), result('1'), calls('1'), result('1')], /used twice/],
  ['a repeated id in one message', [user, calls('1', '1'), result('1')], /used twice/],
  ['an empty id', [user, calls(''), result('')], /without an id/],
]
for (const [what, messages, reason] of malformed) {
  test(`${what} is no transcript to send`, () => {
    assert.match(validateTranscript(messages) ?? 'well formed', reason)
  })
}
