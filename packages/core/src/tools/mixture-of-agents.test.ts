import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startScriptedModel } from '@hermes/testing'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import { aggregatorModel, referenceModels } from '../mixture/mixture-of-agents.ts'

const refused: ScriptedAnswer = { fault: { type: 'http', status: 400, message: 'no such thing, moa-key-1234567' } }

/** One turn that asks several models; `answer` is what each says, by its request. */
async function mixed(answer: (request: RecordedRequest, isAggregator: boolean) => ScriptedAnswer, prompt = 'Why?') {
  await using openrouter = await startScriptedModel((request) => {
    const [first] = request.body.messages ?? []
    return answer(request, first?.role === 'system')
  })
  let asked = false
  await using agent = await startScriptedAgent({
    config: 'tools: {search: never}',
    home: { '.env': `OPENROUTER_API_KEY=moa-key-1234567\nOPENROUTER_BASE_URL=${openrouter.url}\n` },
    script: () => {
      if (asked) return { text: 'Done.' }
      asked = true
      return { toolCalls: [{ name: 'mixture_of_agents', arguments: { user_prompt: prompt } }] }
    },
  })
  const events = await agent.turn('s', 'Ask them.', { toolsets: ['moa'] })
  const end = events.find((event) => event.type === 'tool-end')
  assert.ok(end, JSON.stringify(events))
  const progress = events.flatMap((event) => (event.type === 'tool-progress' ? [event.text] : []))
  const session = await agent.context.sessions.get('s')
  return { json: JSON.parse(end.content), status: end.status, progress, requests: openrouter.requests, session }
}

test('four models are asked side by side, and one makes an answer of theirs; tokens are counted', async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 }
  const { json, requests, progress, session } = await mixed(({ body }, isAggregator) => ({
    text: isAggregator ? 'The best of all.' : `Because ${String(body['model'])}`,
    usage,
  }))
  assert.deepEqual(json, {
    success: true,
    response: 'The best of all.',
    models_used: { reference_models: referenceModels, aggregator_model: aggregatorModel },
  })
  const asked = new Set(requests.slice(0, 4).map(({ body }) => body['model']))
  assert.deepEqual(asked, new Set(referenceModels))
  const last = requests[4]?.body
  assert.equal(last?.['model'], aggregatorModel)
  assert.ok(referenceModels.every((model) => JSON.stringify(last).includes(`Because ${model}`)))
  // They are asked at once, and come in any order.
  assert.match(JSON.stringify(requests.find(({ body }) => body['model'] === referenceModels[0])?.body), /xhigh/)
  assert.deepEqual(progress.at(-1), 'Making one answer of theirs')
  assert.ok((session?.usage.inputTokens ?? 0) >= 5000, JSON.stringify(session))
})

test('one answer is enough; what failed is told without the key', async () => {
  const { json } = await mixed(({ body }, isAggregator) =>
    isAggregator || body['model'] === referenceModels[3] ? { text: 'Fine.' } : refused,
  )
  assert.deepEqual([json.success, json.models_used.reference_models], [true, [referenceModels[3]]])
  assert.match(json.note, /claude-opus/)
  assert.doesNotMatch(JSON.stringify(json), /moa-key-1234567/)
})

test('where no model answers, or none joins the answers, that is the result', async () => {
  const none = await mixed(() => refused)
  assert.deepEqual([none.json.success, none.status, none.requests.length], [false, 'error', 4])
  assert.match(none.json.error, /No model answered/)
  const unjoined = await mixed((_, isAggregator) => (isAggregator ? refused : { text: 'Fine.' }))
  assert.deepEqual([unjoined.json.success, unjoined.requests.length], [false, 5])
  const empty = await mixed(() => ({ text: 'unasked' }), ' ')
  assert.deepEqual([empty.json.success, empty.requests.length], [false, 0])
})

test('a failure that passes is tried again', async () => {
  let failures = 0
  const { json, requests } = await mixed(({ body }, isAggregator) => {
    if (isAggregator || body['model'] !== referenceModels[0] || failures > 0) return { text: 'Fine.' }
    failures++
    return { fault: { type: 'http', status: 503, message: 'busy', headers: { 'retry-after': '1' } } }
  })
  assert.deepEqual([json.success, requests.length], [true, 6])
})
