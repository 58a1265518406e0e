import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { builtInPersonalities } from '@hermes/core/context/personality-built-in.ts'
import { temporaryHome } from '@hermes/testing'
import { fakeAgent } from '../fake-agent.ts'
import { personality } from './personality.ts'
import { slashTestChat } from './slash-test-chat.ts'

async function open(settings: Readonly<Record<string, unknown>> = {}) {
  const home = await temporaryHome({ 'config.yaml': '# mine\nagent:\n  max_turns: 7\n' })
  const agent = await fakeAgent(home.dir, settings)
  return {
    ...slashTestChat(agent),
    config: () => readFile(home.path('config.yaml'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await agent.sessions.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('a personality holds from the next message on, and for sessions to come', async () => {
  await using one = await open()
  await personality.run('Pirate', one.chat)
  assert.equal(one.settings.instructions, builtInPersonalities['pirate'])
  assert.match(await one.config(), /^# mine\nagent:\n {2}max_turns: 7\n {2}system_prompt: /)
  assert.match(one.shown.join(), /^Personality: pirate \(/)
  await personality.run('none', one.chat)
  assert.equal(one.settings.instructions, '')
  assert.match(await one.config(), /system_prompt: ["']{2}/)
})

test('the configuration adds personalities and replaces built-in ones', async () => {
  const own = { calm: { system_prompt: 'Be calm.', tone: 'low', style: 'plain', description: 'Quiet' }, pirate: 'Yo.' }
  await using one = await open({ agent: { personalities: own } })
  await personality.run('calm', one.chat)
  assert.equal(one.settings.instructions, 'Be calm.\nTone: low\nStyle: plain')
  await personality.run('pirate', one.chat)
  assert.equal(one.settings.instructions, 'Yo.')
  one.shown.length = 0
  await personality.run('', one.chat)
  assert.match(one.shown.join(), /\n {2}calm +Quiet\n/)
  assert.match(one.shown.join(), /❯ pirate +Yo\./)
  assert.equal(one.shown.join().match(/^[❯ ] \w+ {2,}/gm)?.length, 15)
})

test('instructions of the person are not lost to a personality', async () => {
  await using one = await open({ agent: { system_prompt: 'Always answer in French.' } })
  const before = await one.config()
  await personality.run('noir', one.chat)
  assert.equal(one.settings.instructions, builtInPersonalities['noir'])
  assert.equal(await one.config(), before)
  assert.match(one.shown.join(), /for this run only/)
})

test('a name that is none is told, with those that are', async () => {
  await using one = await open()
  await personality.run('butler', one.chat)
  assert.match(one.shown.join(), /no personality "butler"\. There are: helpful, concise, .*hype, none/)
  assert.equal(one.settings.instructions, undefined)
  const choices = await personality.complete?.('p', one.chat)
  assert.deepEqual(
    choices?.map(({ value }) => value),
    ['pirate', 'philosopher'],
  )
})
