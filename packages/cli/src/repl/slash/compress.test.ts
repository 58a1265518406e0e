import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { nobody } from '@hermes/core/agent/decision.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import { openHome } from '@hermes/core/config/home.ts'
import type { Script } from '@hermes/testing'
import { isSummaryRequest, textOf } from '@hermes/testing/long-conversation.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { compactionLine } from '../../compaction-line.ts'
import { openConversation } from '../conversation.ts'
import type { View } from '../view.ts'

/** A chat with a real agent whose model is scripted. */
async function open(script: Script, config = '') {
  const all = await startScriptedAgent({ script, config })
  const shown: string[] = []
  const view: View = {
    decide: nobody,
    configure() {},
    print: (text) => shown.push(text),
    showMessage() {},
    showAnswer() {},
    showToolCall() {},
    showEvent(event) {
      if (event.type === 'compaction-start' || event.type === 'compaction') shown.push(compactionLine(event))
    },
    showWaiting() {},
    setBusy() {},
    clear() {},
  }
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const conversation = await openConversation(
    {
      cli: { environment: {}, cwd: all.work, ...streams, signal: new AbortController().signal },
      home: openHome(all.home.environment),
      version: '1',
      cwd: all.work,
      openAgent: async () => all.context,
      openSession: async () => ({ ref: { id: 'session-1', source: 'cli' }, isResumed: false }),
      runTurn,
      turn: {},
      yolo: false,
    },
    all.context,
    view,
  )
  return {
    all,
    conversation,
    async enter(...lines: readonly string[]): Promise<string> {
      for (const line of lines) {
        shown.length = 0
        conversation.submit(line)
        await conversation.idle()
      }
      return shown.join('\n')
    },
    async [Symbol.asyncDispose]() {
      await conversation.close(1_000)
      await all[Symbol.asyncDispose]()
    },
  }
}

const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(60)

const script: Script = (request) =>
  isSummaryRequest(request) ? { text: '## Goal\nFeed the heron.' } : { text: [longText] }

test('/compress summarises what came before, tells what it saved, and the chat goes on with it', async () => {
  await using chat = await open(script)
  for (let n = 0; n < 10; n++) await chat.enter(`Step ${n}.`)
  const told = await chat.enter('/compress the colour of the heron')
  assert.match(
    told,
    /^Compacting the conversation \(about [\d.]+k tokens\) …\nCompacted \(earlier part summarised\): 20 → \d+ messages, about [\d.]+k → [\d.]+k tokens\. The whole is kept as session session-1\.$/,
  )
  assert.notEqual(chat.conversation.session.id, 'session-1')
  assert.match(textOf(chat.all.model.requests.at(-1)!), /the colour of the heron/)
  await chat.enter('And now?')
  const sent = textOf(chat.all.model.requests.at(-1)!)
  assert.match(sent, /## Goal\nFeed the heron\./)
  assert.doesNotMatch(sent, /Step 4\./)
  assert.match(sent, /Step 9\./)
})

test('/compress leaves a short conversation as it is, and says why', async () => {
  await using chat = await open(() => ({ text: 'Yes.' }))
  assert.match(await chat.enter('Hi', '/compress'), /fewer than 4 messages/)
  await chat.enter('Hi again')
  assert.match(await chat.enter('/compress'), /Nothing was changed \(4 messages, about [\d.]+k? tokens\)/)
  assert.equal(chat.conversation.session.id, 'session-1')
  await using off = await open(() => ({ text: 'Yes.' }), 'compression: {enabled: false}')
  assert.match(await off.enter('Hi', 'Hi again', '/compress'), /switched off/)
})

test('/compress can be stopped, and changes nothing then', async () => {
  await using chat = await open((request, n) =>
    isSummaryRequest(request) ? { fault: { type: 'stall' } } : script(request, n),
  )
  for (let n = 0; n < 10; n++) await chat.enter(`Step ${n}.`)
  const before = chat.all.model.requests.length
  const told = chat.enter('/compress')
  await chat.all.model.arrived(before + 1)
  assert.equal(chat.conversation.interrupt(), true)
  assert.match(await told, /Interrupted; nothing was changed\.$/)
  assert.equal(chat.conversation.session.id, 'session-1')
  assert.match(await chat.enter('/status'), /session-1.*20 messages/)
})
