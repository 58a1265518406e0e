import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { promptOf, startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { DecisionRequest } from '../../agent/decision.ts'
import type { NumberedEvent } from '../../agent/events.ts'
import { runTurn } from '../../agent/run-turn.ts'

const isChild = (request: RecordedRequest) => promptOf(request).includes('You are a sub-agent')

/** Text of the request's messages of one role. */
function said(request: RecordedRequest, role: string): string {
  return (request.body.messages ?? [])
    .filter((message) => message.role === role)
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n')
}

const hasResult = (request: RecordedRequest) => (request.body.messages ?? []).some(({ role }) => role === 'tool')

const call = (name: string, args: Readonly<Record<string, unknown>>): ScriptedAnswer => ({
  toolCalls: [{ name, arguments: args }],
})

function toolEnd(events: readonly NumberedEvent[], name = 'delegate_task') {
  const end = events.find((event) => event.type === 'tool-end' && event.name === name)
  assert.ok(end?.type === 'tool-end')
  return { ...end, json: JSON.parse(end.content) }
}

test('a sub-agent works by itself in a session of its own, and its report comes back', async () => {
  await using all = await startScriptedAgent({
    work: { 'notes.txt': 'the moon is far', 'AGENTS.md': 'Speak like a pirate.' },
    script: (request) => {
      if (!isChild(request)) {
        return hasResult(request)
          ? { text: 'It says: the moon is far.' }
          : call('delegate_task', { goal: 'Read notes.txt', context: 'It is in the folder.', max_iterations: 7 })
      }
      return hasResult(request) ? { text: 'notes.txt says the moon is far.' } : call('read_file', { path: 'notes.txt' })
    },
  })
  const events = await all.turn('parent', 'What do my notes say?')
  const { json, status } = toolEnd(events)
  assert.equal(status, 'ok')
  const [result] = json.results
  assert.equal(result.status, 'completed')
  assert.equal(result.exit_reason, 'completed')
  assert.equal(result.summary, 'notes.txt says the moon is far.')
  assert.equal(result.api_calls, 2)
  assert.ok(result.tokens.input > 0 && result.tokens.output > 0)
  assert.deepEqual(
    result.tool_trace.map(({ tool, status: one }: { tool: string; status: string }) => [tool, one]),
    [['read_file', 'ok']],
  )
  assert.ok(events.some((event) => event.type === 'tool-progress' && event.text.startsWith('read_file: ')))

  const [first] = all.model.requests.filter(isChild)
  assert.ok(first)
  assert.match(said(first, 'user'), /Read notes\.txt/)
  assert.ok(!said(first, 'user').includes('What do my notes say?'), 'it sees nothing of the conversation')
  assert.match(promptOf(first), /It is in the folder\./)
  assert.ok(!promptOf(first).includes('pirate'), 'no notes of projects')
  const names = (first.body.tools ?? []).map((tool) => tool.function?.name)
  for (const kept of ['delegate_task', 'clarify', 'memory']) assert.ok(!names.includes(kept), kept)

  const child = await all.context.sessions.get(result.session_id)
  assert.equal(child?.parentId, 'parent')
  assert.equal((await all.context.sessions.carriedOnBy('parent'))?.id, 'parent', 'it does not carry the session on')
  const last = events.at(-1)
  assert.ok(last?.type === 'turn-end' && last.status === 'completed')
})

test('several work at once, each with its label, and their results are in the order of the tasks', async () => {
  const meet = Promise.withResolvers<void>()
  let begun = 0
  await using all = await startScriptedAgent({
    script: async (request) => {
      if (!isChild(request)) {
        return hasResult(request)
          ? { text: 'All three are done.' }
          : call('delegate_task', { tasks: [{ goal: 'task A' }, { goal: 'task B' }, { goal: 'task C' }] })
      }
      if (++begun === 3) meet.resolve()
      await meet.promise
      return { text: `Done: ${said(request, 'user')}` }
    },
  })
  const { json } = toolEnd(await all.turn('parent', 'Do three things.'))
  assert.deepEqual(
    json.results.map((one: { task_index: number; summary: string }) => [one.task_index, one.summary.slice(0, 12)]),
    [
      [0, 'Done: task A'],
      [1, 'Done: task B'],
      [2, 'Done: task C'],
    ],
  )
})

test('what cannot be delegated is refused before anything begins', async () => {
  const asked = [
    {},
    { tasks: [] },
    { tasks: [{ goal: 'a' }, { goal: 'b' }, { goal: 'c' }, { goal: 'd' }] },
    { tasks: [{ goal: 'a', toolsets: ['delegation', 'clarify'] }] },
    { goal: 'a', toolsets: ['nothing like it'] },
    { tasks: [{ goal: 'a' }], toolsets: ['nothing like it'] },
    { goal: '  ' },
  ]
  for (const args of asked) {
    await using all = await startScriptedAgent({
      script: (request) => (hasResult(request) ? { text: 'Well.' } : call('delegate_task', args)),
    })
    const { json, status } = toolEnd(await all.turn('parent', 'Go.'))
    assert.equal(status, 'error', JSON.stringify(args))
    assert.ok(json.error.length > 20)
    assert.equal(all.model.requests.filter(isChild).length, 0)
  }
})

test('a composite toolset does not let through what sub-agents may not have', async () => {
  await using all = await startScriptedAgent({
    script: (request) => {
      if (isChild(request)) return { text: 'Fine.' }
      return hasResult(request)
        ? { text: 'Ok.' }
        : call('delegate_task', { goal: 'x', toolsets: ['hermes-cli', 'all'] })
    },
  })
  await all.turn('parent', 'Go.')
  const names = (all.model.requests.find(isChild)?.body.tools ?? []).map((tool) => tool.function?.name)
  assert.ok(names.includes('terminal'))
  assert.deepEqual(
    names.filter((name) => ['delegate_task', 'clarify', 'memory', 'execute_code', 'send_message'].includes(name ?? '')),
    [],
  )
})

test('a sub-agent at its limit of steps reports what it has; one that fails says why; the parent goes on', async () => {
  await using all = await startScriptedAgent({
    config: 'delegation: {max_iterations: 2}',
    script: (request) => {
      if (!isChild(request)) {
        return hasResult(request)
          ? { text: 'I see.' }
          : call('delegate_task', { tasks: [{ goal: 'endless' }, { goal: 'broken' }] })
      }
      if (said(request, 'user').includes('broken')) return { fault: { type: 'http', status: 400, message: 'no good' } }
      return request.body.tool_choice === 'none' || !request.body.tools
        ? { text: 'I got half of it.' }
        : call('terminal', { command: 'true' })
    },
  })
  const events = await all.turn('parent', 'Go.')
  const [endless, broken] = toolEnd(events).json.results
  assert.equal(endless.exit_reason, 'max_iterations')
  assert.equal(endless.status, 'completed')
  assert.equal(endless.summary, 'I got half of it.')
  assert.equal(broken.status, 'failed')
  assert.match(broken.error, /no good/)
  const last = events.at(-1)
  assert.ok(last?.type === 'turn-end' && last.status === 'completed')
})

test('it begins in its parent’s folder with a terminal of its own, and its questions reach the person one at a time', async () => {
  let open = 0
  let most = 0
  const subjects: string[] = []
  const decide = async (request: DecisionRequest) => {
    open++
    most = Math.max(most, open)
    await wait(20)
    open--
    if (request.kind === 'approval') subjects.push(request.subject)
    return { kind: 'approval', choice: 'once' } as const
  }
  await using all = await startScriptedAgent({
    work: { 'sub/a/f': '', 'sub/b/f': '' },
    script: (request) => {
      if (!isChild(request)) {
        if (!hasResult(request)) return call('terminal', { command: 'cd sub' })
        return (request.body.messages ?? []).filter(({ role }) => role === 'tool').length < 2
          ? call('delegate_task', { tasks: [{ goal: 'remove a' }, { goal: 'remove b' }] })
          : { text: 'Both are gone.' }
      }
      if (hasResult(request)) return { text: said(request, 'tool') }
      const name = said(request, 'user').includes('remove a') ? 'a' : 'b'
      return call('terminal', { command: `pwd > ../where-${name}; rm -rf "$PWD/${name}"` })
    },
  })
  await all.turn('parent', 'Go.', { face: { name: 'cli', decide } })
  assert.equal(subjects.length, 2)
  assert.equal(most, 1)
  for (const name of ['a', 'b']) {
    assert.equal((await readFile(join(all.work, `where-${name}`), 'utf8')).trim(), join(all.work, 'sub'))
  }
})

test('cancelling the turn stops the sub-agents, whose results say so', async () => {
  const stop = new AbortController()
  await using all = await startScriptedAgent({
    script: (request) => {
      if (isChild(request)) return call('terminal', { command: 'touch begun; exec sleep 600' })
      return call('delegate_task', { goal: 'sleep' })
    },
  })
  const { watch } = await import('node:fs')
  const watcher = watch(all.work)
  const begun = once(watcher, 'change')
  const events: NumberedEvent[] = []
  const turn = (async () => {
    const request = { session: { id: 'p', source: 'cli' }, message: { text: 'Go.' } }
    const face = { name: 'cli', decide: async () => ({ kind: 'approval', choice: 'deny' }) as const }
    for await (const event of runTurn({ ...request, face }, all.context, stop.signal)) events.push(event)
  })()
  await begun
  watcher.close()
  stop.abort()
  await turn
  const last = events.at(-1)
  assert.ok(last?.type === 'turn-end' && last.status === 'cancelled')
  const { results } = toolEnd(events).json
  assert.equal(results[0].status, 'interrupted')
  const stored = await all.context.sessions.messages(results[0].session_id)
  assert.equal(stored.filter(({ message }) => message.role === 'tool').length, 1, 'its call has its result')
})

test('sub-agents can have a model of their own', async () => {
  await using side = await startScriptedAgent({ script: () => ({ text: 'From the small one.' }) })
  await using all = await startScriptedAgent({
    config: `delegation: {base_url: "${side.model.url}", api_key: side-key-123456, model: small-one}`,
    script: (request) => (hasResult(request) ? { text: 'Good.' } : call('delegate_task', { goal: 'x' })),
  })
  const { json } = toolEnd(await all.turn('parent', 'Go.'))
  assert.equal(json.results[0].model, 'small-one')
  assert.equal(json.results[0].summary, 'From the small one.')
  assert.equal(side.model.requests[0]?.body.model, 'small-one')
})
