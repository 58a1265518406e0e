import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allCommands, findCommand } from '../../commands/registry.ts'
import { commandText, discordOptions } from './command-options.ts'

async function optionsOf(name: string) {
  const options = discordOptions((await findCommand(name)) ?? assert.fail(name))
  return options.map(({ name: option, type, required, choices }) => {
    const words = choices?.map(({ value }) => value).join(' ')
    return `${option} ${type}${required ? ' required' : ''}${words === undefined ? '' : `: ${words}`}`
  })
}

test('arguments are options: choices, flags, numbers, and texts by what they are', async () => {
  assert.deepEqual(await optionsOf('voice'), ['choice 3: on off tts status'])
  assert.deepEqual(await optionsOf('background'), ['task 3 required'])
  assert.deepEqual(await optionsOf('title'), ['name 3'])
  assert.deepEqual(await optionsOf('insights'), ['days 4', 'source 3'])
  assert.deepEqual(await optionsOf('approve'), ['thread 3', 'all 5', 'scope 3: session always'])
  assert.deepEqual(await optionsOf('steer'), ['message 3 required', 'thread 3'])
  assert.deepEqual(await optionsOf('undo'), [])
})

test('what was chosen is written as in a chat, in the command’s own order', async () => {
  const given = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]) => ({ name, value }))
  const text = (name: string, values: Readonly<Record<string, unknown>>) => commandText(name, given(values))
  assert.equal(
    await text('model', { global: true, provider: 'openai', name: 'm' }),
    '/model m --provider openai --global',
  )
  assert.equal(await text('model', { global: false }), '/model')
  assert.equal(await text('approve', { scope: 'session', all: true }), '/approve all session')
  assert.equal(await text('approve', { scope: 'always', thread: 'k7mq' }), '/approve k7mq always')
  assert.equal(await text('rollback', { checkpoint: '2', diff: true }), '/rollback diff 2')
  assert.equal(await text('insights', { source: 'cli', days: 7 }), '/insights 7 --source cli')
  assert.equal(await text('steer', { message: 'in blue', thread: 'k7mq' }), '/steer k7mq in blue')
  // Apps that have older commands, and skills.
  assert.equal(await text('model', { args: 'some/model' }), '/model some/model')
  assert.equal(await text('csv-tools', { args: 'look' }), '/csv-tools look')
  assert.equal(await text('status', { odd: { a: 1 } }), '/status')
})

test('every command keeps to the limits of the service', async () => {
  for (const command of await allCommands()) {
    const options = discordOptions(command)
    const names = options.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length, command.name)
    for (const { name, description, choices = [] } of options) {
      assert.match(name, /^[-_a-z0-9]{1,32}$/, command.name)
      assert.ok(description.length >= 1 && description.length <= 100 && choices.length <= 25, command.name)
    }
    const firstFree = options.findIndex(({ required }) => !required)
    assert.ok(firstFree === -1 || options.slice(firstFree).every(({ required }) => !required), command.name)
  }
})
