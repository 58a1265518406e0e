import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TranscriptMessage } from '@hermes/core/models/transcript.ts'
import { derivedSessionId, fingerprint, isSameConversation } from './conversation.ts'

const stored: readonly TranscriptMessage[] = [
  { role: 'user', content: 'Look' },
  { role: 'assistant', content: 'Let me see.', toolCalls: [{ id: 'c', name: 'terminal', arguments: '{}' }] },
  { role: 'tool', content: 'hi', toolCallId: 'c', toolName: 'terminal' },
  { role: 'assistant', content: 'It says hi.', toolCalls: [] },
]
const user = { role: 'user', text: 'Look' } as const

test('a client’s history is a stored one by all texts of an answer or its last, however they are spaced', () => {
  for (const text of ['Let me see.\n\nIt says hi.', ' Let me see. It says hi.\n', 'It says hi.']) {
    assert.ok(isSameConversation(stored, [user, { role: 'assistant', text }]), text)
  }
})

test('a history that was edited, cut or goes further is another one', () => {
  const answer = { role: 'assistant', text: 'It says hi.' } as const
  const others = [
    [],
    [user],
    [{ ...user, text: 'Look there' }, answer],
    [user, { ...answer, text: 'Let me see.' }],
    [user, answer, user],
  ]
  for (const said of others) assert.ok(!isSameConversation(stored, said))
})

test('a conversation is named by its system message, its texts and who said them', () => {
  const answer = { role: 'assistant', text: 'Hi.' } as const
  const prints = [
    fingerprint('', [user]),
    fingerprint('Be brief.', [user]),
    fingerprint('', [user, answer]),
    fingerprint('', [user, answer, user]),
    fingerprint('', [{ role: 'user', text: 'Look Hi.' }]),
  ]
  assert.equal(new Set(prints).size, prints.length)
  assert.equal(fingerprint('', [{ role: 'user', text: ' Look\n' }]), prints[0])
  assert.match(derivedSessionId('a', 'b'), /^api-[0-9a-f]{16}$/)
  assert.notEqual(derivedSessionId('a', 'b'), derivedSessionId('a', 'c'))
})
