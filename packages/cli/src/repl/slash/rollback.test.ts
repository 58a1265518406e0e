import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DecisionRequest } from '@hermes/core/agent/decision.ts'
import type { ScriptedAnswer } from '@hermes/testing'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { rollback } from './rollback.ts'
import { slashTestChat } from './slash-test-chat.ts'

/** A chat after one turn that changed `a.txt` and made `new.txt`. */
async function open({
  config = 'checkpoints: true\n',
  choice = 'once',
}: { config?: string; choice?: 'once' | 'deny' } = {}) {
  const answers: ScriptedAnswer[] = [
    { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'two\n' } }] },
    { toolCalls: [{ name: 'write_file', arguments: { path: 'new.txt', content: 'new\n' } }] },
    { text: 'Done.' },
  ]
  const script = () => answers.shift() ?? { text: 'Done.' }
  const all = await startScriptedAgent({ script, config, work: { 'a.txt': 'one\n', 'b.txt': 'b\n' } })
  const { chat, shown } = slashTestChat(all.context)
  const asked: DecisionRequest[] = []
  Object.assign(chat, { whileBusy: (work: (signal: AbortSignal) => Promise<void>) => work(chat.signal) })
  Object.assign(chat.view, {
    decide: async (request: DecisionRequest) => {
      asked.push(request)
      return { kind: 'approval', choice }
    },
  })
  await all.turn('s', 'change things')
  return {
    all,
    asked,
    read: (name: string) => readFile(join(all.work, name), 'utf8'),
    has: (name: string) => existsSync(join(all.work, name)),
    put: (name: string, text: string) => writeFile(join(all.work, name), text),
    messages: async () => (await all.context.sessions.messages('s')).length,
    complete: (prefix: string) => rollback.complete?.(prefix, chat),
    async run(args: string): Promise<string> {
      shown.length = 0
      await rollback.run(args, chat)
      return shown.join('\n')
    },
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

test('the list numbers checkpoints, newest first', async () => {
  await using one = await open()
  assert.match(await one.run(''), /^Checkpoints of .*\n {2}1\. before write_file: a\.txt\n {5}[0-9a-f]{7} · just now\n/)
})

test('diff shows what has changed since', async () => {
  await using one = await open()
  const text = await one.run('diff 1')
  assert.match(text, /2 files changed/)
  assert.match(text, /^-one$\n^\+two$/m)
})

test('a rollback restores files, removes new ones with consent and takes the turn out of the conversation', async () => {
  await using one = await open()
  assert.ok((await one.messages()) > 0)
  const said = await one.run('1')
  assert.deepEqual([await one.read('a.txt'), one.has('new.txt')], ['one\n', false])
  assert.deepEqual(
    one.asked.map((request) => request.kind === 'approval' && request.subject),
    ['remove new.txt'],
  )
  assert.match(said, /1 file restored, 1 file removed: back at .*before write_file: a\.txt.*\n.*\/rollback 1/)
  assert.match(said, /Out of the conversation, too: change things/)
  assert.equal(await one.messages(), 0)
  await one.run('1')
  assert.deepEqual([await one.read('a.txt'), one.has('new.txt')], ['two\n', true])
})

test('taking a rollback back takes no further turn out of the conversation', async () => {
  await using one = await open()
  await one.all.turn('s', 'and what now?')
  await one.run('1')
  const messages = await one.messages()
  assert.ok(messages > 0)
  assert.doesNotMatch(await one.run('1'), /Out of the conversation/)
  assert.equal(await one.messages(), messages)
  assert.equal(await one.read('a.txt'), 'two\n')
})

test('without consent new files stay', async () => {
  await using one = await open({ choice: 'deny' })
  assert.match(await one.run('1'), /1 file restored, 1 file made since kept/)
  assert.deepEqual([await one.read('a.txt'), one.has('new.txt')], ['one\n', true])
})

test('one file comes back alone and the conversation stays', async () => {
  await using one = await open()
  await one.put('b.txt', 'changed')
  const messages = await one.messages()
  await one.run('1 a.txt')
  assert.deepEqual([await one.read('a.txt'), await one.read('b.txt')], ['one\n', 'changed'])
  assert.equal(await one.messages(), messages)
  assert.match(await one.run('2 a.txt'), /^dim: Nothing to restore: a\.txt is as it was/)
  assert.match(await one.run('1 ../../etc/passwd'), /^warning: .*is not in/)
})

test('numbers are completed, with what they are', async () => {
  await using one = await open()
  const reason = 'before write_file: a.txt'
  assert.deepEqual(await one.complete(''), [
    { value: 'diff ', description: 'what has changed since' },
    { value: '1', description: reason },
  ])
  assert.deepEqual(await one.complete('diff '), [{ value: 'diff 1', description: reason }])
  assert.deepEqual(await one.complete('1 a'), [])
})

test('what is no checkpoint is told', async () => {
  await using one = await open()
  for (const wanted of ['0', '2', '99', 'x', 'deadbeef', '-1', 'diff', 'diff 7']) {
    assert.match(await one.run(wanted), /^warning: There is no checkpoint .*there is 1/, wanted)
  }
})

test('where checkpoints are off it says how to turn them on', async () => {
  await using one = await open({ config: '' })
  assert.match(await one.run(''), /^dim: No checkpoints of .*hermes --checkpoints.*checkpoints\.enabled true/)
})
