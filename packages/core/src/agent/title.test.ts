import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script, ScriptedAnswer } from '@hermes/testing'
import { nobody } from './decision.ts'
import type { TurnRequest } from './turn.ts'
import { cleanAnswer, derivedTitle } from './title.ts'

const lasting: Partial<TurnRequest> = { face: { name: 'cli', decide: nobody, isLasting: true } }

/** Answers messages with `Done.`, and requests for a title as `title` says. */
function naming(title: (asked: string) => ScriptedAnswer | Promise<ScriptedAnswer>): Script {
  return ({ body }) => {
    const [first] = body.messages ?? []
    return first?.role === 'system' ? { text: 'Done.' } : title(String(first?.content))
  }
}

/** Waits until the session has a title. */
async function titleOf(all: Awaited<ReturnType<typeof startScriptedAgent>>, id: string): Promise<string> {
  for (;;) {
    const title = (await all.context.sessions.get(id))?.title
    if (title !== undefined) return title
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('after the first turn a session gets a title from the model, while nobody waits', async () => {
  const gate = Promise.withResolvers<void>()
  await using all = await startScriptedAgent({
    script: naming(async (asked) => {
      assert.match(asked, /User: Which plants like shade\?\n\nAssistant: Done\.$/)
      await gate.promise
      return { text: 'Title: "Plants for the Shade".' }
    }),
  })
  await all.turn('a', 'Which plants like shade?', lasting)
  assert.equal((await all.context.sessions.get('a'))?.title, undefined)
  gate.resolve()
  assert.equal(await titleOf(all, 'a'), 'Plants for the Shade')
  await all.turn('a', 'And sun?', lasting)
  assert.equal(all.model.requests.length, 3, 'a session that has a title is not asked about again')
})

test('a title that a person gives meanwhile stays', async () => {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  await using all = await startScriptedAgent({
    script: naming(async () => {
      asked.resolve()
      await gate.promise
      return { text: 'Too Late' }
    }),
  })
  await all.turn('a', 'hello', lasting)
  await asked.promise
  await all.context.sessions.rename('a', 'Mine')
  gate.resolve()
  await all.turn('a', 'again', lasting)
  assert.equal((await all.context.sessions.get('a'))?.title, 'Mine')
})

test('a failure is nobody’s concern, and the second turn tries again; the third does not', async () => {
  const answers = [{ fault: { type: 'http', status: 500 } } as const, { text: 'Second Try' }]
  await using all = await startScriptedAgent({ script: naming(() => answers.shift() ?? { text: 'Third' }) })
  const [first] = (await all.turn('a', 'one', lasting)).filter(({ type }) => type === 'notice')
  assert.equal(first, undefined)
  while (answers.length > 1) await new Promise((resolve) => setTimeout(resolve, 5))
  await all.reopen()
  await all.turn('a', 'two', lasting)
  assert.equal(await titleOf(all, 'a'), 'Second Try')
  await all.context.sessions.rename('a', '')
  await all.turn('a', 'three', lasting)
  await all.reopen()
  assert.equal((await all.context.sessions.get('a'))?.title, undefined)
})

test('closing does not wait for a title, and a process that ends with its turn asks for none', async () => {
  const asked = Promise.withResolvers<void>()
  await using all = await startScriptedAgent({
    script: naming(() => {
      asked.resolve()
      return { fault: { type: 'stall' } }
    }),
  })
  await all.turn('once', 'hello')
  assert.equal(all.model.requests.length, 1)
  await all.turn('a', 'hello', lasting)
  await asked.promise
  const begun = performance.now()
  await all.reopen()
  assert.ok(performance.now() - begun < 20_000)
  assert.equal((await all.context.sessions.get('a'))?.title, undefined)
})

test('without a language model the first message is the title', async () => {
  await using all = await startScriptedAgent({ work: { 'a.txt': 'x' } })
  await all.turn('a', 'run: echo hello @file:a.txt', { model: 'offline' })
  await all.turn('b', 'run: echo hello', { model: 'offline' })
  await all.reopen()
  assert.equal((await all.context.sessions.get('a'))?.title, 'run: echo hello')
  assert.equal((await all.context.sessions.get('b'))?.title, 'run: echo hello #2', 'another has it already')
  assert.equal(all.model.requests.length, 0)
})

test('answers of models come to titles', () => {
  for (const [answer, title] of [
    ['Title: Growing Tomatoes', 'Growing Tomatoes'],
    ['"Growing Tomatoes."', 'Growing Tomatoes'],
    ['## **Growing Tomatoes**', 'Growing Tomatoes'],
    ['<think>Tomatoes.</think>\n\nGrowing Tomatoes\nMore', 'Growing Tomatoes'],
    ['<think>never ends', ''],
    ['「番茄的种植」', '番茄的种植'],
    ['', ''],
    ['x'.repeat(90), `${'x'.repeat(77)}...`],
  ] as const) {
    assert.equal(cleanAnswer(answer), title)
  }
})

test('messages come to titles', () => {
  assert.equal(derivedTitle('  run:  echo\nmore'), 'run: echo')
  assert.equal(derivedTitle(''), '')
  const long = derivedTitle('Please tell me everything that there is to know about the plants that like shade')
  assert.equal(long, 'Please tell me everything that there is to know about the…')
  assert.equal(derivedTitle('🚀'.repeat(50)).isWellFormed(), true)
})
