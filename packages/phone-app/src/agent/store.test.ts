import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from './store.ts'

const message = (id: string, isDraft?: boolean) =>
  ({ type: 'message', id, from: 'agent', text: id, ...(isDraft && { isDraft }) }) as const

test('drafts end, all but the one that still grows, and nothing is told where there are none', () => {
  const store = createStore([message('old'), message('between tools', true), message('answer', true)])
  const drafts = () => store.state.items.flatMap((item) => (item.type === 'message' && item.isDraft ? [item.id] : []))
  let changes = 0
  store.onChange(() => changes++)
  store.endDrafts('answer')
  assert.deepEqual(drafts(), ['answer'])
  store.endDrafts()
  assert.deepEqual(drafts(), [])
  store.endDrafts()
  assert.equal(changes, 2)
})

test('an answer stands behind what was done for it', () => {
  const store = createStore([message('question'), message('answer', true), message('tool')])
  store.putLast({ ...message('answer'), text: 'the answer' })
  store.putLast(message('another'))
  assert.deepEqual(
    store.state.items.map((item) => item.type === 'message' && item.text),
    ['question', 'tool', 'the answer', 'another'],
  )
})
