import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testContext } from './test-context.ts'
import { todo } from './todo.ts'

test('a list is set, read, and changed by id', async () => {
  await using t = await testContext()
  assert.deepEqual((await t.run(todo, {})).json, {
    todos: [],
    summary: { total: 0, pending: 0, in_progress: 0, completed: 0, cancelled: 0 },
  })
  await t.run(todo, {
    todos: [
      { id: '1', content: 'plan', status: 'in_progress' },
      { id: '2', content: 'build', status: 'pending' },
    ],
  })
  const changes = [
    { id: '1', status: 'completed' },
    { id: '3', content: 'test', status: 'pending' },
    { id: '3', content: 'test well' },
  ]
  const { json } = await t.run(todo, { todos: changes, merge: true })
  assert.deepEqual(json.todos, [
    { id: '1', content: 'plan', status: 'completed' },
    { id: '2', content: 'build', status: 'pending' },
    { id: '3', content: 'test well', status: 'pending' },
  ])
  assert.deepEqual(json.summary, { total: 3, pending: 2, in_progress: 0, completed: 1, cancelled: 0 })
  assert.deepEqual((await t.run(todo, {})).json, json)
  assert.equal((await t.run(todo, { todos: [{ id: '9', content: 'x', status: 'pending' }] })).json.todos.length, 1)
})

test('what a model writes not quite right is understood', async () => {
  await using t = await testContext()
  const todos = [{ id: 7, content: 'a', status: 'doing' }, { id: '', content: '' }, 'just text']
  assert.deepEqual((await t.run(todo, { todos })).json.todos, [
    { id: '7', content: 'a', status: 'pending' },
    { id: '?', content: '(no description)', status: 'pending' },
    { id: 'just text', content: 'just text', status: 'pending' },
  ])
})

test('the list has limits', async () => {
  await using t = await testContext()
  const many = Array.from({ length: 201 }, (_, index) => ({
    id: String(index),
    content: 'x'.repeat(5_000),
    status: 'pending',
  }))
  assert.equal((await t.run(todo, { todos: many })).status, 'error')
  assert.equal(t.context.session.todos.length, 0)
  const { json } = await t.run(todo, { todos: many.slice(0, 200) })
  assert.deepEqual([json.todos.length, json.todos[0].content.length], [200, 2_000])
})
