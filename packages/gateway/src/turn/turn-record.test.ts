import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import { createTurnRecord } from './turn-record.ts'

const record = (...events: readonly object[]) => {
  const made = createTurnRecord(openHome({ HERMES_HOME: '/nowhere' }))
  for (const [seq, event] of events.entries()) made.note({ seq, ...event } as unknown as NumberedEvent)
  return made
}
const thinks = (text: string) => ({ type: 'reasoning-delta', text })
const ends = { type: 'answer-end', text: '', toolCalls: 1 }

test('what the model thought is shown answer by answer, without what a new try made void', () => {
  const lost = [thinks('Never '), { type: 'answer-reset' }]
  const made = record(thinks('Look '), thinks('first.'), ends, ...lost, thinks('Then read.'), ends, ends, thinks('So.'))
  assert.equal(made.reasoning(), '💭 Reasoning:\n```\nLook first.\n\nThen read.\n\nSo.\n```')
  assert.equal(record(ends, thinks(' \n'), ends).reasoning(), undefined)
})

test('of long thoughts the first lines are shown, and how many more there are', () => {
  const made = record(thinks(Array.from({ length: 20 }, (_, n) => `line ${n}`).join('\n')), ends)
  assert.match(made.reasoning() ?? '', /line 14\n\(5 more lines\)\n```$/)
})
