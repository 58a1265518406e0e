import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { decodeAnsi, parseExports } from './exported-variables.ts'

const run = promisify(execFile)
const awkward = [
  '',
  "it's",
  '"quoted" \\ $x `y`',
  'two\nlines\n',
  '\x01\x1b[0m\t',
  '数据库 😀',
  "$'x'",
  '\n',
  '= declare -x A="b"',
]

for (const [shell, locale] of [
  ['bash', 'C'],
  ['bash', 'C.UTF-8'],
  ['sh', 'C.UTF-8'],
] as const) {
  test(`what ${shell} exports in locale ${locale} is read back exactly`, async () => {
    const random = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), 300)
    const values = [...awkward, ...random].map((text) => text.replaceAll('\0', '').toWellFormed())
    const variables = Object.fromEntries(values.map((value, n) => [`V${n}`, value]))
    const { stdout } = await run(shell, ['-c', 'export -p'], { env: { ...variables, LC_ALL: locale } })
    const read = parseExports(stdout)
    for (const [name, value] of Object.entries(variables)) assert.equal(read.get(name), value, name)
  })
}

test('a variable that has no value is left out', () => {
  assert.deepEqual(
    [...parseExports('declare -x A\ndeclare -rx B="1"\nexport C\nexport D=2\n')],
    [
      ['B', '1'],
      ['D', '2'],
    ],
  )
})

test('escapes of quoted text are decoded as the shell does', () => {
  assert.equal(decodeAnsi(String.raw`\x72\155 \u6570\n\'\\\q`), "rm 数\n'\\\\q")
  assert.equal(decodeAnsi(String.raw`\346\225\260`), '数')
})
