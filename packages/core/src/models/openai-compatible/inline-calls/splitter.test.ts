import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import type { ToolSchema } from '../../model.ts'
import { createInlineCallSplitter } from './splitter.ts'

const readFile: ToolSchema = {
  name: 'read_file',
  description: 'Reads.',
  parameters: { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } },
}
const tools: readonly ToolSchema[] = [readFile, { ...readFile, name: 'terminal' }]

interface Split {
  readonly text: string
  readonly calls: readonly (readonly [string, string])[]
}

function split(pieces: readonly string[]): Split {
  const splitter = createInlineCallSplitter(tools)
  const found = [...pieces.flatMap((piece) => splitter.feed(piece)), ...splitter.end()]
  return {
    text: found.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join(''),
    calls: found.flatMap((piece) => (piece.type === 'call' ? [[piece.name, piece.arguments] as const] : [])),
  }
}

const path = '{"path":"a b.txt"}'
const one: Split['calls'] = [['read_file', path]]
const two: Split['calls'] = [...one, ['terminal', '{"path":"x"}']]
const json = `{"name": "read_file", "arguments": ${path}}`
const second = '{"name": "terminal", "arguments": {"path":"x"}}'

const families: readonly [string, string, string, Split['calls']][] = [
  ['Hermes', `I read.\n<tool_call>\n${json}\n</tool_call>`, 'I read.\n', one],
  ['Hermes, two calls', `<tool_call>${json}</tool_call>\n<tool_call>${second}</tool_call>`, '\n', two],
  ['Hermes, unclosed', `<tool_call>\n${json}`, '', one],
  ['Hermes, nested as the API has it', `<tool_call>{"type":"function","function":${json}}</tool_call>`, '', one],
  [
    'Hermes, broken arguments',
    '<tool_call>{"name": "read_file", "arguments": {"path": "a}</tool_call>',
    '',
    [['read_file', '{"path": "a}']],
  ],
  [
    'Hermes, arguments as text',
    `<tool_call>{"name":"read_file","arguments":${JSON.stringify(path)}}</tool_call>`,
    '',
    one,
  ],
  ['LongCat', `<longcat_tool_call>${json}</longcat_tool_call>`, '', one],
  [
    'Qwen3-Coder',
    '<tool_call>\n<function=read_file>\n<parameter=path>\na b.txt\n</parameter>\n<parameter=limit>\n7\n</parameter>\n</function>\n</tool_call>',
    '',
    [['read_file', '{"path":"a b.txt","limit":7}']],
  ],
  [
    'Qwen3-Coder without its outer tag',
    '<function=read_file>\n<parameter=path>\n12\n</parameter>\n</function>',
    '',
    [['read_file', '{"path":"12"}']],
  ],
  ['GLM', '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a b.txt</arg_value>\n</tool_call>', '', one],
  ['Mistral, older', `[TOOL_CALLS][${json}, ${second}]`, '', two],
  ['Mistral, newer', `Sure.[TOOL_CALLS]read_file${path}[TOOL_CALLS]terminal[ARGS]{"path":"x"}`, 'Sure.', two],
  ['Mistral, with a call id', `[TOOL_CALLS]read_file[CALL_ID]abc123def[ARGS]${path}`, '', one],
  ['Llama with its tag', `<|python_tag|>{"name": "read_file", "parameters": ${path}}`, '', one],
  ['Llama without', `{"name": "read_file", "parameters": ${path}}; ${second}`, '', two],
  [
    'DeepSeek V3',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n\`\`\`json\n${path}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    '',
    one,
  ],
  [
    'DeepSeek V3.1',
    `Ok.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>${path}<｜tool▁call▁end｜><｜tool▁call▁begin｜>terminal<｜tool▁sep｜>{"path":"x"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    'Ok.',
    two,
  ],
  [
    'Kimi K2',
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>${path}<|tool_call_end|><|tool_calls_section_end|>`,
    '',
    one,
  ],
]
for (const [family, answer, text, calls] of families) {
  test(`${family}: calls in the text are found, whole and letter by letter`, () => {
    assert.deepEqual(split([answer]), { text, calls })
    assert.deepEqual(split(Array.from(answer)), { text, calls })
  })
}

test('a call that is cut off anywhere never shows its marks once its name is there', () => {
  for (const [, answer, text] of families) {
    const nameEnd = answer.indexOf('read_file') + 'read_file'.length + 3
    for (let length = nameEnd; length < answer.length; length++) {
      const cut = split([answer.slice(0, length)])
      assert.doesNotMatch(
        cut.text.slice(text.length),
        /tool_call|TOOL_CALLS|python_tag|tool▁call/,
        answer.slice(0, length),
      )
    }
  }
})

const talk: readonly [string, string][] = [
  ['in a code block', `Models write:\n\`\`\`\n<tool_call>${json}</tool_call>\n\`\`\`\nlike this.`],
  ['after a backtick', 'The mark is `<tool_call>` and ends with `</tool_call>`.'],
  ['naming no tool that is offered, and broken', '<tool_call>{"name": "other", "arg</tool_call>'],
  ['holding no call', 'Say <tool_call> and </tool_call>.'],
  ['JSON that is no call', '{"name": "Ann", "age": 3}'],
  ['JSON of a tool that is not offered', '{"name": "other", "arguments": {}}'],
  ['JSON with text after it', `${json} is how it looks`],
  ['almost a mark', 'a <tool_cal b [TOOL'],
]
for (const [what, text] of talk) {
  test(`text about calls, ${what}, stays text`, () => {
    assert.deepEqual(split([text]), { text, calls: [] })
    assert.deepEqual(split(Array.from(text)), { text, calls: [] })
  })
}

test('text passes as it comes, but for what may be the beginning of a mark', () => {
  const splitter = createInlineCallSplitter(tools)
  assert.deepEqual(splitter.feed('Hello <tool'), [{ type: 'text', text: 'Hello ' }])
  assert.deepEqual(splitter.feed('box>'), [{ type: 'text', text: '<toolbox>' }])
})

test('it does not matter where the text is cut', () => {
  const piece = fc.constantFrom(
    '<tool_call>',
    '</tool_call>',
    '<tool',
    '[TOOL_CALLS]',
    json,
    '`',
    '```',
    '{',
    '}',
    '\n',
    'a',
    '｜',
    '"name"',
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const whole = pieces.join('')
      assert.deepEqual(split(Array.from(whole)), split([whole]))
      assert.deepEqual(split(pieces), split([whole]))
    }),
  )
})

test('a long call in small pieces takes no more than linear time', () => {
  const splitter = createInlineCallSplitter(tools)
  const startedAt = processorMs()
  splitter.feed('<tool_call>{"name":"read_file","arguments":{"path":"')
  for (let i = 0; i < 100_000; i++) splitter.feed('some text ')
  splitter.feed('"}}</tool_call>')
  assert.ok(processorMs() - startedAt < 10_000)
})
