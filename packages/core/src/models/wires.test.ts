import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectAnswer } from '@hermes/testing'
import type { RecordedRequest, Script, ScriptedAnswer } from '@hermes/testing'
import { startTestWire, usualSpeech } from '@hermes/testing/test-wire.ts'
import type { TestWire } from '@hermes/testing/test-wire.ts'
import * as fc from 'fast-check'
import { wellFormed } from '../agent/well-formed.ts'
import type { ModelRequest, ToolSchema } from './model.ts'
import { plainDialect } from './openai-compatible/dialect.ts'
import { gemini } from './providers/gemini.ts'
import { mistral } from './providers/mistral.ts'
import { openRouter } from './providers/openrouter.ts'
import type { Speech } from './speech.ts'
import type { AssistantMessage, ToolCall, TranscriptMessage } from './transcript.ts'
import { validateTranscript } from './validate-transcript.ts'

const never = new AbortController().signal

interface TestedWire {
  readonly speech: Speech
  readonly model: string
  /** The calls and the signed reasoning that a request carries back. */
  readonly sentBack: (body: RecordedRequest['body']) => {
    readonly calls: readonly ToolCall[]
    readonly reasoning: string
  }
}

const chatBack: TestedWire['sentBack'] = ({ messages = [] }) => ({
  calls: messages.flatMap(({ tool_calls: calls = [] }) =>
    calls.map(({ id, function: { name, arguments: args }, extra_content: extra }) => ({
      id,
      name,
      arguments: args,
      ...(extra !== undefined && { extra: extra as Record<string, unknown> }),
    })),
  ),
  reasoning: JSON.stringify(messages.flatMap((message) => message['reasoning_details'] ?? [])),
})

const blocksOf = ({ messages = [] }: RecordedRequest['body']): readonly Readonly<Record<string, unknown>>[] =>
  messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Record<string, unknown>[]) : []))

const wires: Readonly<Record<string, TestedWire>> = {
  chat: { speech: usualSpeech.chat, model: 'm', sentBack: chatBack },
  'chat, OpenRouter': {
    speech: { wire: 'chat', dialect: openRouter().speaks.chat ?? plainDialect },
    model: 'anthropic/claude-sonnet-4.6',
    sentBack: chatBack,
  },
  'chat, Gemini': {
    speech: { wire: 'chat', dialect: gemini.speaks.chat ?? plainDialect },
    model: 'gemini-3-pro',
    sentBack: chatBack,
  },
  'chat, Mistral': {
    speech: { wire: 'chat', dialect: mistral.speaks.chat ?? plainDialect },
    model: 'mistral-large',
    sentBack: chatBack,
  },
  messages: {
    speech: usualSpeech.messages,
    model: 'claude-sonnet-4-5',
    sentBack: (body) => ({
      calls: blocksOf(body)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id: String(id), name: String(name), arguments: JSON.stringify(input) })),
      reasoning: JSON.stringify(blocksOf(body).filter(({ type }) => String(type).includes('thinking'))),
    }),
  },
  responses: {
    speech: usualSpeech.responses,
    model: 'gpt-5.1',
    sentBack: ({ input }) => {
      const items = input as readonly Readonly<Record<string, unknown>>[]
      return {
        calls: items
          .filter(({ type }) => type === 'function_call')
          .map(({ call_id: id, name, arguments: args }) => ({
            id: String(id),
            name: String(name),
            arguments: String(args),
          })),
        reasoning: JSON.stringify(items.filter(({ type }) => type === 'reasoning')),
      }
    },
  },
  converse: {
    speech: usualSpeech.converse,
    model: 'anthropic.claude-sonnet-4-5-v1:0',
    sentBack: (body) => ({
      calls: blocksOf(body).flatMap(({ toolUse }) => {
        if (toolUse === undefined) return []
        const { toolUseId: id, name: called, input } = toolUse as { toolUseId: string; name: string; input: unknown }
        return [{ id, name: called, arguments: JSON.stringify(input) }]
      }),
      reasoning: JSON.stringify(blocksOf(body).filter((block) => 'reasoningContent' in block)),
    }),
  },
}

function serve({ speech }: TestedWire, script: Script): Promise<TestWire> {
  return startTestWire(speech, script)
}

