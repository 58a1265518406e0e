import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mcpStandIn } from '@hermes/testing/mcp-server/stand-in.ts'
import { scriptedCalls } from '@hermes/testing/mcp-server/scripted-calls.ts'
import { nobody, unanswered } from '../../agent/decision.ts'
import type { Decide } from '../../agent/decision.ts'

const model = (more: object = {}) => ({
  name: 'mcp_odd_ask_model',
  args: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10_000, ...more },
})

const form = {
  name: 'mcp_odd_ask_person',
  args: {
    message: 'Who are you?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        age: { type: 'integer', minimum: 0 },
        password: { type: 'string' },
        colour: { type: 'string', enum: ['red', 'blue'], default: 'blue' },
      },
      required: ['name', 'age', 'password'],
    },
  },
}

test('a form is asked field by field; what does not fit is asked again, and a password is not shown', async () => {
  await using chat = await scriptedCalls({ servers: { odd: mcpStandIn() } })
  const answers: Record<string, string[]> = { name: ['Ann'], age: ['old', '42'], colour: [''] }
  const decide: Decide = async (request) => {
    if (request.kind === 'secret') return { kind: 'secret', value: 'made-up-word', outcome: 'answered' }
    if (request.kind !== 'clarify') return unanswered(request, 'unavailable')
    const field = Object.keys(answers).find((key) => request.question.includes(`${key} [`)) ?? ''
    return { kind: 'clarify', answer: answers[field]?.shift(), outcome: 'answered' }
  }
  const [result] = await chat.turn([form], { decide })
  assert.match(result ?? '', /accept.*Ann.*42.*blue/)
  assert.match(result ?? '', /"age\\*":42/)
})

test('where nobody can be asked the answer is no, and a page without encryption is never shown', async () => {
  await using chat = await scriptedCalls({ servers: { odd: mcpStandIn() } })
  const [asked] = await chat.turn([form], { decide: nobody })
  assert.match(asked ?? '', /decline/)
  const shown: string[] = []
  const decide: Decide = async (request) => {
    if (request.kind === 'clarify') shown.push(request.question)
    return request.kind === 'clarify'
      ? { kind: 'clarify', answer: 'I have opened it', outcome: 'answered' }
      : unanswered(request, 'unavailable')
  }
  const page = (url: string) => ({
    name: 'mcp_odd_ask_person',
    args: { mode: 'url', message: 'Agree', url, elicitationId: 'e1' },
  })
  const [open, plain] = await chat.turn([page('https://example.com/agree?x=1'), page('http://example.com/')], {
    decide,
  })
  assert.match(open ?? '', /accept/)
  assert.match(plain ?? '', /decline/)
  assert.equal(shown.length, 1)
  assert.match(shown[0] ?? '', /at example\.com: Agree\nhttps:\/\/example\.com\/agree\?x=1/)
})

test('a server may have so much of a model and no more', async () => {
  const sampling = { max_rpm: 2, max_tokens_cap: 77 }
  await using chat = await scriptedCalls({ servers: { odd: { ...mcpStandIn(), sampling } } })
  const [one, two, three] = await chat.turn([model(), model(), model()])
  for (const result of [one, two]) assert.match(result ?? '', /Side\..*endTurn|endTurn.*Side\./)
  assert.match(three ?? '', /more than 2 requests for a model within a minute/)
  const side = chat.model.requests.find(({ body }) => JSON.stringify(body.messages).includes('"Hi"'))
  assert.ok(JSON.stringify(side?.body).includes('77'), 'the answer is capped')
})

test('a server whose sampling is off cannot ask a model', async () => {
  await using chat = await scriptedCalls({ servers: { odd: { ...mcpStandIn(), sampling: { enabled: false } } } })
  const [result] = await chat.turn([model()])
  assert.match(result ?? '', /error/)
  assert.doesNotMatch(result ?? '', /Side\./)
})
