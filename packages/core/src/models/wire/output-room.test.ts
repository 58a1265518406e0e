import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outputRoom } from './output-room.ts'

const said: readonly [who: string, words: string, room: number | undefined][] = [
  [
    'Anthropic, of the window',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease it',
    11_696,
  ],
  ['Anthropic, of the model', 'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens', 8192],
  [
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion).",
    3128,
  ],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 200000 tokens. However, you requested about 210000 tokens (150000 of text input, 60000 in the output).",
    49_936,
  ],
  [
    'vLLM',
    "'max_tokens' is too large: 5000. This model's maximum context length is 8192 tokens and your request has 5000 input tokens",
    3128,
  ],
  [
    'OpenAI, of the model',
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
    16_384,
  ],
  ['Groq', '`max_tokens` must be less than or equal to `8192`', 8192],
  [
    'OpenRouter, of the credit',
    'This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1234.',
    1234,
  ],
  ['too little room', 'max_tokens: 64000 > 100, which is the maximum', undefined],
  ['too little credit', 'but can only afford 12', undefined],
  [
    'an input that is too long itself',
    'input length and `max_tokens` exceed context limit: 208240 + 21333 > 200000',
    undefined,
  ],
  ['something else', 'prompt is too long: 205123 tokens > 200000 maximum', undefined],
]
for (const [who, words, room] of said) {
  test(`the room for an answer is read from ${who}: ${room}`, () => assert.equal(outputRoom(words), room))
}