const tools: readonly ToolSchema[] = [
  {
    name: 'read_file',
    description: 'Reads.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
  { name: 'terminal', description: 'Runs.', parameters: { type: 'object', properties: {} } },
]

function resultsOf({ toolCalls }: AssistantMessage): TranscriptMessage[] {
  return toolCalls.map(({ id, name }) => ({ role: 'tool', toolCallId: id, toolName: name, content: `result of ${id}` }))
}

/** What moves from call to call, and is no part of what the provider keeps. */
function withoutMarks(body: unknown): string {
  return JSON.stringify(body)
    .replaceAll(',"cache_control":{"type":"ephemeral"}', '')
    .replaceAll(/,?\{"cachePoint":\{"type":"default"\}\}/g, '')
}

for (const [name, wire] of Object.entries(wires)) {
  test(`each request begins with the bytes of the one before: ${name}`, async () => {
    await using all = await serve(wire, (_request, n) => ({
      reasoning: `thought ${n}`,
      text: `step ${n}`,
      ...(n % 3 < 2 && { toolCalls: [{ name: 'read_file', arguments: { path: `${n}` } }, { name: 'terminal' }] }),
    }))
    const messages: TranscriptMessage[] = [{ role: 'system', content: 'You are Hermes.' }]
    for (let turn = 0; turn < 4; turn++) {
      messages.push({ role: 'user', content: `question ${turn}` })
      for (let step = 0; step < 3; step++) {
        const request: ModelRequest = {
          model: wire.model,
          messages: [...messages],
          tools,
          sessionId: 's',
          reasoningEffort: 'low',
        }
        const { message } = await collectAnswer(all.provider.stream(request, never))
        messages.push(message, ...resultsOf(message))
      }
    }
    const sent = all.server.requests.map(({ body, problem }) => {
      assert.equal(problem, undefined)
      return withoutMarks(body)
    })
    assert.equal(sent.length, 12)
    for (const [at, next] of sent.entries()) {
      const before = sent[at - 1]?.replace(/[\]}]+$/, '') ?? ''
      assert.ok(next.startsWith(before), `request ${at} begins otherwise:\n${next}\n${before}`)
    }
  })
}

const letters = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const said = letters.filter((text) => text.trim() !== '')
const args = fc.dictionary(
  fc.string({ maxLength: 5 }).filter((key) => key !== '__proto__'),
  fc.oneof(letters, fc.integer(), fc.constant(null)),
  { maxKeys: 3, noNullPrototype: true },
)
const answers = fc.array(
  fc.record({
    text: said,
    reasoning: said,
    calls: fc.array(args, { maxLength: 3 }),
    pieceBytes: fc.integer({ min: 1, max: 40 }),
  }),
  { minLength: 1, maxLength: 4 },
)

for (const [name, wire] of Object.entries(wires)) {
  test(`what a model said, thought and called goes back as it came: ${name}`, async () => {
    let script: readonly ScriptedAnswer[] = []
    let from = 0
    await using all = await serve(wire, (_request, n) => script[n - from] ?? { text: 'end' })
    await fc.assert(
      fc.asyncProperty(answers, async (given) => {
        from = all.server.requests.length
        script = given.map(({ text, reasoning, calls, pieceBytes }, n) => ({
          text,
          ...thoughtFor(wire, reasoning),
          pieceBytes,
          toolCalls: calls.map((one, at) => ({
            name: 'read_file',
            // Mistral's ids have nine characters.
            id: `call${String(n).padStart(2, '0')}${String(at).padStart(3, '0')}`,
            arguments: one,
            ...(name.includes('Gemini') && {
              extra: { extra_content: { google: { thought_signature: `s${n}${at}` } } },
            }),
          })),
        }))
        const messages: TranscriptMessage[] = [{ role: 'user', content: 'begin' }]
        const read: AssistantMessage[] = []
        for (const answer of [...script, { text: 'end' }]) {
          const request = { model: wire.model, messages: [...messages], tools, reasoningEffort: 'low' } as const
          const { message } = await collectAnswer(all.provider.stream(request, never))
          assert.equal(message.content, answer.text)
          assert.equal(message.reasoning, given[read.length]?.reasoning)
          read.push(message)
          messages.push(message, ...resultsOf(message), { role: 'user', content: 'go on' })
        }
        const last = all.server.requests.at(-1)
        assert.equal(last?.problem, undefined)
        const back = wire.sentBack(last?.body ?? {})
        const calls = read.flatMap(({ toolCalls }) => toolCalls)
        assert.deepEqual(back.calls.map(comparable), calls.map(comparable))
        assert.deepEqual(
          calls.map((call) => JSON.parse(call.arguments) as unknown),
          given.flatMap(({ calls: own }) => own),
        )
        for (const mark of marksOf(wire, given.length)) assert.ok(back.reasoning.includes(mark), `${mark} went back`)
      }),
      { numRuns: 25 },
    )

    function marksOf({ speech }: TestedWire, count: number): readonly string[] {
      const prefix = { messages: 'sig_', converse: 'sig_', responses: 'encrypted_', chat: undefined, acp: undefined }[
        speech.wire
      ]
      if (prefix === undefined) return name.includes('OpenRouter') ? ['of its own'] : []
      return Array.from({ length: count }, (_, n) => `${prefix}${from + n}`)
    }
  })
}

