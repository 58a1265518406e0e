import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { fakeAgent } from '../fake-agent.ts'
import { branch } from './branch.ts'
import { slashTestChat } from './slash-test-chat.ts'

async function open() {
  const home = await temporaryHome()
  const agent = await fakeAgent(home.dir)
  return {
    agent,
    ...slashTestChat(agent),
    async say(text: string) {
      if (!(await agent.sessions.get('s'))) await agent.sessions.create({ id: 's', source: 'cli' })
      await agent.sessions.append('s', { role: 'user', content: text })
    },
    async [Symbol.asyncDispose]() {
      await agent.sessions.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('a branch has the conversation so far, and the session before it stays', async () => {
  await using one = await open()
  await one.say('hello')
  await one.agent.sessions.rename('s', 'Garden')
  await branch.run('', one.chat)
  const child = await one.agent.sessions.get(one.session().id)
  assert.equal(child?.parentId, 's')
  assert.equal(child?.title, 'Garden #2')
  assert.deepEqual(
    (await one.agent.sessions.messages(child?.id ?? '')).map(({ message }) => message.content),
    ['hello'],
  )
  assert.equal((await one.agent.sessions.get('s'))?.endReason, 'branched')
  // Its title would mean the newest of its line, which is the branch.
  assert.deepEqual(one.shown, ['Now in "Garden #2". Back to the one before: /resume s'])
  await branch.run('Elsewhere', one.chat)
  assert.match(one.shown.at(-1) ?? '', /^Now in "Elsewhere"\. Back to the one before: \/resume Garden #2$/)
})

test('a branch can be named, with a name that no other session has', async () => {
  await using one = await open()
  await one.say('hello')
  await one.agent.sessions.create({ id: 'other', source: 'cli' })
  await one.agent.sessions.rename('other', 'taken')
  await branch.run('taken', one.chat)
  assert.match(one.shown.join(), /^warning: .*taken.*other/)
  assert.equal(one.session().id, 's')
  await branch.run('fresh', one.chat)
  assert.equal((await one.agent.sessions.get(one.session().id))?.title, 'fresh')
})

test('a session without messages has no branches', async () => {
  await using one = await open()
  await branch.run('', one.chat)
  assert.deepEqual(one.shown, ['warning: There is nothing to branch off yet.'])
})
