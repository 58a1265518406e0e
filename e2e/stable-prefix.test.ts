import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import { isReviewRequest } from '@hermes/testing/long-conversation.ts'
import { openPty } from '@hermes/testing/pty/pty.ts'
import { hermesFile, runHermes, scriptedConfig } from './run-hermes.ts'

const turns = 50
const limit = { timeout: 600_000 }

/** Each message is answered with a call and then a text, so that results and answers are part of what goes on. */
function answer({ body }: RecordedRequest): ScriptedAnswer {
  const last = body.messages?.at(-1)
  if (last?.role === 'tool') return { text: `Answer to ${body.messages?.length}.` }
  return { text: 'A moment.', toolCalls: [{ name: 'todo', arguments: {} }] }
}

/** The requests of the conversation: titles are asked for, and notes kept, in requests of their own. */
function conversation(requests: readonly RecordedRequest[]): readonly RecordedRequest[] {
  return requests.filter((request) => (request.body.tools ?? []).length > 0 && !isReviewRequest(request))
}

function assertEachGoesOn(requests: readonly RecordedRequest[]): void {
  assert.equal(requests.length, 2 * turns)
  for (const [at, { body, problem }] of requests.entries()) {
    assert.equal(problem, undefined)
    const before = requests[at - 1]?.body
    if (!before) continue
    const length = before.messages?.length ?? 0
    assert.equal(JSON.stringify(body.tools), JSON.stringify(before.tools))
    assert.ok((body.messages?.length ?? 0) > length)
    assert.equal(JSON.stringify(body.messages?.slice(0, length)), JSON.stringify(before.messages), `request ${at}`)
  }
}

test(
  `over ${turns} runs that each go on with the last one, every request begins with the whole one before it`,
  limit,
  async () => {
    await using model = await startScriptedModel(answer)
    await using home = await temporaryHome(scriptedConfig(model.url))
    for (let turn = 0; turn < turns; turn++) {
      const goOn = turn === 0 ? [] : ['-c']
      const { code, stderr } = await runHermes(['-q', ...goOn, '-t', `message ${turn}`], home.environment, {
        cwd: home.dir,
      })
      assert.equal(code, 0, stderr)
    }
    assertEachGoesOn(conversation(model.requests))
  },
)

test(`over ${turns} turns of the REPL every request begins with the whole one before it`, limit, async () => {
  await using model = await startScriptedModel(answer)
  await using home = await temporaryHome(scriptedConfig(model.url))
  await using pty = openPty(process.execPath, [hermesFile], { env: home.environment, cwd: home.dir })
  await pty.screen.waitFor(/❯|^>$/m, 60_000)
  for (let turn = 0; turn < turns; turn++) {
    const text = `message number ${turn}`
    pty.write(`${text}\r`)
    // The turn is over when its answer is followed by an empty prompt.
    await pty.screen.waitFor(new RegExp(`${text}\\n[^]*Answer to \\d+\\.[^]*\\n❯$`), 60_000)
  }
  assertEachGoesOn(conversation(model.requests))
})
