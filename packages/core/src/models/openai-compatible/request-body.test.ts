import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelRequest, ReasoningEffort } from '../model.ts'
import { ollama } from '../providers/local.ts'
import { openAi } from '../providers/openai.ts'
import { openRouter } from '../providers/openrouter.ts'
import type { AssistantMessage, TranscriptMessage } from '../transcript.ts'
import type { ProviderFacts } from '../providers/provider.ts'
import { plainDialect } from './dialect.ts'
import type { Dialect } from './dialect.ts'
import { requestBody } from './request-body.ts'

function chatOf({ speaks }: ProviderFacts): Dialect {
  assert.ok(speaks.chat)
  return speaks.chat
}

const system: TranscriptMessage = { role: 'system', content: 'Be brief.' }
const user: TranscriptMessage = { role: 'user', content: 'hi' }

function asking(request: Partial<ModelRequest>): ModelRequest {
  return { model: 'm', messages: [system, user], tools: [], ...request }
}

test('a plain request holds no more than every server knows', () => {
  assert.deepEqual(requestBody(asking({}), plainDialect), {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('tools, their choice and the output limit are sent when there are any', () => {
  const tools = [{ name: 'f', description: 'F.', parameters: { type: 'object' } }]
  const body = requestBody(asking({ tools, toolChoice: 'none', maxOutputTokens: 5 }), plainDialect)
  assert.deepEqual(body['tools'], [{ type: 'function', function: tools[0] }])
  assert.equal(body['tool_choice'], 'none')
  assert.equal(body['max_tokens'], 5)
  assert.equal(requestBody(asking({ maxOutputTokens: 5 }), chatOf(openAi))['max_completion_tokens'], 5)
})

test('images go beside the text as data', () => {
  const images = [{ mediaType: 'image/png', data: 'aGk=' }]
  const messagesOf = (content: string) =>
    requestBody(asking({ messages: [{ role: 'user', content, images }] }), plainDialect)['messages']
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
  assert.deepEqual(messagesOf('see'), [{ role: 'user', content: [{ type: 'text', text: 'see' }, image] }])
  assert.deepEqual(messagesOf(''), [{ role: 'user', content: [image] }])
})

const thinking: AssistantMessage = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'a', name: 'f', arguments: ' ', extra: { google: { thought_signature: 's' } } }],
  reasoning: 'hm',
  reasoningDetails: [{ type: 'reasoning.text', text: 'hm', signature: 's' }],
}

function sentBack(dialect = plainDialect, model = 'm', message = thinking): Readonly<Record<string, unknown>> {
  const result: TranscriptMessage = { role: 'tool', toolCallId: 'a', toolName: 'f', content: 'done' }
  const body = requestBody(asking({ model, messages: [user, message, result] }), dialect)
  return (body['messages'] as Readonly<Record<string, unknown>>[])[1] ?? {}
}

test('blank arguments become an empty object, and content is null beside calls', () => {
  assert.deepEqual(sentBack(), {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'a',
        type: 'function',
        function: { name: 'f', arguments: '{}' },
        extra_content: { google: { thought_signature: 's' } },
      },
    ],
  })
})

test('reasoning goes back as each server wants it, and nowhere else', () => {
  const router = chatOf(openRouter())
  assert.deepEqual(sentBack(router)['reasoning_details'], thinking.reasoningDetails)
  const textOnly = { ...thinking, reasoningDetails: undefined }
  assert.equal(sentBack(router, 'm', textOnly)['reasoning'], 'hm')
  assert.equal(sentBack(plainDialect, 'deepseek-reasoner')['reasoning_content'], 'hm')
  const toOpenAi = sentBack(chatOf(openAi), 'gpt-5')
  assert.deepEqual(Object.keys(toOpenAi).sort(), ['content', 'role', 'tool_calls'])
  assert.doesNotMatch(JSON.stringify(toOpenAi), /extra_content|hm/)
})

