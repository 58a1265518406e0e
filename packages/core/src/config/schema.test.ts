import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCatalogue } from './catalogue.ts'
import { configSchema } from './schema.ts'
import { schemaFingerprint } from './schema-fingerprint.ts'
import { getAt } from './tree.ts'

const catalogue = createCatalogue()

test('the fingerprint is that of the code that reads the files', () => {
  const folder = import.meta.dirname
  const sections = readdirSync(join(folder, 'sections')).map((name) => join('sections', name))
  const readers = ['legacy.ts', 'read-config.ts', 'schema.ts', 'short-forms.ts', 'values.ts', 'yaml-file.ts']
  const hash = createHash('sha256')
  for (const name of [...readers, ...sections.sort()]) {
    hash.update(readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n'))
  }
  const fingerprint = hash.digest('hex').slice(0, 12)
  assert.equal(schemaFingerprint, fingerprint, `the code changed: put '${fingerprint}' into schema-fingerprint.ts`)
})

test('a platform needs no more than to be named', () => {
  assert.equal(configSchema.parse({ platforms: { telegram: { enabled: true } } }).platforms['telegram']?.enabled, true)
})

test('every setting says in one line what it is and what it accepts', () => {
  assert.ok(catalogue.settings.length > 250)
  for (const { key, description, accepts } of catalogue.settings) {
    assert.match(description, /^[^\n]{3,140}[.…]$/, key)
    assert.notEqual(accepts, '', key)
  }
})

test('nothing at all is a whole configuration, and defaults are what upstream users know', () => {
  const config = configSchema.parse({})
  assert.equal(config.agent.max_turns, 90)
  assert.equal(config.terminal.timeout, 60)
  assert.equal(config.display.streaming, true)
  assert.equal(config.display.busy_input_mode, 'interrupt')
  assert.equal(config.checkpoints.enabled, false)
  assert.equal(config.delegation.max_iterations, 45)
  assert.equal(config.approvals.mode, 'manual')
  assert.equal(config.security.redact_secrets, true)
  assert.equal(config.memory.memory_char_limit, 2200)
  assert.deepEqual(config.delegation.default_toolsets, ['terminal', 'file', 'web'])
})

test('every default is accepted when it is written down', () => {
  const config = configSchema.parse({})
  assert.deepEqual(configSchema.parse(structuredClone(config)), config)
  for (const { path, fallback } of catalogue.settings) assert.deepEqual(getAt(config, path), fallback)
})

const accepted: readonly [key: string, written: unknown, taken: unknown][] = [
  ['approvals.mode', false, 'off'],
  ['approvals.mode', true, 'manual'],
  ['approvals.mode', 'OFF', 'off'],
  ['display.tool_progress', false, 'off'],
  ['display.tool_progress', true, 'all'],
  ['human_delay.mode', false, 'off'],
  ['agent.reasoning_effort', false, 'none'],
  ['agent.service_tier', true, 'priority'],
  ['agent.service_tier', 'standard', 'normal'],
  ['logging.level', 'debug', 'DEBUG'],
  ['logging.level', 'warn', 'WARNING'],
  ['agent.max_turns', '60', 60],
  ['agent.max_turns', '', 90],
  ['agent.max_turns', null, 90],
  ['terminal.container_cpu', '', 1],
  ['terminal.container_cpu', '0.5', 0.5],
  ['terminal.container_persistent', 'no', false],
  ['compression.enabled', 0, false],
  ['model', 'z-ai/glm-5', { default: 'z-ai/glm-5' }],
  ['model.default', 4, '4'],
  ['checkpoints', true, { enabled: true }],
  ['terminal.docker_volumes', '["a:b"]', ['a:b']],
  ['discord.free_response_channels', 123, ['123']],
  ['discord.free_response_channels', '1, 2', ['1', '2']],
  ['discord.free_response_channels', '', []],
  ['toolsets', [], []],
  ['agent.personalities', { pirate: 'Arr', calm: { tone: 'calm' } }, { pirate: 'Arr', calm: { tone: 'calm' } }],
  ['agent.tool_use_enforcement', ['gpt'], ['gpt']],
]

for (const [key, written, taken] of accepted) {
  test(`${key} takes ${JSON.stringify(written)} as ${JSON.stringify(taken)}`, () => {
    const path = key.split('.')
    const tree = path.reduceRight((inner: unknown, part) => ({ [part]: inner }), written)
    const got = getAt(configSchema.parse(tree), path)
    if (typeof taken === 'object' && taken !== null && !Array.isArray(taken)) assert.partialDeepStrictEqual(got, taken)
    else assert.deepEqual(got, taken)
  })
}

test('typos find their keys', () => {
  assert.deepEqual(catalogue.nearest('agent.max_turn')[0], 'agent.max_turns')
  assert.deepEqual(catalogue.nearest('display.skinn')[0], 'display.skin')
  assert.ok(catalogue.nearest('max_turns').includes('agent.max_turns'))
  assert.deepEqual(catalogue.nearest('some_plugin_key'), [])
})

test('a path inside a free mapping belongs to its setting, one inside a plain setting to none', () => {
  assert.equal(catalogue.settingAt(['providers', 'local', 'base_url'])?.key, 'providers')
  assert.equal(catalogue.settingAt(['agent', 'max_turns', 'x']), undefined)
  assert.equal(catalogue.settingAt(['agent']), undefined)
  assert.equal(catalogue.isSection(['agent']), true)
  assert.equal(catalogue.isSection(['agent', 'max_turns']), false)
})
