import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandOf } from './command-template.ts'

test('what is put in stays one word and is never read as a command', () => {
  const values = { in: '/a b/$(x); "y"', out: "/c'd" }
  assert.deepEqual(commandOf(`say -f {in} --out={out} 'two words' "{in}" {other}`, values), {
    program: 'say',
    args: ['-f', values.in, `--out=${values.out}`, 'two words', values.in, '{other}'],
  })
  assert.throws(() => commandOf('  ', {}), { code: 'unconfigured' })
})