const efforts: readonly [string, string, ReasoningEffort | undefined, unknown][] = [
  ['openai', 'gpt-5', 'high', { reasoning_effort: 'high' }],
  ['openai', 'gpt-5', 'xhigh', { reasoning_effort: 'high' }],
  ['openai', 'gpt-5', 'none', { reasoning_effort: 'minimal' }],
  ['openai', 'gpt-5.1', 'none', { reasoning_effort: 'none' }],
  ['openai', 'gpt-5.1', 'minimal', { reasoning_effort: 'low' }],
  ['openai', 'gpt-5.2', 'xhigh', { reasoning_effort: 'xhigh' }],
  ['openai', 'o3-mini', 'minimal', { reasoning_effort: 'low' }],
  ['openai', 'gpt-4o', 'high', {}],
  ['openai', 'gpt-5-chat-latest', 'high', {}],
  ['openai', 'gpt-5', undefined, {}],
  ['openrouter', 'anthropic/claude-sonnet-4.6', undefined, { reasoning: { enabled: true, effort: 'medium' } }],
  ['openrouter', 'anthropic/claude-sonnet-4.6', 'none', { reasoning: { enabled: false } }],
  ['openrouter', 'meta-llama/llama-4', 'high', {}],
  ['ollama', 'qwen3:8b', 'none', { reasoning_effort: 'none' }],
  ['ollama', 'qwen3:8b', 'high', {}],
  ['ollama', 'gpt-oss:20b', 'minimal', { reasoning_effort: 'low' }],
  ['ollama', 'gpt-oss:20b', 'none', { reasoning_effort: 'low' }],
]
const dialects: Readonly<Record<string, typeof plainDialect>> = {
  openai: chatOf(openAi),
  openrouter: chatOf(openRouter()),
  ollama: chatOf(ollama()),
}
for (const [name, model, reasoningEffort, expected] of efforts) {
  test(`effort ${reasoningEffort ?? '(not chosen)'} for ${model} on ${name} is ${JSON.stringify(expected)}`, () => {
    const body = requestBody(asking({ model, reasoningEffort }), dialects[name] ?? plainDialect)
    const { reasoning, reasoning_effort } = body
    assert.deepEqual(
      { ...(reasoning !== undefined && { reasoning }), ...(reasoning_effort !== undefined && { reasoning_effort }) },
      expected,
    )
  })
}

test('the system prompt of OpenAI’s newer models has the role developer', () => {
  const roleOf = (dialect: typeof plainDialect, model: string): unknown =>
    (requestBody(asking({ model }), dialect)['messages'] as { role: string }[])[0]?.role
  assert.equal(roleOf(chatOf(openAi), 'gpt-5'), 'developer')
  assert.equal(roleOf(chatOf(openRouter()), 'openai/gpt-5'), 'developer')
  assert.equal(roleOf(chatOf(openRouter()), 'z-ai/glm-5'), 'system')
  assert.equal(roleOf(plainDialect, 'gpt-5'), 'system')
})

test('for Claude on OpenRouter the system prompt and the last three messages that can be are marked for the cache', () => {
  const answer = (content: string): TranscriptMessage => ({ ...thinking, content })
  const result: TranscriptMessage = { role: 'tool', toolCallId: 'a', toolName: 'f', content: 'done' }
  const messages = [system, user, answer('one'), result, answer('two'), result, answer('three'), result, user]
  const body = requestBody(asking({ model: 'anthropic/claude-x', messages }), chatOf(openRouter()))
  const sent = body['messages'] as { role: string; content: unknown }[]
  const marked = sent.flatMap((message, at) => (JSON.stringify(message.content).includes('cache_control') ? [at] : []))
  assert.deepEqual(marked, [0, 4, 6, 8])
  assert.deepEqual(sent[0]?.content, [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }])
  const other = requestBody(asking({ model: 'z-ai/glm-5', messages }), chatOf(openRouter()))
  assert.doesNotMatch(JSON.stringify(other), /cache_control/)
})

test('a conversation has its place in the cache of OpenAI, and Ollama is asked for a window', () => {
  assert.equal(requestBody(asking({ sessionId: 's' }), chatOf(openAi))['prompt_cache_key'], 's')
  assert.deepEqual(requestBody(asking({}), chatOf(ollama(8192)))['options'], { num_ctx: 8192 })
})
