import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overflowFacts } from './overflow-facts.ts'

const messages: readonly (readonly [message: string, window: number | undefined, prompt: number | undefined])[] = [
  [
    "This model's maximum context length is 16385 tokens. However, your messages resulted in 20012 tokens.",
    16_385,
    20_012,
  ],
  [
    "This model's maximum context length is 4097 tokens, however you requested 4927 tokens (3927 in your prompt; 1000 for the completion).",
    4_097,
    3_927,
  ],
  [
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140211 tokens (138163 of text input, 2048 in the output).",
    131_072,
    138_163,
  ],
  ['prompt is too long: 205123 tokens > 200000 maximum', 200_000, 205_123],
  ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000', 200_000, 188_240],
  ['exceeds the available context size. try increasing the context size (n_ctx=4096)', 4_096, undefined],
  ['request (9012 tokens) exceeds the available context size (8192 tokens)', 8_192, 9_012],
  ['The input token count (1,210,341) exceeds the maximum number of tokens allowed (1,048,576).', 1_048_576, 1_210_341],
  ['maximum prompt length is 131072 but the request contains 137122 tokens', 131_072, 137_122],
  ['inputs tokens + max_new_tokens must be <= 8192. Given: 9012 inputs tokens', 8_192, 9_012],
  ['The decoder prompt (length 35012) is longer than the maximum model length of 32768.', 32_768, 35_012],
  ['Current length is 70123 while limit is 65536', 65_536, 70_123],
  ['exceeded model token limit: 262144 (requested: 300123)', 262_144, 300_123],
  ['too large for a model with 128k maximum context length', 131_072, undefined],
  ['模型上下文长度超过最大长度 32768', 32_768, undefined],
  ['Input is too long for requested model.', undefined, undefined],
  ['Range of input length should be [1, 129024]', undefined, undefined],
]

for (const [message, windowTokens, promptTokens] of messages) {
  test(`the numbers in "${message.slice(0, 70)}" are understood`, () => {
    assert.deepEqual(overflowFacts(message), { windowTokens, promptTokens })
  })
}
