import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import { runHermes, scriptedConfig, startHermes } from './run-hermes.ts'

const rounds = 50

/** On a busy machine there are fewer rounds: none begins after that, ms, but for so many. */
const [longestMs, fewest] = [110_000, 15]

const steps: readonly ScriptedAnswer[] = [
  { text: 'First ', reasoning: 'hm', toolCalls: [{ name: 'terminal', arguments: { command: 'echo one' } }] },
  {
    toolCalls: [
      { name: 'read_file', arguments: { path: 'config.yaml' } },
      { name: 'search_files', arguments: { pattern: 'model' } },
    ],
  },
  { toolCalls: [{ name: 'todo', arguments: { todos: [{ id: '1', content: 'rest', status: 'pending' }] } }] },
  { text: 'The end.' },
]

test(
  'over kill -9 at any moment every session goes on, with no message lost or doubled',
  { timeout: 400_000 },
  async () => {
    await using model = await startScriptedModel((request) => {
      if (lastUser(request) === 'go on') return { text: 'Going on.' }
      return steps[answersSinceUser(request)] ?? { text: 'Too far.' }
    })
    await using home = await temporaryHome(scriptedConfig(model.url))
    // How long a whole turn takes here and now: the moments are spread over its stages, and a little more.
    const begun = performance.now()
    await runHermes(['-q', '-t', 'warm up'], home.environment, { cwd: home.dir })
    const stageMs = ((performance.now() - begun) * 1.1) / (steps.length + 1)
    const requestsSeen = new Set<number>()
    for (let round = 0; round < rounds; round++) {
      if (round >= fewest && performance.now() - begun > longestMs) break
      const task = `round ${round}`
      const before = model.requests.length
      const stage = round % (steps.length + 1)
      // Steps of the golden ratio are spread evenly over a stage, however many there are.
      const part = (Math.floor(round / (steps.length + 1)) * 0.618_034 + 0.05) % 1
      const running = startHermes(['-q', '-t', task], home.environment, { cwd: home.dir })
      const ended = new AbortController()
      void running.ended.then(() => ended.abort())
      while (!ended.signal.aborted && model.requests.length - before < stage) await wait(1)
      await Promise.race([wait(stageMs * part), running.ended])
      running.kill('SIGKILL')
      await running.ended
      const seen = model.requests.slice(before)
      requestsSeen.add(seen.length)
      const { code, stdout, stderr } = await runHermes(['-q', '-c', '-t', 'go on'], home.environment, { cwd: home.dir })
      if (seen.length === 0 && code === 1) continue
      assert.equal(stdout, 'Going on.\n', stderr)
      assert.equal(code, 0, stderr)
      checkContinued(task, seen, model.requests.at(-1))
    }
    assert.ok(requestsSeen.size >= 4, `killed at all stages of a turn: ${[...requestsSeen].join(', ')} requests seen`)
    assert.deepEqual(
      model.requests.flatMap((request) => request.problem ?? []),
      [],
      'every transcript that was sent is well formed',
    )
  },
)

/** What had been said in a killed round is all there, once, in the request that goes on with it. */
function checkContinued(task: string, seen: readonly RecordedRequest[], next: RecordedRequest | undefined): void {
  if (seen.length === 0) return
  const messages = next?.body.messages ?? []
  const users = messages.filter((message) => message.role === 'user').map((message) => String(message.content))
  const mentions = users
    .join('\n\n')
    .split('\n\n')
    .filter((text) => text === task)
  assert.equal(mentions.length, 1, `"${task}" is there once: ${users.join(' | ')}`)
  const last = seen.at(-1)?.body.messages ?? []
  const kept = messages.slice(0, last.length).map((message) => JSON.stringify(message))
  assert.deepEqual(
    kept.slice(0, -1),
    last.slice(0, -1).map((message) => JSON.stringify(message)),
    'what the model had seen is what it sees again',
  )
}

function lastUser(request: RecordedRequest): string | undefined {
  const content = request.body.messages?.findLast((message) => message.role === 'user')?.content
  return typeof content === 'string' ? content.split('\n\n').at(-1) : undefined
}

function answersSinceUser(request: RecordedRequest): number {
  const messages = request.body.messages ?? []
  return messages
    .slice(messages.findLastIndex((message) => message.role === 'user'))
    .filter((message) => message.role === 'assistant').length
}
