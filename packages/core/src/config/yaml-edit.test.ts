import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Document } from 'yaml'
import { ConfigError } from './config-error.ts'
import { getAt, setAt, type Tree } from './tree.ts'
import { removeFromYaml, setInYaml } from './yaml-edit.ts'
import { parseYamlFile } from './yaml-file.ts'

const sample = `# my settings
model:
  default: x   # the cheap one
agent: # how it works
display: {skin: mono, streaming: on}
terminal:
    timeout: 90

    # where
    backend: local
note: |
  two
  lines
list:
  - a   # first
  - b
# the end
`

const treeOf = (text: string) => parseYamlFile(text, 'config.yaml').tree

test('a set changes one line and no other byte', () => {
  assert.equal(
    setInYaml(sample, ['model', 'default'], 'z-ai/glm-5'),
    sample.replace('default: x ', 'default: z-ai/glm-5 '),
  )
  assert.equal(setInYaml(sample, ['display', 'skin'], 'slate'), sample.replace('mono', 'slate'))
  assert.equal(setInYaml(sample, ['terminal', 'timeout'], 30), sample.replace('90', '30'))
})

test("a new key goes to the end of its section, in the section's own style", () => {
  assert.equal(
    setInYaml(sample, ['terminal', 'cwd'], '/tmp'),
    sample.replace('backend: local\n', 'backend: local\n    cwd: /tmp\n'),
  )
  assert.equal(setInYaml(sample, ['display', 'compact'], true), sample.replace('on}', 'on, compact: true}'))
  assert.equal(setInYaml(sample, ['agent', 'max_turns'], 5), sample.replace('works\n', 'works\n  max_turns: 5\n'))
  assert.equal(setInYaml('a: {}\n', ['a', 'b'], 1), 'a: {b: 1}\n')
})

test('a new section is added, also to a file without any', () => {
  assert.equal(setInYaml('', ['agent', 'max_turns'], 5), 'agent:\n  max_turns: 5\n')
  assert.equal(setInYaml('# only this', ['a', 'b', 'c'], 'd'), '# only this\na:\n  b:\n    c: d\n')
  assert.equal(setInYaml('a: 1', ['b'], 2), 'a: 1\nb: 2')
  assert.equal(setInYaml('a: 1\r\nb: 2\r\n', ['c', 'd'], 2), 'a: 1\r\nb: 2\r\nc:\r\n  d: 2\r\n')
})

test('an item added to a list leaves the others and their comments', () => {
  assert.equal(setInYaml(sample, ['list'], ['a', 'b', 'c d: e']), sample.replace('- b\n', '- b\n  - "c d: e"\n'))
})

test('values that YAML 1.1 would read as something else are quoted', () => {
  for (const value of [
    'off',
    'yes',
    '12:30',
    '2020-01-01',
    '007',
    '',
    'null',
    '1e3',
    'a: b',
    '#x',
    "it's",
    '日本',
    '- x',
    '1,2',
  ]) {
    assert.deepEqual(treeOf(setInYaml('a: {b: 1}\nc: 2\n', ['a', 'b'], value)), { a: { b: value }, c: 2 })
    assert.deepEqual(treeOf(setInYaml('a: 1\nc: 2\n', ['a'], value)), { a: value, c: 2 })
  }
  assert.equal(setInYaml('mode: manual\n', ['mode'], 'off'), 'mode: "off"\n')
})

test('every kind of value replaces every other', () => {
  const values = ['text', 'two\nlines', 5, true, null, [], {}, ['a', 'b'], { x: 1 }, { x: { y: [1] } }]
  for (const block of [true, false]) {
    for (const from of values) {
      const document = new Document({ first: 1, key: from, last: 'z' })
      const text = document.toString(block ? {} : { collectionStyle: 'flow' })
      for (const to of values) {
        assert.deepEqual(treeOf(setInYaml(text, ['key'], to)), { first: 1, key: to, last: 'z' })
      }
    }
  }
})

