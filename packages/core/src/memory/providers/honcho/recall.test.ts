import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../../../log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { createHonchoRecall, levelFor, shortened } from './recall.ts'
import { readHonchoSettings } from './settings.ts'

const limit = () => AbortSignal.timeout(30_000)

async function settingsOf(settings: Readonly<Record<string, unknown>>) {
  await using home = await temporaryHome()
  return readHonchoSettings({ home, environment: { ...home.environment, HONCHO_API_KEY: 'k' }, settings })
}

/** A recall of which the test says what is there in time and what came late. */
function scripted(name: string) {
  const asked: string[] = []
  return {
    asked,
    late: '',
    async take(query: string) {
      asked.push(query)
      return `${name} of ${query}`
    },
    takeLate() {
      const text = this.late
      this.late = ''
      return text
    },
    close() {},
  }
}

test('between two askings goes what has come late', async () => {
  const settings = await settingsOf({ contextCadence: 2, dialecticCadence: 3 })
  const context = scripted('context')
  const dialectic = scripted('thought')
  const recall = createHonchoRecall({ settings, context, dialectic, log: silentLogger })
  const thought = (text: string) => `\n\n## What Honcho makes of it\n${text}`
  assert.equal(await recall('a', limit()), `context of a${thought('thought of a')}`)
  dialectic.late = 'late thought'
  assert.equal(await recall('b', limit()), `context of a${thought('late thought')}`)
  assert.equal(await recall('c', limit()), 'context of c')
  context.late = 'late context'
  assert.equal(await recall('d', limit()), `late context${thought('thought of d')}`)
  assert.deepEqual(
    [context.asked, dialectic.asked],
    [
      ['a', 'c'],
      ['a', 'd'],
    ],
  )
})

test('the context goes with the first message alone where that is set, and is cut to its tokens', async () => {
  const settings = await settingsOf({ injectionFrequency: 'first-turn', contextTokens: 4, dialecticCadence: 9 })
  const recall = createHonchoRecall({
    settings,
    context: scripted('context'),
    dialectic: scripted('thought'),
    log: silentLogger,
  })
  assert.equal(await recall('elephants', limit()), 'context of …')
  assert.equal(await recall('elephants', limit()), '')
})

test('a longer message is thought about harder, up to the cap', async () => {
  const level = async (length: number, settings: Readonly<Record<string, unknown>>) =>
    levelFor('x'.repeat(length), await settingsOf(settings))
  assert.equal(await level(10, {}), 'low')
  assert.equal(await level(120, {}), 'medium')
  assert.equal(await level(400, {}), 'high')
  assert.equal(await level(400, { reasoningLevelCap: 'medium' }), 'medium')
  assert.equal(await level(400, { dialecticDynamic: false }), 'low')
  assert.equal(await level(400, { dialecticReasoningLevel: 'max' }), 'max')
})

test('a text is cut between words', () => {
  assert.equal(shortened('one two three', 20), 'one two three')
  assert.equal(shortened('one two three', 10), 'one two …')
  assert.equal(shortened('x'.repeat(20), 10), `${'x'.repeat(10)} …`)
})
