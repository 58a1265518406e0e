import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedModel } from '@hermes/testing'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import {
  isSummaryRequest,
  longConversation,
  realTokens,
  textOf,
  textOfMessage,
} from '@hermes/testing/long-conversation.ts'
import type { LongConversation } from '@hermes/testing/long-conversation.ts'
import { runTurn } from '../../agent/run-turn.ts'
import { nobody } from '../../agent/decision.ts'
import { estimateTextTokens } from '../token-estimate.ts'

const fact = (n: number) => `Fact ${n}: the code of vault ${n} is K${n}-${n * 37 + 1001}.`

/** The facts that a text tells. */
function factsIn(text: string): string[] {
  return [...new Set(text.match(/Fact \d+: the code of vault \d+ is K\d+-\d+\./g))]
}

/** A summariser that keeps what is to be kept: the facts in what it is given. */
function summarise(request: RecordedRequest): ScriptedAnswer {
  return { text: `## Goal\nWork through the steps.\n\n## Critical Context\n${factsIn(textOf(request)).join('\n')}` }
}

/** What no summary would be sent at all for: the steps of a long task, whose answers take room. */
const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(60)

const longAnswer: ScriptedAnswer = { text: [longText] }

function assertAllFit({ model }: LongConversation, window: number): void {
  for (const request of model.requests) {
    assert.equal(request.problem, undefined)
    assert.ok(realTokens(request) <= window, `a request of ${realTokens(request)} tokens`)
  }
}

function lastRequest({ model }: LongConversation): RecordedRequest {
  const request = model.requests.findLast((each) => !isSummaryRequest(each))
  assert.ok(request)
  return request
}

test('400 turns with 2 MB of tool output go through a window of 32K, and what was said first is known at the end', async () => {
  let sent = 0
  let [sentInFull, stored] = [0, 0]
  await using all = await longConversation((request) => {
    sent += realTokens(request)
    if (isSummaryRequest(request)) return summarise(request)
    const messages = request.body.messages ?? []
    const last = messages.at(-1)
    const before = messages.at(-2)
    // Without compaction, the system prompt and everything since the beginning would be sent.
    if (stored === 0) stored = realTokens(request)
    else for (const message of [before, last]) stored += message ? estimateTextTokens(textOfMessage(message)) : 0
    sentInFull += stored
    if (last?.role === 'tool') return { text: 'Read.' }
    if (String(last?.content).endsWith('codes?')) return { text: factsIn(textOf(request)).join('\n') }
    return { toolCalls: [{ name: 'dump', arguments: { chars: 5_300 } }] }
  })
  for (let n = 0; n < 400; n++) {
    const end = await all.turn(n < 20 ? fact(n) : `Go on with step ${n}.`)
    assert.equal(end.status, 'completed', JSON.stringify(end.failure))
  }
  const end = await all.turn('What are the codes?')
  assert.equal(factsIn(end.text).length, 20)
  const compactions = all.ofType('compaction')
  assert.ok(compactions.filter(({ method }) => method === 'summary').length >= 5)
  assertAllFit(all, 32_000)
  assert.ok(sent <= 0.4 * sentInFull, `${sent} of ${sentInFull} tokens were sent`)
  for (const { tokensBefore, tokensAfter } of compactions) assert.ok(tokensAfter <= 0.7 * tokensBefore)
})

const failures: Readonly<Record<string, ScriptedAnswer>> = {
  'HTTP 500': { fault: { type: 'http', status: 500 } },
  'HTTP 529': { fault: { type: 'http', status: 529 } },
  'a dropped stream': { text: ['## Goal\n', 'half'], fault: { type: 'drop', afterChunks: 1 } },
  nothing: { text: '' },
  'a refusal': { text: 'I am sorry, but I cannot help with that.' },
  'too much': { text: [`## Goal\n${longText.repeat(8)}`] },
  'no end': { text: '## Goal\nIt goes on', finishReason: 'length' },
  silence: { fault: { type: 'stall' } },
}
for (const [what, failure] of Object.entries(failures)) {
  test(`where the summariser answers with ${what}, an extract keeps the facts`, async () => {
    await using all = await longConversation((request) => (isSummaryRequest(request) ? failure : longAnswer), {
      config: 'auxiliary: {compression: {timeout: 1}}',
    })
    for (let n = 0; n < 48; n++) await all.turn(n < 20 ? fact(n) : `Go on with step ${n}.`)
    const methods = all.ofType('compaction').map(({ method }) => method)
    assert.ok(methods.length >= 3, methods.join())
    assert.ok(methods.every((method) => method === 'extract'))
    assert.equal(factsIn(textOf(lastRequest(all))).length, 20)
    assert.ok(all.ofType('notice').some(({ code }) => code === 'compaction-extract'))
    assertAllFit(all, 32_000)
  })
}

