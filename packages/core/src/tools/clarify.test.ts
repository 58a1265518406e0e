import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decide, DecisionRequest } from '../agent/decision.ts'
import { unanswered } from '../agent/decision.ts'
import { clarify } from './clarify.ts'
import { testContext } from './test-context.ts'

test('the question goes to the person, and their answer to the model', async () => {
  const asked: DecisionRequest[] = []
  const decide: Decide = async (request) => {
    asked.push(request)
    return { kind: 'clarify', answer: ' the second ', outcome: 'answered' }
  }
  await using t = await testContext({ decide, secrets: ['very-secret-value'] })
  const choices = ['a', 'b', 'a', 3, '', 'd', 'e', 'f']
  const { json } = await t.run(clarify, { question: ' Use very-secret-value? ', choices })
  assert.deepEqual(asked, [
    { kind: 'clarify', id: 'call_test', question: 'Use «secret:A»?', choices: ['a', 'b', '3', 'd'] },
  ])
  assert.deepEqual([json.choices_offered, json.user_response], [['a', 'b', '3', 'd'], 'the second'])
})

test('where nobody answers, the model is told to go on by itself', async () => {
  for (const outcome of ['timeout', 'unavailable'] as const) {
    await using t = await testContext({ decide: async (request) => unanswered(request, outcome) })
    const { json, status } = await t.run(clarify, { question: 'Which?' })
    assert.equal(status, 'error')
    assert.match(
      json.error,
      outcome === 'timeout' ? /did not answer in time.*best judgement/ : /Nobody is there.*best judgement/,
    )
  }
})

test('an empty question is not asked', async () => {
  await using t = await testContext({ decide: () => assert.fail('asked') })
  assert.equal((await t.run(clarify, { question: '  ' })).status, 'error')
})
