import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContextMeter } from '../context-meter.ts'
import { extractSummary } from './extract.ts'
import type { ExtractOptions } from './extract.ts'
import { result, said, user } from './test-request.ts'

const meter = new ContextMeter()
const options: ExtractOptions = { previous: undefined, messages: [], maxTokens: 2_000, focus: undefined, meter }
const extract = (changes: Partial<ExtractOptions>) => extractSummary({ ...options, ...changes })

test('an extract tells who said what and what was done, in order', () => {
  const messages = [
    user('Deploy the heron service.\nNever touch the pelican service!'),
    said('I will look first.', 'a'),
    result('a', 'config:\n  port: 8443'),
  ]
  assert.equal(
    extract({ messages }),
    `## What the user said
- Deploy the heron service.
- Never touch the pelican service!

## What was answered
- I will look first.

## What was done
- read_file {"path":"a.txt"} → config: port: 8443

(Picked out of the conversation word for word, without a model.)`,
  )
})

test('where room is short, what says little goes first, and how much is told', () => {
  const facts = Array.from({ length: 12 }, (_, n) => `The key of locker ${n} is called L${n}-${n * 91 + 7}.`)
  const chatter = Array.from({ length: 300 }, (_, n) =>
    n % 2 === 0 ? 'ok, go on please' : `go on with number ${n % 9}`,
  )
  const messages = [...facts.slice(0, 6), ...chatter, ...facts.slice(6)].map(user)
  const text = extract({ messages, maxTokens: 420 })
  assert.ok(meter.text(text) <= 420, `${meter.text(text)} tokens`)
  for (const fact of facts) assert.ok(text.includes(fact), fact)
  const tight = extract({ messages: [...messages, ...facts.map((each) => user(`${each} So it is.`))], maxTokens: 300 })
  assert.match(tight, /\d+ lines that say less are left out/)
})

test('an earlier summary is kept under its own headings and grows by what is new', () => {
  const previous = '## Goal\nShip the heron.\n\n## Key Decisions\n- SQLite, since it is there.'
  const once = extract({ previous, messages: [user('Use port 8443.')] })
  assert.ok(once.startsWith(previous))
  assert.match(once, /## What the user said\n- Use port 8443\./)
  const twice = extract({ previous: once, messages: [user('Use host kite.')] })
  assert.match(twice, /## What the user said\n- Use port 8443\.\n- Use host kite\./)
  assert.equal(twice.match(/Picked out of/g)?.length, 1)
})

test('what is about the topic goes before the rest', () => {
  const messages = Array.from({ length: 60 }, (_, n) =>
    user(n % 6 === 0 ? `The heron number ${n} is grey.` : `The gull named G${n}-${n * 7} is at /gulls/${n}.`),
  )
  const text = extract({ messages, maxTokens: 260, focus: 'the heron' })
  assert.equal(text.match(/heron number/g)?.length, 10)
})

test('the same conversation always gives the same extract', () => {
  const messages = Array.from({ length: 40 }, (_, n) => user(`Line ${n % 7} with ${n} in it.`))
  assert.equal(extract({ messages, maxTokens: 200 }), extract({ messages, maxTokens: 200 }))
})
