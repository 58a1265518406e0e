import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { isSummaryRequest, textOf } from '@hermes/testing/long-conversation.ts'
import { createContext } from '../../agent/create-context.ts'
import { nobody } from '../../agent/decision.ts'
import { runTurn } from '../../agent/run-turn.ts'

/** One turn of a session as a process of its own. */
const turnProgram = `
  const [core, session, cwd] = process.argv.slice(1)
  const { createContext } = await import(core + '/agent/create-context.ts')
  const { runTurn } = await import(core + '/agent/run-turn.ts')
  const context = await createContext({ environment: process.env, cwd })
  const decide = async () => { throw new Error('nobody is there') }
  const request = { session: { id: session, source: 'cli' }, message: { text: 'Go on.' }, face: { name: 'cli', decide } }
  for await (const event of runTurn(request, context, new AbortController().signal));
`

const core = new URL('../..', import.meta.url).href.replace(/\/$/, '')
const fact = (n: number) => `Fact ${n}: the code of vault ${n} is K${n}-${n * 37 + 1001}.`
const factsIn = (text: string) => [...new Set(text.match(/Fact \d+: the code of vault \d+ is K\d+-\d+\./g))]
const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(100)

test('over kill -9 at any moment of a compaction the session goes on, with everything that was known', async () => {
  await using model = await startScriptedModel((request) => {
    if (!isSummaryRequest(request)) return { text: 'Yes.' }
    return { text: ['## Goal\nGo on.\n\n## Critical Context\n', factsIn(textOf(request)).join('\n')], chunkDelayMs: 20 }
  })
  await using home = await temporaryHome({
    'config.yaml': `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456, context_length: 32000}\nmemory: {flush_min_turns: 0}`,
  })
  await using context = await createContext({ environment: home.environment, cwd: home.dir })
  const { sessions } = context
  const endings = new Set<string>()
  for (const [round, afterMs] of [0, 25, 42, 47, 53, 60, 75, undefined].entries()) {
    const { id } = await sessions.create({ source: 'cli' })
    await sessions.rename(id, `round ${round}`)
    for (let n = 0; n < 10; n++) {
      await sessions.append(id, { role: 'user', content: fact(n) })
      await sessions.append(id, { role: 'assistant', content: longText, toolCalls: [] })
    }
    const before = model.requests.length
    const args = ['--conditions=development', '--input-type=module', '-e', turnProgram, core, id, home.dir]
    const running = spawn(process.execPath, args, {
      env: { ...home.environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(running, 'exit')
    await model.arrived(before + 1)
    assert.ok(isSummaryRequest(model.requests[before]!), 'the first thing is the summary')
    await Promise.race([afterMs === undefined ? model.arrived(before + 2) : wait(afterMs), ended])
    running.kill('SIGKILL')
    await ended

    const old = await sessions.get(id)
    const current = await sessions.carriedOnBy(id)
    endings.add(String(old?.endReason))
    assert.equal((await sessions.latest('cli'))?.id, current?.id, 'the conversation is the last one still')
    assert.equal((await sessions.messages(id)).length, 21, 'the old session is whole')
    assert.equal(current?.title, old?.endReason === undefined ? `round ${round}` : `round ${round} #2`)
    const request = {
      session: { id: current?.id ?? '', source: 'cli' },
      message: { text: 'And now?' },
      face: { name: 'cli', decide: nobody },
    }
    const end = (await Array.fromAsync(runTurn(request, context, new AbortController().signal))).at(-1)
    assert.equal(end?.type === 'turn-end' && end.status, 'completed')
    const sent = textOf(model.requests.at(-1)!)
    assert.equal(factsIn(sent).length, 10)
    assert.match(sent, /Go on\./)
  }
  assert.deepEqual([...endings].toSorted(), ['compression', 'undefined'], 'killed before and after the step')
  assert.deepEqual(
    model.requests.flatMap((request) => request.problem ?? []),
    [],
  )
})
