import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@hermes/testing/free-ports.ts'
import { startScriptedModel } from '@hermes/testing/scripted-model/server.ts'
import { temporaryHome } from '@hermes/testing'
import { connectTestClient } from './test-client.ts'
import type { TestClient } from './test-client.ts'
import { openTestPheby, secret } from './test-pheby.ts'

test('a client that is cut off in mid-turn gets all of it by a snapshot and what comes after', async () => {
  const release = Promise.withResolvers<void>()
  let calls = 0
  await using all = await openTestPheby({
    script: async (request) => {
      if (!request.body.tools) return { text: 'T' }
      if (++calls === 1) {
        return { text: 'Looking.', toolCalls: [{ id: 't-1', name: 'read_file', arguments: { path: 'note.txt' } }] }
      }
      await release.promise
      return { text: 'It says hello.' }
    },
    work: { 'note.txt': 'hello' },
  })
  const first = await all.connect()
  const { conversation_id: id } = await first.answer({ type: 'conversation.create' }, 'conversation.created')
  const { run_id: runId } = await first.answer(
    { type: 'chat.send', conversation_id: id, text: 'Read it' },
    'run.accepted',
  )
  await first.event('tool.event', ({ status }) => status === 'completed', 0)
  first.cut()
  const second = await all.connect()
  const open = { type: 'conversation.open', conversation_id: id } as const
  const during = await second.answer(open, 'conversation.history')
  assert.deepEqual(
    during.messages.map(({ role, text }) => [role, text]),
    [['user', 'Read it']],
  )
  assert.deepEqual(during.run, { run_id: runId, message_id: `draft-${runId}`, status: 'running', text: 'Looking.' })
  assert.deepEqual(
    during.tools.map(({ tool_call_id: call, status }) => [call, status]),
    [['t-1', 'completed']],
  )
  release.resolve()
  const complete = await second.event('message.complete', undefined, 0)
  assert.deepEqual([complete.message_id, complete.text], [`draft-${runId}`, 'It says hello.'])
  await second.event('run.finished', undefined, 0)
  const after = await second.answer(open, 'conversation.history')
  assert.equal(after.run, null)
  assert.deepEqual(
    after.messages.map(({ text }) => text),
    ['Read it', 'Looking.', 'It says hello.'],
  )
  assert.deepEqual(
    after.tools.map(({ status }) => status),
    ['completed'],
  )
})

test('snapshots that are asked for all the time while a run goes on never lack or double what was said', async () => {
  await using all = await openTestPheby({
    script: (request) => ({ text: request.body.tools ? ['A ', 'long ', 'answer.'] : 'T', chunkDelayMs: 20 }),
  })
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  for (let n = 0; n < 5; n++) {
    const from = client.events.length
    client.send({ type: 'chat.send', conversation_id: id, text: `Question ${n}` })
    for (let isOver = false; !isOver;) {
      const snapshot = await client.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
      const { messages, run } = snapshot
      const before = client.events.slice(from, client.events.indexOf(snapshot)).map(({ type }) => type)
      isOver = before.includes('run.finished')
      const users = messages.filter(({ role }) => role === 'user').length
      assert.equal(users, before.includes('run.accepted') ? n + 1 : n)
      assert.equal(run !== null, before.includes('run.accepted') && !isOver)
      const said = messages.filter(({ role }) => role === 'assistant').length
      assert.equal(said + (run ? 1 : 0), users)
    }
  }
})

test('a run that the end of the gateway interrupts goes on after the start, under its own id', async () => {
  const release = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  await using all = await openTestPheby({
    script: async (request) => {
      if (!request.body.tools) return { text: 'T' }
      reached.resolve()
      await release.promise
      return { text: 'After all.' }
    },
  })
  const before = await all.connect()
  const { conversation_id: id } = await before.answer(
    { type: 'conversation.create', name: 'Kept' },
    'conversation.created',
  )
  const { run_id: runId } = await before.answer(
    { type: 'chat.send', conversation_id: id, text: 'Go on' },
    'run.accepted',
  )
  await reached.promise
  await all.stop()
  assert.equal(await before.closed, 1001)
  assert.equal(before.events.filter(({ type }) => type === 'run.finished').length, 0)
  await all.start()
  const client = await all.connect()
  const snapshot = await client.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
  assert.equal(snapshot.run?.run_id, runId)
  assert.deepEqual(
    snapshot.messages.map(({ text }) => text),
    ['Go on'],
  )
  const busy = await client.answer({ type: 'chat.send', conversation_id: id, text: 'More' }, 'error')
  assert.equal(busy.error.code, 'run_active')
  release.resolve()
  const complete = await client.event('message.complete', undefined, 0)
  assert.deepEqual([complete.message_id, complete.text], [`draft-${runId}`, 'After all.'])
  const finished = await client.event('run.finished', undefined, 0)
  assert.deepEqual([finished.run_id, finished.status], [runId, 'completed'])
  const { conversations } = await client.answer({ type: 'conversation.list' }, 'conversation.snapshot')
  assert.deepEqual(
    conversations.map(({ name }) => name),
    ['Kept'],
  )
  const { messages } = await client.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
  assert.deepEqual(
    messages.map(({ text }) => text),
    ['Go on', 'After all.'],
    'what the gateway says to the model of its restart is not shown',
  )
})

test('kill -9 again and again: every message is answered once, and every run ends', async () => {
  const model = await startScriptedModel((request) => {
    if (!request.body.tools) return { text: 'T' }
    const said = (request.body.messages ?? []).flatMap(({ role, content }) =>
      role === 'user' && typeof content === 'string' ? (content.match(/question \d+/g) ?? []) : [],
    )
    return { text: `Answer to ${said.at(-1)}`, delayMs: 40 }
  })
  const port = await freePort()
  await using home = await temporaryHome({
    'config.yaml': `model: {default: m, base_url: "${model.url}", api_key: made-up-key-123456}\nmemory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n`,
    '.env': `PHEBY_SECRET=${secret}\nPHEBY_PORT=${port}\nPHEBY_HOME_CHANNEL=home\n`,
  })
  const script = join(import.meta.dirname, 'restart.fixture.ts')
  const start = async () => {
    const args = ['--conditions=development', '--no-warnings', script, home.dir]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), exited])
    return { child, exited, client: await connectTestClient(`ws://127.0.0.1:${port}/ws`, { secret }) }
  }
  let running = await start()
  try {
    const made = await running.client.answer({ type: 'conversation.create' }, 'conversation.created')
    const id = made.conversation_id
    for (let n = 0; n < 2; n++) {
      await running.client.answer({ type: 'chat.send', conversation_id: id, text: `question ${n}` }, 'run.accepted')
      // Somewhere between the message and the end of its run.
      await wait(n * 60)
      running.child.kill('SIGKILL')
      await running.exited
      running = await start()
      await idle(running.client, id)
    }
    const { messages } = await running.client.answer(
      { type: 'conversation.open', conversation_id: id },
      'conversation.history',
    )
    const expected = [0, 1].flatMap((n) => [`question ${n}`, `Answer to question ${n}`])
    assert.deepEqual(
      messages.map(({ text }) => text),
      expected,
    )
  } finally {
    running.child.kill('SIGKILL')
    await running.exited
    await model.close()
  }
})

/** Waits until no run goes on in a conversation. */
async function idle(client: TestClient, id: string): Promise<void> {
  for (;;) {
    const { run } = await client.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
    if (!run) return
    await client.event('run.finished', undefined, 0)
  }
}
