import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { createContext } from '../agent/create-context.ts'
import { createToolSource } from './tool-source.ts'

const names = ['vision', 'image_gen', 'tts', 'homeassistant', 'moa']

/** What tools of media lack with these settings, by their names; undefined for those that are there. */
async function lacking(files: Readonly<Record<string, string>>) {
  await using home = await temporaryHome(files)
  await using context = await createContext({ environment: home.environment, cwd: home.dir })
  const survey = await context.tools.survey(names)
  const there = [...(await context.tools.load(names)).keys()]
  for (const { name, missing } of survey) assert.equal(there.includes(name), missing === undefined, name)
  return Object.fromEntries(survey.map(({ name, missing }) => [name, missing]))
}

test('what a profile without keys lacks is told with the variable to set; speech is there', async () => {
  const missing = await lacking({ 'config.yaml': 'tools: {search: never}\n' })
  assert.match(missing['vision_analyze'] ?? '', /auxiliary\.vision/)
  assert.match(missing['image_generate'] ?? '', /^FAL_KEY is not set/)
  assert.match(missing['ha_call_service'] ?? '', /^HASS_TOKEN is not set/)
  assert.match(missing['mixture_of_agents'] ?? '', /^OPENROUTER_API_KEY is not set/)
  assert.equal(missing['text_to_speech'], undefined)
})

test('with the keys all are there', async () => {
  const missing = await lacking({
    'config.yaml': 'tools: {search: never}\n',
    '.env': 'FAL_KEY=a\nHASS_TOKEN=b\nOPENROUTER_API_KEY=c\n',
  })
  assert.deepEqual(Object.values(missing).filter(Boolean), [])
})

test('a model that does not see leaves vision to another one, and where there is none it is not there', async () => {
  const blind = 'model: {provider: deepseek, default: deepseek-v4-pro}\ntools: {search: never}\n'
  const alone = await lacking({ 'config.yaml': blind, '.env': 'DEEPSEEK_API_KEY=a\n' })
  assert.match(alone['vision_analyze'] ?? '', /auxiliary\.vision/)
  const helped = await lacking({ 'config.yaml': blind, '.env': 'DEEPSEEK_API_KEY=a\nGOOGLE_API_KEY=b\n' })
  assert.equal(helped['vision_analyze'], undefined)
  const set = await lacking({
    'config.yaml': `${blind}auxiliary: {vision: {provider: main}}\n`,
    '.env': 'DEEPSEEK_API_KEY=a\n',
  })
  assert.equal(set['vision_analyze'], undefined)
})

test('which model sees is asked once a second, however many sessions begin', async () => {
  await using home = await temporaryHome({ 'config.yaml': 'model: {provider: openrouter, default: any}\n' })
  await using context = await createContext({ environment: home.environment, cwd: home.dir })
  let now = 1_000
  let asked = 0
  const resolve: typeof context.models.resolve = (...given) => {
    asked++
    return context.models.resolve(...given)
  }
  const agent = { ...context, clock: { ...context.clock, now: () => now }, models: { ...context.models, resolve } }
  const tools = createToolSource(() => agent)
  const load = (id: string) => tools.load(['vision'], { id, platform: 'cli' })
  await load('a')
  now += 999
  await load('b')
  assert.equal(asked, 1)
  now += 1
  await load('c')
  assert.equal(asked, 2)
})