test('a compaction in the middle of a turn keeps the instruction as it was, and the turn goes on', async () => {
  const instruction = 'Read all 40 logs.\n  Keep  this   spacing – und »alles« auch: 数据. Do not stop before the end!'
  let calls = 40
  await using all = await longConversation((request) => {
    if (isSummaryRequest(request)) return summarise(request)
    return calls++ < 40 ? { toolCalls: [{ name: 'dump', arguments: { chars: 6_000 } }] } : { text: 'All read.' }
  })
  await all.turn('Hello.')
  calls = 0
  const end = await all.turn(instruction)
  assert.equal(end.status, 'completed')
  assert.equal(end.text, 'All read.')
  assert.ok(all.ofType('compaction').length >= 3)
  for (const request of all.model.requests.slice(1).filter((each) => !isSummaryRequest(each))) {
    assert.equal(textOf(request).split(instruction).length, 2, 'the instruction is there, once')
  }
  assertAllFit(all, 32_000)
  assert.deepEqual(
    all.events.map(({ seq }) => seq),
    all.events.map((_, index) => index + 1),
    'events are numbered on without a gap',
  )
})

test('the old session stays whole, and its child goes on with title, tasks, fresh memory and scope', async () => {
  await using all = await longConversation((request) => (isSummaryRequest(request) ? summarise(request) : longAnswer))
  const { sessions, scopes, memory } = all.context
  const first = all.sessionId
  await all.turn('The heron story begins.')
  await sessions.rename(first, 'heron')
  await memory.add('memory', 'The user keeps herons.')
  const scope = scopes.get(first)
  scope.todos = [
    { id: '1', content: 'feed them', status: 'in_progress' },
    { id: '2', content: 'count them', status: 'completed' },
  ]
  while (all.ofType('compaction').length < 1) await all.turn('Go on.')
  const [compaction] = all.ofType('compaction')
  assert.deepEqual([compaction?.fromSessionId, compaction?.title, compaction?.reason], [first, 'heron #2', 'threshold'])
  const old = await sessions.get(first)
  assert.equal(old?.endReason, 'compression')
  const told = (await sessions.messages(first)).map(({ message }) => message.content)
  assert.equal(told[0], 'The heron story begins.')
  assert.equal(told.at(-1), 'Go on.')
  assert.ok((await sessions.search('"heron story"')).some(({ sessionId }) => sessionId === first))
  const child = await sessions.get(all.sessionId)
  assert.deepEqual([child?.parentId, child?.title], [first, 'heron #2'])
  assert.equal((await sessions.latest('cli'))?.id, all.sessionId)
  assert.equal((await sessions.carriedOnBy(first))?.id, all.sessionId)
  assert.doesNotMatch(old?.systemPrompt ?? '', /keeps herons/)
  assert.match(child?.systemPrompt ?? '', /keeps herons/)
  assert.equal(scopes.get(all.sessionId), scope)
  const sent = textOf(lastRequest(all))
  assert.match(sent, /feed them/)
  assert.doesNotMatch(sent, /count them/)
  assert.match(sent, new RegExp(`kept as session ${first}`))
})

test('who still names the session that was compacted is answered in the one that carries it on', async () => {
  await using all = await longConversation((request) => (isSummaryRequest(request) ? summarise(request) : longAnswer))
  const first = all.sessionId
  while (all.ofType('compaction').length < 2) await all.turn('Go on.')
  const stored = (await all.context.sessions.messages(first)).length
  await all.turn('And now?', { session: { id: first, source: 'cli' } })
  assert.equal(all.ofType('turn-start').at(-1)?.sessionId, all.sessionId)
  assert.equal((await all.context.sessions.messages(first)).length, stored)
  assert.equal((await all.context.sessions.messages(all.sessionId)).at(-2)?.message.content, 'And now?')
})

test('the model that is set up for it writes the summaries', async () => {
  await using side = await startScriptedModel((request) => summarise(request))
  await using all = await longConversation(() => longAnswer, {
    config: `auxiliary: {compression: {base_url: "${side.url}", model: small-model, api_key: made-up-key-2}}`,
  })
  while (all.ofType('compaction').length < 1) await all.turn(fact(1))
  assert.equal(all.ofType('compaction')[0]?.method, 'summary')
  assert.equal(all.model.requests.some(isSummaryRequest), false)
  assert.deepEqual([side.requests.length, side.requests[0]?.body.model], [1, 'small-model'])
})

