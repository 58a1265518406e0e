import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScriptedAnswer } from '@hermes/testing'
import { startTestWire, usualSpeech } from '@hermes/testing/test-wire.ts'
import { maxCallCharacters, maxCalls } from './call-limit.ts'

const piece = 'x'.repeat(1024 * 1024)
const pieces = maxCallCharacters / piece.length
const tooLong = { code: 'malformed-stream', message: /^Test server sent tool calls of more than 8 million characters/ }
const tooMany = { code: 'malformed-stream', message: /^Test server sent more than 1024 tool calls/ }

for (const [name, speech] of Object.entries(usualSpeech)) {
  test(`calls are bounded while they arrive, one alone and all of an answer together: ${name}`, async () => {
    const answers: readonly ScriptedAnswer[] = [
      { toolCalls: [{ name: 'write_file', arguments: Array.from({ length: pieces + 1 }, () => piece) }] },
      { toolCalls: Array.from({ length: pieces + 1 }, () => ({ name: 'write_file', arguments: [piece] })) },
      { toolCalls: Array.from({ length: maxCalls + 1 }, () => ({ name: 'read_file', arguments: [] })) },
      { toolCalls: [{ name: 'write_file', arguments: Array.from({ length: pieces - 1 }, () => piece) }] },
    ]
    await using wire = await startTestWire(speech, answers)
    await assert.rejects(wire.ask(), tooLong)
    await assert.rejects(wire.ask(), tooLong)
    await assert.rejects(wire.ask(), tooMany)
    const { message } = await wire.ask()
    assert.equal(message.toolCalls[0]?.arguments.length, (pieces - 1) * piece.length)
  })
}

test('calls that a model writes into its text are bounded, too', async () => {
  const dialect = { ...usualSpeech.chat.dialect, inlineCalls: true }
  const text = ['<tool_call>', ...Array.from({ length: pieces + 1 }, () => piece)]
  await using wire = await startTestWire({ wire: 'chat', dialect }, [{ text }])
  const tools = [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }]
  await assert.rejects(wire.ask({ tools }), tooLong)
})
