import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { callFormOf, callGrammar, createCallWatch } from './call-grammar.ts'
import type { CallForm } from './call-grammar.ts'

const tool = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: {
    type: 'object',
    properties: { unit: { enum: ['c', 'f'] }, city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
}

function form(template: string, knowsTools = true): CallForm {
  const found = callFormOf(template, knowsTools)
  assert.ok(found)
  return found
}

test('the form of calls is the template’s own, where a grammar can hold a model to it', () => {
  const opens = (template: string) => callFormOf(template, true)?.open
  assert.equal(opens('… <tool_call>\n{"name": …'), '<tool_call>')
  assert.equal(opens('<longcat_tool_call>'), '<longcat_tool_call>')
  assert.equal(opens('[TOOL_CALLS] ['), '[TOOL_CALLS]')
  assert.equal(opens('"parameters": '), undefined)
  assert.equal(opens('<|start_header_id|> "parameters": '), '{"name":')
  for (const other of ['<tool_call>\n<function=', '<tool_call><arg_key>', '[TOOL_CALLS]name[ARGS]', '']) {
    assert.equal(opens(other), undefined)
  }
  assert.equal(callFormOf('knows no tools', false)?.open, '<tool_call>')
})

test('a grammar names the tools, and has what is required before what is not', () => {
  const grammar = callGrammar(form('<tool_call>'), [tool])
  assert.match(grammar, /^root ::= ws call ws "<\/tool_call>"$/m)
  assert.match(
    grammar,
    /^call ::= "{" ws "\\"name\\"" ws ":" ws \( "\\"weather\\"" ws "," ws "\\"arguments\\"" ws ":" ws r\d+ \) ws "}"$/m,
  )
  assert.match(grammar, /^r\d+ ::= "\\"c\\"" \| "\\"f\\""$/m)
  assert.match(
    grammar,
    /^r\d+ ::= "{" ws "\\"city\\"" ws ":" ws string ws \( "," ws r\d+ \)\? \( "," ws r\d+ \)\? "}"$/m,
  )
})

test('each rule of a grammar is there, whatever the schema', () => {
  const schema = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom({ type: 'string' }, { type: ['string', 'null'] }, { const: 'a"b\\' }, {}, { $ref: '#' }),
      fc.record({ type: fc.constant('array'), items: tie('any') }),
      fc.record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.string(), tie('any'), { maxKeys: 3 }),
        required: fc.constant(['a']),
      }),
    ),
  })).any
  fc.assert(
    fc.property(schema, (parameters) => {
      const given = { ...tool, parameters: { type: 'object', properties: { a: parameters } } }
      const lines = callGrammar(form('<tool_call>'), [given]).split('\n')
      const names = new Set(lines.map((line) => line.split(' ')[0]))
      for (const line of lines) {
        const used = line.replaceAll(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|\{[\d,]+\}/g, ' ').match(/[a-z][\w-]*/g)
        for (const name of used ?? []) assert.ok(names.has(name), `${name} in ${line}`)
      }
    }),
  )
})

/** The pieces of an answer at whose end a call is open. */
function openAt(pieces: readonly string[], which: CallForm): readonly string[] {
  const watch = createCallWatch(which)
  const open: string[] = []
  let before = ''
  for (const piece of pieces) {
    watch.add(piece)
    before += piece
    if (watch.openCall !== undefined) open.push(before)
  }
  return open
}

test('a call is open from behind its mark to its end, letter by letter', () => {
  const answer = 'I look.\n<tool_call>\n{}</tool_call>\n<tool_call>{}</tool_call> Done.'
  const open = openAt(Array.from(answer), form('<tool_call>'))
  assert.equal(open[0], 'I look.\n<tool_call>')
  assert.ok(open.includes('I look.\n<tool_call>\n{}</tool_call>\n<tool_call>{'))
  assert.ok(!open.some((text) => /<\/tool_call>\s*$|Done/.test(text)))
})

test('two calls in a row are two', () => {
  const watch = createCallWatch(form('<tool_call>'))
  const counts = ['<tool_call>', '{}', '</tool_call>', '\n', '<tool_call>'].map((piece) => {
    watch.add(piece)
    return watch.openCall
  })
  assert.deepEqual(counts, [1, 1, undefined, undefined, 2])
})

test('a mark that is written about opens nothing', () => {
  for (const answer of ['Use `<tool_call>` for it.', '```\n<tool_call>\n{}\n```', 'A <tool_call>{"name": …']) {
    const pieces = answer.startsWith('A') ? [answer] : Array.from(answer)
    assert.deepEqual(openAt(pieces, form('<tool_call>')), [])
  }
})

test('calls without a mark begin an answer, and are no calls further on', () => {
  const llama = form('<|start_header_id|> "parameters": ')
  assert.ok(openAt(['{"', 'name', '":', ' "weather"'], llama).length > 0)
  assert.deepEqual(openAt(['It is ', '{"', 'name', '":', ' "Ann"'], llama), [])
})