test('a later summary is asked to bring the earlier one up to date', async () => {
  await using all = await longConversation((request) =>
    isSummaryRequest(request) ? { text: '## Goal\nHerons, all of them.' } : longAnswer,
  )
  while (all.ofType('compaction').length < 2) await all.turn('Go on.')
  const [first, second] = all.model.requests.filter(isSummaryRequest).map(textOf)
  assert.match(first ?? '', /Summarise the messages below/)
  assert.match(second ?? '', /up to date[^]*<summary_so_far>\s+## Goal\nHerons, all of them\.\s+<\/summary_so_far>/)
})

test('a window smaller than was known is learned from the refusal, and not passed again', async () => {
  await using all = await longConversation(
    (request) => {
      const tokens = realTokens(request)
      if (tokens > 12_000) {
        const message = `This model's maximum context length is 12000 tokens. However, your messages resulted in ${tokens} tokens.`
        return { fault: { type: 'http', status: 400, message, errorCode: 'context_length_exceeded' } }
      }
      return isSummaryRequest(request) ? summarise(request) : longAnswer
    },
    { window: 200_000 },
  )
  for (let n = 0; n < 30; n++) assert.equal((await all.turn(fact(n % 20))).status, 'completed')
  const refused = all.model.requests.filter((request) => realTokens(request) > 12_000)
  assert.equal(refused.length, 1)
  assert.deepEqual(
    all
      .ofType('compaction')
      .map(({ reason }) => reason)
      .slice(0, 2),
    ['overflow', 'threshold'],
  )
  assert.equal(factsIn(textOf(lastRequest(all))).length, 20)
})

test('a request that is too large, or too long for a window that nobody names, is made again with less', async () => {
  for (const [status, message] of [
    [413, 'Request Entity Too Large'],
    [400, 'Your input exceeds the context window of this model.'],
  ] as const) {
    await using all = await longConversation(
      (request) => {
        if (realTokens(request) > 20_000) return { fault: { type: 'http', status, message } }
        return isSummaryRequest(request) ? summarise(request) : longAnswer
      },
      { window: 200_000 },
    )
    for (let n = 0; n < 24; n++) assert.equal((await all.turn(fact(n % 20))).status, 'completed')
    assert.equal(all.ofType('compaction')[0]?.reason, 'overflow')
    assert.equal(factsIn(textOf(lastRequest(all))).length, 20)
  }
})

test('where only the answer was too long, a shorter one is asked for and nothing is compacted', async () => {
  await using all = await longConversation(
    ({ body }) => {
      if (Number(body['max_tokens']) <= 3_000) return { text: 'Short.' }
      const message =
        "This model's maximum context length is 32000 tokens. However, you requested 37000 tokens (29000 in the messages, 8000 in the completion)."
      return { fault: { type: 'http', status: 400, message } }
    },
    { window: 200_000, config: '' },
  )
  const context = {
    ...all.context,
    config: { ...all.context.config, model: { ...all.context.config.model, max_tokens: 8_000 } },
  }
  const request = {
    session: { id: 's', source: 'cli' },
    message: { text: 'Hi' },
    face: { name: 'cli', decide: nobody },
  }
  const events = await Array.fromAsync(runTurn(request, context, new AbortController().signal))
  const end = events.at(-1)
  assert.equal(end?.type === 'turn-end' && end.text, 'Short.')
  assert.deepEqual(
    all.model.requests.map(({ body }) => body['max_tokens']),
    [8_000, 2_936],
  )
  assert.equal(
    events.some(({ type }) => type === 'compaction'),
    false,
  )
})

test('a provider that refuses whatever it is sent ends the turn after a few tries', async () => {
  const message = "This model's maximum context length is 12000 tokens."
  await using all = await longConversation(
    (request, n) =>
      n < 6
        ? longAnswer
        : isSummaryRequest(request)
          ? summarise(request)
          : { fault: { type: 'http', status: 400, message } },
    { window: 200_000 },
  )
  for (let n = 0; n < 6; n++) await all.turn(fact(n))
  const end = await all.turn('And now?')
  assert.equal(end.failure?.code, 'context-overflow')
  assert.ok(all.model.requests.filter((request) => !isSummaryRequest(request)).length <= 6 + 4)
})

test('where nothing would be gained, compaction is switched off with a notice and the conversation goes on', async () => {
  await using all = await longConversation((request) =>
    isSummaryRequest(request) ? summarise(request) : { text: 'Yes.' },
  )
  const pasted = 'The user pasted a long text that is to be kept word for word. '.repeat(1_300)
  assert.equal((await all.turn(pasted)).status, 'completed')
  assert.equal((await all.turn('And?')).status, 'completed')
  assert.equal(all.ofType('compaction').length, 0)
  const told = all.ofType('notice').filter(({ code }) => code === 'compaction-disabled')
  assert.equal(told.length, 1)
  assert.ok(textOf(all.model.requests[0]!).includes(pasted.trim()))
})

test('with compression switched off nothing is compacted, and a refusal is final', async () => {
  await using all = await longConversation(
    (request) =>
      realTokens(request) > 20_000
        ? { fault: { type: 'http', status: 400, message: 'maximum context length is 20000 tokens' } }
        : longAnswer,
    { config: 'compression: {enabled: false}' },
  )
  let end = await all.turn('Begin.')
  for (let n = 0; n < 20 && end.status === 'completed'; n++) end = await all.turn('Go on.')
  assert.equal(end.failure?.code, 'context-overflow')
  assert.equal(
    all.events.some(({ type }) => type.startsWith('compaction')),
    false,
  )
  assert.equal(all.ofType('notice').length, 0)
})

test('people are told once when the threshold comes near', async () => {
  await using all = await longConversation((request) =>
    isSummaryRequest(request) ? summarise(request) : { text: [longText.slice(0, 1_500)] },
  )
  while (all.ofType('compaction').length < 2) await all.turn('Go on.')
  const told = all.ofType('notice').filter(({ code }) => code === 'context-pressure')
  assert.deepEqual(
    told.map(({ message }) => /\d+ %/.exec(message)?.[0]),
    ['85 %', '95 %'],
  )
})

test('a turn that is stopped while its history is summarised leaves the session as it was', async () => {
  await using all = await longConversation((request) =>
    isSummaryRequest(request) ? { fault: { type: 'stall' } } : longAnswer,
  )
  while (!isNearThreshold(all)) await all.turn('Go on.')
  const stop = new AbortController()
  const request = {
    session: { id: all.sessionId, source: 'cli' },
    message: { text: `One more. ${longText}` },
    face: { name: 'cli', decide: nobody },
  }
  const events = []
  for await (const event of runTurn(request, all.context, stop.signal)) {
    events.push(event)
    if (event.type === 'compaction-start') stop.abort()
  }
  const end = events.at(-1)
  assert.equal(end?.type === 'turn-end' && end.status, 'cancelled')
  assert.equal(
    events.some(({ type }) => type === 'compaction'),
    false,
  )
  assert.equal((await all.context.sessions.get(all.sessionId))?.endReason, undefined)
})

/** Whether one more long message is too much. */
function isNearThreshold(all: LongConversation): boolean {
  return (all.ofType('usage').at(-1)?.contextTokens ?? 0) > 14_000
}

test('the engine that is configured is used, and an unknown one is told and done without', async () => {
  const asked: number[] = []
  const change = <Context extends object>(context: Context) => ({
    ...context,
    contextEngines: {
      forgetful: async () => ({
        name: 'forgetful',
        async compact({ history, tokens }: { history: readonly never[]; tokens: number }) {
          asked.push(tokens)
          return { messages: history.slice(-1), method: 'pruned' as const, spent: [] }
        },
      }),
    },
  })
  const script = (request: RecordedRequest) => (isSummaryRequest(request) ? summarise(request) : longAnswer)
  await using own = await longConversation(script, { config: 'context: {engine: forgetful}', change })
  while (own.ofType('compaction').length < 1) await own.turn('Go on.')
  assert.equal(asked.length, 1)
  assert.deepEqual(
    lastRequest(own)
      .body.messages?.slice(1)
      .map(({ content }) => content),
    ['Go on.'],
  )

  await using unknown = await longConversation(script, { config: 'context: {engine: nowhere}' })
  while (unknown.ofType('compaction').length < 2) await unknown.turn('Go on.')
  const told = unknown.ofType('notice').filter(({ code }) => code === 'context-engine')
  assert.equal(told.length, 1)
  assert.match(told[0]?.message ?? '', /no context engine "nowhere"/)
})
