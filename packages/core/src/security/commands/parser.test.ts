import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { bodiesOf, scriptsIn, wordsOf } from './nested-scripts.ts'
import { parseCommandLine } from './parser.ts'
import type { Script, Word } from './syntax.ts'

/** Every simple command of a script, also of those inside it, as `name arg …`; `?` for what is no plain text. */
function commandsIn(script: Script): string[] {
  return script.pipelines.flatMap(({ commands }) =>
    commands.flatMap((command) => [
      ...(command.type === 'simple' && command.words.length > 0 ? [command.words.map(textOf).join(' ')] : []),
      ...wordsOf(command)
        .flatMap(scriptsIn)
        .flatMap(({ script: inner }) => commandsIn(inner)),
      ...bodiesOf(command).flatMap(commandsIn),
    ]),
  )
}

function textOf({ parts }: Word): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '?')).join('')
}

const cases: Readonly<Record<string, readonly string[]>> = {
  '': [],
  '# nothing': [],
  'a b  c': ['a b c'],
  "a 'b  c' \"d 'e'\" f\\ g": ["a b  c d 'e' f g"],
  'a;b\nc&d&&e||f|g|&h': ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
  'a #b;c\nd#e': ['a', 'd#e'],
  'a \\\n b\\\nc': ['a bc'],
  'X=1 Y=(a b) c d=e': ['c d=e'],
  'a>b 2>&1 <c >>d e': ['a e'],
  'a &>b; c >&2': ['a', 'c'],
  'a $(b $(c)) `d` "$(e)"': ['a ? ? ?', 'b ?', 'c', 'd', 'e'],
  'a ${x:-$(b)} $((1 + $(c)))': ['a ? ?', 'b', 'c'],
  'a <(b) >(c)': ['a ? ?', 'b', 'c'],
  '(a; b) && { c; d; }': ['a', 'b', 'c', 'd'],
  'if a; then b; elif c; then d; else e; fi >f': ['a', 'b', 'c', 'd', 'e'],
  'while a; do b; done; until c; do d; done': ['a', 'b', 'c', 'd'],
  'for x in a $(b); do c; done; for ((i=0; i<$(d); i++)); do e; done': ['b', 'c', 'd', 'e'],
  'case a in b|c) d;; (e) f;& *) g; esac': ['d', 'f', 'g'],
  'f() { a; }; function g { b; }; function h() (c)': ['a', 'b', 'c'],
  '[[ a < b && -n $(c) || $d =~ ^(x|y)$ ]] && e': ['c', 'e'],
  '(( a = $(b), c > 1 )) && d': ['b', 'd'],
  '((a); (b))': ['a', 'b'],
  '! a | b; time -p c; coproc d': ['a', 'b', 'c', 'd'],
  'a <<E <<-F; b\n$(c) `d`\nE\n\t$(e)\n\tF\ng': ['a', 'c', 'd', 'e', 'b', 'g'],
  "a <<'E'\n$(b)\nE\nc": ['a', 'c'],
  'a <<"E"x\n$(b)\nEx\nc': ['a', 'c'],
  'a <<< "$(b)"': ['a', 'b'],
  'a $(cat <<E\n$(b) )\nE\n) c': ['a ? c', 'cat', 'b'],
  "a $'b\\x41\\'c' $\"d\"": ["a bA'c d"],
  'a @(b|c) *.txt ?[d]': ['a @(b|c) *.txt ?[d]'],
  'a "${b:-it\'s}" ${c//\\//_} ${d[@]:1:2} ${!e} ${#f}': ['a ? ? ? ? ?'],
  'declare -a x=(a $(b)) y=1; export Z="$(c)"': ['declare -a', 'b', 'export', 'c'],
  'select x in a; do b; done': ['b'],
}

for (const [text, commands] of Object.entries(cases)) {
  test(`parses ${JSON.stringify(text)}`, () => {
    assert.deepEqual(commandsIn(parseCommandLine(text)), commands)
  })
}

test('what is no command line is an error', () => {
  const broken = [
    "'",
    '"',
    '`',
    '$(',
    '${',
    'a)',
    '(',
    'if a',
    'if a; then',
    'for',
    'case a in',
    '{ a',
    'a &&',
    'a |',
    '[[ a',
    'f() a',
    ';',
    '&',
    'a ;; b',
    'done',
    '$((1',
    'a >',
    'x=(',
  ]
  for (const text of broken) assert.throws(() => parseCommandLine(text), { name: 'CommandSyntaxError' }, text)
})

test('parsing takes a bounded time, however it is nested', () => {
  const deep = [
    '$(('.repeat(5000),
    '(('.repeat(20_000),
    '`'.repeat(20_001),
    '"$('.repeat(5000),
    '${a:-'.repeat(5000),
    '{ '.repeat(20_000),
  ]
  const begun = processorMs()
  for (const text of deep) assert.throws(() => parseCommandLine(text), { name: 'CommandSyntaxError' })
  assert.ok(processorMs() - begun < 5000)
})
