import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { ScriptedAnswer } from '@hermes/testing'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openGitStore } from './git-store.ts'

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>]

/** An agent whose turn makes these calls, one an answer, and its project's checkpoints. */
async function open(calls: readonly Call[], config = 'checkpoints: {enabled: true}\napprovals: {mode: "off"}\n') {
  let at = 0
  const script = (): ScriptedAnswer => {
    const call = calls[at++]
    return call ? { toolCalls: [{ name: call[0], arguments: call[1] }] } : { text: 'Done.' }
  }
  const all = await startScriptedAgent({ script, config, work: { 'a.txt': 'one', 'b.txt': 'two' } })
  const { signal } = new AbortController()
  return {
    ...all,
    all,
    again: () => (at = 0),
    store: (folder = all.work) => openGitStore({ folder }, all.context),
    list: async (folder = all.work) =>
      (await (await openGitStore({ folder }, all.context)).list(signal)).map(({ reason }) => reason),
    signal,
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

test('a checkpoint is taken before the first change of a turn, and one a turn', async () => {
  await using one = await open([
    ['read_file', { path: 'a.txt' }],
    ['terminal', { command: 'cat a.txt' }],
    ['write_file', { path: 'a.txt', content: 'changed' }],
    ['terminal', { command: 'rm b.txt' }],
  ])
  await one.turn('s', 'go')
  assert.deepEqual(await one.list(), ['before write_file: a.txt'])
  const store = await one.store()
  const [checkpoint] = await store.list(one.signal)
  await store.restore({ hash: checkpoint?.hash ?? '', remove: [] }, one.signal)
  assert.equal(await readFile(join(one.work, 'a.txt'), 'utf8'), 'one')
  assert.equal(await readFile(join(one.work, 'b.txt'), 'utf8'), 'two')
  one.again()
  await writeFile(join(one.work, 'a.txt'), 'by a person')
  await one.turn('s', 'go on')
  const reasons = (await one.list()).map((reason) => reason.replace(/ [0-9a-f]+$/, ''))
  assert.deepEqual(reasons, ['before write_file: a.txt', 'before rollback to', 'before write_file: a.txt'])
})

test('a destructive command and a patch have theirs; the reason shows no secrets', async () => {
  await using one = await open([['terminal', { command: 'rm a.txt # sk-proj-abcdefghijklmnopqrstuvwxyz0123456789' }]])
  await one.turn('s', 'go')
  assert.match((await one.list()).join(), /^before terminal: rm a\.txt # (?!.*klmnopqrst)/)
  await using two = await open([
    ['patch', { mode: 'patch', patch: '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch' }],
  ])
  await two.turn('s', 'go')
  assert.deepEqual(await two.list(), ['before patch: a.txt'])
})

test('each folder that is changed has its own', async () => {
  await using one = await open([
    ['write_file', { path: '../other/lib/new.txt', content: 'x' }],
    ['write_file', { path: 'a.txt', content: 'x' }],
  ])
  const other = join(one.work, '../other')
  await mkdir(other)
  await writeFile(join(other, 'package.json'), '{}')
  await one.turn('s', 'go')
  assert.deepEqual(await one.list(other), ['before write_file: ../other/lib/new.txt'])
  assert.deepEqual(await one.list(), ['before write_file: a.txt'])
})

test('none is taken unless they are asked for', async () => {
  await using one = await open([['write_file', { path: 'a.txt', content: 'x' }]], '')
  await one.turn('s', 'go')
  assert.deepEqual(await one.list(), [])
})

test('what goes wrong is told once a session, and the turn goes on', async () => {
  await using one = await open([['write_file', { path: 'a.txt', content: 'x' }]])
  const bin = join(one.home.dir, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'git'), '#!/bin/sh\necho "fatal: the disk is full" >&2\nexit 1\n')
  await chmod(join(bin, 'git'), 0o755)
  Object.assign(one.context, { environment: { ...one.context.environment, PATH: `${bin}:${process.env['PATH']}` } })
  const events = await one.turn('s', 'go')
  const notices = events.filter((event) => event.type === 'notice' && event.code === 'checkpoint')
  assert.match(JSON.stringify(notices), /No checkpoint was taken: .*the disk is full/)
  assert.equal(await readFile(join(one.work, 'a.txt'), 'utf8'), 'x')
  assert.equal(events.at(-1)?.type, 'turn-end')
  one.again()
  const more = await one.turn('s', 'go on')
  assert.deepEqual(
    more.filter((event) => event.type === 'notice' && event.code === 'checkpoint'),
    [],
  )
})

test('beyond the most that are kept, old ones are dropped while nobody waits', { timeout: 120_000 }, async () => {
  const settings = 'checkpoints: {enabled: true, max_snapshots: 2}\n'
  await using one = await open([['write_file', { path: 'a.txt', content: 'x' }]], settings)
  for (let index = 0; index < 5; index++) {
    await writeFile(join(one.work, 'b.txt'), String(index))
    one.again()
    await one.turn('s', 'go')
  }
  const dir = one.home.path('checkpoints')
  const [name = ''] = await readdir(dir)
  const stored = () => execFileSync('git', [`--git-dir=${join(dir, name)}`, 'rev-list', 'HEAD'], { encoding: 'utf8' })
  while (stored().trim().split('\n').length > 2) await wait(20)
  assert.equal((await one.list()).length, 2)
})
