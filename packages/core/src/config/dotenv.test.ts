import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { dotenvValues, editDotenv, parseDotenv } from './dotenv.ts'

const known = () =>
  new Set(['OPENROUTER_API_KEY', 'TELEGRAM_BOT_TOKEN', 'HF_TOKEN', 'OPENAI_API_KEY', 'TELEGRAM_ALLOWED_USERS'])
const values = (text: string, environment = {}) =>
  Object.fromEntries(dotenvValues(parseDotenv(text, known), environment))

test('lines are read as shells and dotenv users write them', () => {
  const text = [
    '\uFEFF# a comment',
    '',
    'PLAIN=value',
    '  SPACED = around  ',
    'export EXPORTED=yes',
    'export EMPTY=',
    `SINGLE='a # not a comment'`,
    'DOUBLE="tab\\tand \\"quotes\\""',
    'COMMENT=value # gone',
    'HASH=value#kept',
    `ESCAPED='it\\'s'`,
    'EQUALS=a=b==',
    'LINES="one',
    'two"',
    `HALF='open`,
    `NAME=O'Brien`,
    'LAST=1',
    'LAST=2',
  ].join('\n')
  assert.deepEqual(values(text), {
    PLAIN: 'value',
    SPACED: 'around',
    EXPORTED: 'yes',
    EMPTY: '',
    SINGLE: 'a # not a comment',
    DOUBLE: 'tab\tand "quotes"',
    COMMENT: 'value',
    HASH: 'value#kept',
    ESCAPED: "it's",
    EQUALS: 'a=b==',
    LINES: 'one\ntwo',
    HALF: "'open",
    NAME: "O'Brien",
    LAST: '2',
  })
})

test('line breaks of every system end lines, and lines are counted over values of several lines', () => {
  const { entries } = parseDotenv('A=1\r\nB="x\r\ny"\r\nC=3\rD=4\n', known)
  assert.deepEqual(
    entries.map(({ name, line }) => [name, line]),
    [
      ['A', 1],
      ['B', 2],
      ['C', 4],
      ['D', 5],
    ],
  )
})

test('variables in values come from the lines before and from the environment', () => {
  const text = 'A=1\nB=${A}-${OUTER}-${NOPE:-fallback}-${NOPE}\nC=\'${A}\'\nD="${A}"\n'
  assert.deepEqual(values(text, { OUTER: 'o', A: 'hidden' }), { A: '1', B: '1-o-fallback-', C: '${A}', D: '1' })
})

test('known assignments run together on one line are read one by one, others are left', () => {
  const text = 'OPENROUTER_API_KEY=sk-or-ABCTELEGRAM_BOT_TOKEN=123:abcHF_TOKEN=hf_x\nOTHER=aHF_TOKEN=b\n'
  const parsed = parseDotenv(text, known)
  assert.deepEqual(values(text), {
    OPENROUTER_API_KEY: 'sk-or-ABC',
    TELEGRAM_BOT_TOKEN: '123:abc',
    HF_TOKEN: 'hf_x',
    OTHER: 'aHF_TOKEN=b',
  })
  assert.deepEqual(parsed.problems, [
    { line: 1, message: 'OPENROUTER_API_KEY, TELEGRAM_BOT_TOKEN, HF_TOKEN stand on one line; each was read by itself' },
  ])
})

test('quoted values are never taken apart', () => {
  assert.deepEqual(values('OPENAI_API_KEY="x HF_TOKEN=y"'), { OPENAI_API_KEY: 'x HF_TOKEN=y' })
})

test('lines that set nothing are told by number alone', () => {
  const { problems } = parseDotenv('A=1\nsk-secret-without-name\n9X=1\n', known)
  assert.deepEqual(
    problems.map(({ line, message }) => [line, message.includes('secret')]),
    [
      [2, false],
      [3, false],
    ],
  )
})

const sample = `# keys
OPENROUTER_API_KEY=made-up-key-ddd
TELEGRAM_BOT_TOKEN='made-up-bot-token'
export EMPTY=
QUOTED="a # not a comment"   # kept`

test('a set changes its own line and no other byte', () => {
  assert.equal(editDotenv(sample, 'EMPTY', 'x y', known), sample.replace('EMPTY=', "EMPTY='x y'"))
  assert.equal(editDotenv(sample, 'OPENROUTER_API_KEY', 'k', known), sample.replace('made-up-key-ddd', 'k'))
  assert.equal(editDotenv(sample, 'NEW', '1', known), `${sample}\nNEW=1\n`)
  assert.equal(editDotenv('', 'NEW', '1', known), 'NEW=1\n')
  assert.equal(editDotenv('A=1\r\n', 'B', '2', known), 'A=1\r\nB=2\r\n')
})

test('of several lines for one name, the one that counts is set, and all are taken out', () => {
  assert.equal(editDotenv('A=1\nB=2\nA=3\n', 'A', '4', known), 'A=1\nB=2\nA=4\n')
  assert.equal(editDotenv('A=1\nB=2\nA=3\n', 'A', undefined, known), 'B=2\n')
  assert.equal(editDotenv('A=1\n', 'B', undefined, known), 'A=1\n')
})

test('a set within a line of several assignments takes that line apart', () => {
  assert.equal(
    editDotenv('# x\nOPENAI_API_KEY=aHF_TOKEN=b\nC=1\n', 'HF_TOKEN', 'z', known),
    '# x\nOPENAI_API_KEY=a\nHF_TOKEN=z\nC=1\n',
  )
})

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/)
const value = fc
  .oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(' ', '#', "'", '"', '\\', '${A}', '$A', 'a #b', "'x'", '='),
  )
  .filter((text) => !/[\r\n]/.test(text))
const junk = fc.array(
  fc.oneof(
    fc.constantFrom('# c', '', 'A=1', 'export B="x', 'B=2 # y', "C='", '=', 'X', '  ', 'D="1\n2"'),
    fc.string({ maxLength: 10 }).filter((text) => !/[\r\n]/.test(text)),
  ),
  { maxLength: 6 },
)

test('for any file, a value that was set is read back, and every other line is still there', () => {
  fc.assert(
    fc.property(junk, name, value, fc.constantFrom('\n', '\r\n'), fc.boolean(), (lines, key, to, newline, ends) => {
      const text = lines.join(newline) + (ends && lines.length > 0 ? newline : '')
      // A quote that an earlier line leaves open may swallow what is appended; that is so in every reader.
      const edited = editDotenv(text, key, to, () => new Set())
      const before = values(text)
      const after = values(edited)
      if (!Object.hasOwn(before, key) && !edited.startsWith(text)) assert.fail('the text before was changed')
      if (after[key] !== to)
        assert.ok(
          lines.some((line) => /["']/.test(line)),
          JSON.stringify(edited),
        )
      else
        assert.equal(
          editDotenv(edited, key, to, () => new Set()),
          edited,
        )
    }),
    { numRuns: 500 },
  )
})
