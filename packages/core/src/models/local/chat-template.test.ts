import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Template } from '@hermes/testing/llama/jinja-stand-in.mjs'
import type { TranscriptMessage } from '../transcript.ts'
import { createChatTemplate } from './chat-template.ts'

const jinja = { Template }
const read = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}
const messages: readonly TranscriptMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }] },
  { role: 'tool', toolCallId: 'c1', toolName: 'read_file', content: 'text of a' },
  { role: 'user', content: 'And?', images: [{ mediaType: 'image/png', data: '' }] },
]

function rendered(rules: object | undefined, request: Parameters<ReturnType<typeof createChatTemplate>['render']>[0]) {
  const source = rules && JSON.stringify(rules)
  return createChatTemplate({ jinja, source, bos: '', eos: '' }).render(request, (text) => text)
}

test('a template that knows tools gets them, their calls and results in its own form', () => {
  const prompt = rendered({ knowsTools: true }, { messages, tools: [read] })
  assert.match(prompt, /<tools>.*read_file/)
  assert.match(prompt, /assistant\n{"name":"read_file","arguments":{"path":"a"}}<\|im_end\|>/)
  assert.match(prompt, /<\|im_start\|>tool\ntext of a/)
  assert.doesNotMatch(prompt, /tool_response/)
})

test('a template that knows none gets them as Hermes models write them', () => {
  const prompt = rendered({}, { messages, tools: [read] })
  assert.match(prompt, /system\nBe brief\.\n\nYou can call these tools:\n<tools>\n{"name":"read_file"/)
  assert.match(
    prompt,
    /assistant\n<tool_call>\n{"name":"read_file","arguments":{"path":"a"}}\n<\/tool_call><\|im_end\|>/,
  )
  // The result and what the person says next are one message: some templates refuse two of one role in a row.
  assert.match(
    prompt,
    /user\n<tool_response>\ntext of a\n<\/tool_response>\n\nAnd\?\n\n\[A picture that you cannot see\]<\|im_end\|>/,
  )
})

test('a template without a place for instructions has them before the first message', () => {
  const prompt = rendered({ refusesSystem: true }, { messages, tools: [] })
  assert.match(prompt, /^<\|im_start\|>user\nBe brief\.\n\nLook\./)
})

test('a file without a template is spoken to in ChatML, and one with a broken template is refused', () => {
  const prompt = rendered(undefined, { messages: messages.slice(0, 2), tools: [] })
  assert.equal(
    prompt,
    '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nLook.<|im_end|>\n<|im_start|>assistant\n',
  )
  const broken = () => createChatTemplate({ jinja, source: 'no rules', bos: '', eos: '' })
  assert.throws(broken, { code: 'invalid-request', message: /chat template/ })
})

test('arguments that are no JSON object stay readable', () => {
  const broken = {
    role: 'assistant',
    content: 'x',
    toolCalls: [{ id: 'c', name: 'read_file', arguments: '{"path' }],
  } as const
  const prompt = rendered({}, { messages: [{ role: 'user', content: 'Look.' }, broken], tools: [read] })
  assert.match(prompt, /x\n<tool_call>\n{"name":"read_file","arguments":{"not_valid_json":"{\\"path"}}/)
})
