import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { fakeAgent } from '../fake-agent.ts'
import type { Chat } from '../slash/slash-command.ts'
import { createReferenceCompletion, endsWithReference } from './reference-completion.ts'

const never = new AbortController().signal

/** A project in which somebody types. */
async function project(...files: readonly string[]) {
  const home = await temporaryHome()
  const root = home.path('project')
  await mkdir(root)
  for (const file of files) {
    await mkdir(dirname(`${root}/${file}`), { recursive: true })
    await writeFile(`${root}/${file}`, '')
  }
  const agent = await fakeAgent(home.dir)
  // Completion asks the chat for nothing else.
  const scopes = { get: () => ({ workspace: () => root }) }
  const chat = { agent: { ...agent, scopes }, session: { id: 's', source: 'cli' } } as unknown as Chat
  const complete = createReferenceCompletion(() => chat)
  return {
    async values(before: string): Promise<readonly string[] | undefined> {
      return (await complete(before, never))?.items.map(({ value }) => value)
    },
    prefix: async (before: string) => (await complete(before, never))?.prefix,
    async [Symbol.asyncDispose]() {
      await agent.sessions.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('an @ offers the kinds, and files of the project', async () => {
  await using one = await project('src/main.ts', 'readme.md')
  assert.deepEqual(await one.values('look at @'), [
    '@file:',
    '@folder:',
    '@diff ',
    '@staged ',
    '@git:',
    '@url:',
    '@file:readme.md ',
    '@file:src/main.ts ',
  ])
  assert.deepEqual(await one.values('@fo'), ['@folder:'])
  assert.deepEqual(await one.values('see @mai'), ['@file:src/main.ts '])
  assert.equal(await one.prefix('see @mai'), '@mai')
})

test('after a kind come what is of that kind, the best match first', async () => {
  await using one = await project('src/turn-loop.ts', 'src/deep/turn.ts', 'docs/x.md')
  assert.deepEqual(await one.values('@file:turn'), ['@file:src/deep/turn.ts ', '@file:src/turn-loop.ts '])
  assert.deepEqual(await one.values('@folder:'), ['@folder:docs/ ', '@folder:src/ ', '@folder:src/deep/ '])
  assert.deepEqual(await one.values('@folder:deep'), ['@folder:src/deep/ '])
  assert.deepEqual(await one.values('@git:1'), ['@git:1 ', '@git:10 '])
  assert.equal(await one.values('@file:nothing-like-it'), undefined)
})

test('names with spaces stand in quotes, typed with them or without', async () => {
  await using one = await project('my notes.md')
  assert.deepEqual(await one.values('@file:my'), ['@file:"my notes.md" '])
  assert.deepEqual(await one.values('@file:"my no'), ['@file:"my notes.md" '])
  assert.equal(await one.prefix('x @file:"my no'), '@file:"my no')
})

test('at most twenty files are offered', async () => {
  await using one = await project(...Array.from({ length: 40 }, (_, n) => `f${n}.txt`))
  assert.equal((await one.values('@file:f'))?.length, 20)
})

test('only what may become a reference is completed', async () => {
  for (const text of ['', 'a', 'ann@', 'ann@file:', 'a/@b', '@file:a b', '@file:"a" ']) {
    assert.equal(endsWithReference(text), false, text)
  }
  for (const text of ['@', 'x @', '(@fi', '@file:', '@file:a/b', '@file:"a b', '看@说']) {
    assert.equal(endsWithReference(text), true, text)
  }
})
