import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { nobody } from '@hermes/core/agent/decision.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import { isReviewRequest } from '@hermes/testing/long-conversation.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openConversation } from './conversation.ts'
import type { View } from './view.ts'

const silent: View = {
  decide: nobody,
  configure() {},
  print() {},
  showMessage() {},
  showAnswer() {},
  showToolCall() {},
  showEvent() {},
  showWaiting() {},
  setBusy() {},
  clear() {},
}

/** A chat with a real agent; a review of it keeps one note, unless it hangs. */
async function open(t: TestContext, reviews: 'answers' | 'hangs' = 'answers') {
  const all = await startScriptedAgent({
    config: 'memory: {flush_min_turns: 2}',
    script(request) {
      if (!isReviewRequest(request)) return { text: 'Done.' }
      if (reviews === 'hangs') return { fault: { type: 'stall' } }
      return { toolCalls: [{ name: 'memory', arguments: { action: 'add', target: 'user', content: 'Likes tea.' } }] }
    },
  })
  t.after(() => all[Symbol.asyncDispose]())
  const stop = new AbortController()
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const conversation = await openConversation(
    {
      cli: { environment: {}, cwd: all.work, ...streams, signal: stop.signal },
      home: all.home,
      version: '1.2.3',
      cwd: all.work,
      openAgent: async () => all.context,
      openSession: async () => ({ ref: { id: 'a', source: 'cli' }, isResumed: false }),
      runTurn,
      turn: {},
      yolo: false,
    },
    all.context,
    silent,
  )
  const say = async (...lines: readonly string[]) => {
    for (const line of lines) {
      conversation.submit(line)
      await conversation.idle()
    }
  }
  const memories = () => readFile(all.home.path('memories', 'USER.md'), 'utf8').catch(() => '')
  const reviewed = () => all.model.requests.filter(isReviewRequest).length
  return { conversation, say, memories, reviewed, stop, model: all.model }
}

test('a chat that is left is looked through for what should stay', async (t) => {
  const chat = await open(t)
  await chat.say('I like tea', 'Really')
  await chat.conversation.close()
  assert.equal(await chat.memories(), 'Likes tea.')
})

test('so is one that /new leaves, while the person goes on; a short one is not', async (t) => {
  const chat = await open(t)
  await chat.say('I like tea', 'Really', '/new', 'Something else')
  await chat.conversation.close()
  assert.equal(await chat.memories(), 'Likes tea.')
  assert.equal(chat.reviewed(), 1)
})

test('not where the program is told to end at once, or its signal came', async (t) => {
  const forced = await open(t)
  await forced.say('I like tea', 'Really')
  await forced.conversation.close(500)
  const killed = await open(t)
  await killed.say('I like tea', 'Really')
  killed.stop.abort(new DOMException('Stopped by SIGTERM.', 'AbortError'))
  await killed.conversation.close()
  assert.deepEqual([forced.reviewed(), killed.reviewed()], [0, 0])
})

test('Ctrl-C ends the waiting for it', async (t) => {
  const chat = await open(t, 'hangs')
  await chat.say('I like tea', 'Really')
  const closing = chat.conversation.close()
  while (chat.reviewed() === 0) await new Promise((next) => setImmediate(next))
  chat.stop.abort(new DOMException('Stopped by SIGINT.', 'AbortError'))
  assert.equal(await closing, 'a')
})
