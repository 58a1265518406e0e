import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dangerousCommands, harmlessCommands } from './command-cases.ts'
import { type CommandPlace, findDangers } from './dangerous-commands.ts'

const place: CommandPlace = { cwd: '/work/project', userHome: '/home/ann', hermesHome: '/home/ann/.hermes' }

for (const [key, commands] of Object.entries(dangerousCommands)) {
  test(`needs consent: ${key}`, async () => {
    const missed: string[] = []
    for (const command of commands) {
      const keys = (await findDangers(command, place)).map((danger) => danger.key)
      if (!keys.includes(key)) missed.push(`${command}   ⇒ ${keys.join(', ') || 'harmless'}`)
    }
    assert.deepEqual(missed, [])
  })
}

test('harmless commands need no consent', async () => {
  const alarms: string[] = []
  for (const command of harmlessCommands) {
    const keys = (await findDangers(command, place)).map((danger) => danger.key)
    if (keys.length > 0) alarms.push(`${command}   ⇒ ${keys.join(', ')}`)
  }
  assert.deepEqual(alarms, [])
})