test('a removal takes its own lines', () => {
  assert.equal(removeFromYaml(sample, ['note']), sample.replace('note: |\n  two\n  lines\n', ''))
  assert.equal(removeFromYaml(sample, ['display', 'skin']), sample.replace('skin: mono, ', ''))
  assert.equal(removeFromYaml(sample, ['display', 'streaming']), sample.replace(', streaming: on', ''))
  assert.equal(removeFromYaml(sample, ['nothing', 'here']), sample)
})

test('a section whose last key is removed stays as an empty mapping, which upstream can read', () => {
  assert.equal(removeFromYaml('a: # note\n  b: 1\nc: 2\n', ['a', 'b']), 'a: {} # note\nc: 2\n')
})

test('where a key stands twice, the one that counts is changed', () => {
  assert.equal(setInYaml('a: 1\nb: 2\na: 3\n', ['a'], 4), 'a: 1\nb: 2\na: 4\n')
})

test('merge keys and anchors elsewhere stay, and a change that would reach further is refused', () => {
  const text = 'base: &base {x: 1}\nuse:\n  <<: *base\n  y: 2\nalias: *base\n'
  assert.equal(setInYaml(text, ['use', 'y'], 3), text.replace('y: 2', 'y: 3'))
  assert.equal(setInYaml(text, ['use', 'x'], 9), text.replace('y: 2\n', 'y: 2\n  x: 9\n'))
  assert.throws(
    () => setInYaml(text, ['base', 'x'], 5),
    (error: ConfigError) => error.code === 'edit-by-hand',
  )
})

test('broken YAML is refused with its line, and without its text', () => {
  const secret = 'sk-not-in-the-message'
  assert.throws(
    () => setInYaml(`a: 1\nb: "${secret}\nc: [\n`, ['a'], 2),
    (error: ConfigError) => error.code === 'syntax' && /line \d/.test(error.message) && !error.message.includes(secret),
  )
})

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'model', 'x y', 'on', '1', 'k:v', '键'),
  fc.string({ minLength: 1, maxLength: 5 }),
)
const scalar = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('off', '0x1', '~', '${X}', 'a\nb'),
)
const { tree } = fc.letrec<{ node: unknown; tree: Tree }>((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, scalar, fc.array(scalar, { maxLength: 3 }), tie('tree')),
  tree: fc.dictionary(key, tie('node'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<Tree>,
}))
const path = fc.array(key, { minLength: 1, maxLength: 3 })
const layout = fc.record({
  indent: fc.constantFrom(2, 4),
  collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
})

/** YAML text as a person may have it: comments between lines, empty lines. */
function write(value: Tree, { indent, collectionStyle }: { indent: number; collectionStyle: 'any' | 'flow' }): string {
  const document = new Document(value, { schema: 'yaml-1.1' })
  document.commentBefore = ' top of the file'
  document.comment = ' end of the file'
  return document.toString({ indent, collectionStyle, lineWidth: 0 })
}

test('for any file and any key, a set changes that key alone and keeps the comments', () => {
  fc.assert(
    fc.property(tree, path, fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), layout, (value, at, to, style) => {
      const text = write(value, style)
      const expected = treeOf(text)
      if (!isDeepStrictEqual(getAt(expected, at), to)) setAt(expected, at, to)
      const edited = refusable(() => setInYaml(text, at, to))
      if (edited === undefined) return
      assert.deepEqual(treeOf(edited), expected)
      assert.match(edited, /# top of the file/)
      assert.match(edited, /# end of the file/)
      assert.equal(setInYaml(edited, at, to), edited)
    }),
    { numRuns: 300 },
  )
})

test('for any file and any key, a removal undoes a set of a new key', () => {
  fc.assert(
    fc.property(tree, path, scalar, layout, (value, at, to, style) => {
      const text = write(value, style)
      if (getAt(treeOf(text), at) !== undefined) return
      const edited = refusable(() => setInYaml(text, at, to))
      if (edited === undefined) return
      assert.equal(getAt(treeOf(removeFromYaml(edited, at)), at), undefined)
    }),
    { numRuns: 200 },
  )
})

/** The edit, or undefined where it was refused: it may be refused, never be wrong. */
function refusable(edit: () => string): string | undefined {
  try {
    return edit()
  } catch (error) {
    if (error instanceof ConfigError && error.code === 'edit-by-hand') return undefined
    throw error
  }
}