/** OpenRouter sends what was thought as items of its own. */
function thoughtFor({ speech, model }: TestedWire, text: string): Partial<ScriptedAnswer> {
  const isRouter = speech.wire === 'chat' && model.startsWith('anthropic/')
  if (!isRouter) return { reasoning: text }
  return { reasoningDetails: [{ type: 'reasoning.text', text, signature: 'of its own', index: 0 }] }
}

function comparable({ id, name, arguments: text, extra }: ToolCall): unknown {
  return { id, name, arguments: JSON.parse(text) as unknown, ...(extra && { extra }) }
}

for (const [name, wire] of Object.entries(wires)) {
  test(`every well-formed transcript becomes a request that is taken: ${name}`, async () => {
    await using all = await serve(wire, () => ({ text: 'ok' }))
    const id = fc.constantFrom('call_1', 'functions.read:0', 'toolu_x', 'ü', 'x'.repeat(90))
    const content = fc.string({ unit: 'grapheme', maxLength: 6 })
    const image = { mediaType: 'image/png', data: 'AAAA' }
    const message = fc.oneof(
      fc.tuple(content, fc.boolean()).map(([text, isPicture]): TranscriptMessage => ({
        role: 'user',
        content: text,
        ...(isPicture && { images: [image] }),
      })),
      fc
        .tuple(content, fc.uniqueArray(id, { maxLength: 3 }), fc.constantFrom('{"a":1}', '', '{broken', '[1]'))
        .map(([text, ids, written]): TranscriptMessage => ({
          role: 'assistant',
          content: text,
          toolCalls: ids.map((one) => ({ id: one, name: 'read_file', arguments: written })),
        })),
      id.map((one): TranscriptMessage => ({ role: 'tool', toolCallId: one, toolName: 'read_file', content: '' })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 8 }), async (history) => {
        const seen = new Set<string>()
        const unique = history.filter((one) => {
          if (one.role !== 'assistant') return true
          const isNew = one.toolCalls.every((call) => !seen.has(call.id))
          for (const call of one.toolCalls) seen.add(call.id)
          return isNew
        })
        const messages = wellFormed([{ role: 'user', content: 'begin' }, ...unique, { role: 'user', content: 'end' }])
        assert.equal(validateTranscript(messages), undefined)
        const request = { model: wire.model, messages, tools, reasoningEffort: 'medium' } as const
        await collectAnswer(all.provider.stream(request, never))
        assert.equal(all.server.requests.at(-1)?.problem, undefined)
      }),
      { numRuns: 40 },
    )
  })
}

for (const [name, wire] of Object.entries(wires)) {
  test(`half a character is not sent, whoever came up with it: ${name}`, async () => {
    await using all = await serve(wire, () => ({ text: 'ok' }))
    const half = 'a\ud83d'
    const call: ToolCall = { id: 'call_1', name: 'read_file', arguments: JSON.stringify({ path: half }) }
    const messages: readonly TranscriptMessage[] = [
      { role: 'user', content: 'begin 🙂' },
      { role: 'assistant', content: half, toolCalls: [call] },
      { role: 'tool', toolCallId: 'call_1', toolName: 'read_file', content: `${half}\\ud83d` },
    ]
    await collectAnswer(all.provider.stream({ model: wire.model, messages, tools }, never))
    const body = all.server.requests.at(-1)?.body
    const texts: string[] = []
    JSON.stringify(body, (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
    assert.ok(texts.every((text) => text.isWellFormed()))
    assert.ok(texts.some((text) => text.includes('🙂')) && texts.some((text) => text.includes('a\ufffd\\ud83d')))
  })

  test(`an answer without an end is stopped and not asked for again: ${name}`, async () => {
    await using all = await startTestWire(wire.speech, () => ({ text: Array.from({ length: 500 }, () => 'words ') }), {
      maxAnswerBytes: 10_000,
    })
    await assert.rejects(all.ask({ model: wire.model }), { code: 'invalid-request', message: /did not end its answer/ })
    assert.equal(all.server.requests.length, 1)
  })
}
