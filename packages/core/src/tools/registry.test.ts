import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '../config/schema.ts'
import type { LogFields } from '../log/logger.ts'
import { silentLogger } from '../log/logger.ts'
import { ModelError } from '../models/model-error.ts'
import type { Models } from '../models/model.ts'
import { tools } from './registry.ts'
import { testContext } from './test-context.ts'
import { toolFacts } from './tool-facts.ts'
import { toolSchema } from './tool-schema.ts'
import { createToolSource } from './tool-source.ts'
import { finderTools, toolsOf } from './toolsets.ts'

/** A source whose warnings are kept. */
async function source(settings: { memory_enabled: boolean; user_profile_enabled: boolean }) {
  const warnings: LogFields[] = []
  await using t = await testContext()
  const agent = {
    ...t.context.agent,
    config: configSchema.parse({ memory: settings, tools: { search: 'never' } }),
    // What needs a model, or a key, is not there.
    models: { resolve: () => Promise.reject(new ModelError('not-configured', 'none')) } as unknown as Models,
    log: { ...silentLogger, warn: (fields: LogFields) => void warnings.push(fields) },
  }
  return { warnings, source: createToolSource(() => agent) }
}

const on = { memory_enabled: true, user_profile_enabled: true }

test('every tool is in the registry by its own name, and in the toolset that it names', async () => {
  for (const [name, load] of Object.entries(tools)) {
    const tool = await load()
    assert.equal(tool.name, name)
    if (!finderTools.includes(name)) assert.ok(toolsOf([tool.toolset]).tools.includes(name), name)
  }
  assert.deepEqual([...toolsOf(['all']).tools, ...finderTools].sort(), Object.keys(tools).sort())
})

test('toolsets are joined, and names that mean none are told', () => {
  assert.deepEqual(toolsOf(['file', 'terminal', 'file']), {
    tools: ['patch', 'process', 'read_file', 'search_files', 'terminal', 'write_file'],
    unknown: [],
  })
  assert.deepEqual(toolsOf(['todo', 'nonsense', 'constructor', 'wab']), {
    tools: ['todo'],
    unknown: ['nonsense', 'constructor', 'wab'],
  })
  assert.deepEqual(toolsOf(['hermes-telegram']), toolsOf(['hermes-cli']))
  assert.ok(!toolsOf(['hermes-acp', 'hermes-api-server']).tools.includes('clarify'))
  assert.deepEqual(toolsOf([]).tools, [])
})

test('tools are loaded by toolset, sorted by name; unknown toolsets are logged', async () => {
  const { source: tools, warnings } = await source(on)
  assert.deepEqual([...(await tools.load(['memory', 'todo', 'nonsense'])).keys()], ['memory', 'todo'])
  assert.deepEqual(warnings, [{ toolsets: ['nonsense'] }])
})

test('a tool that the profile cannot use is left out', async () => {
  const { source: tools } = await source({ memory_enabled: false, user_profile_enabled: false })
  assert.deepEqual([...(await tools.load(['memory', 'todo'])).keys()], ['todo'])
})

test('a tool has one schema, of an object, and all of them together are short', async () => {
  const all = await Promise.all(Object.values(tools).map((load) => load()))
  for (const tool of all) {
    const schema = toolSchema(tool)
    assert.equal(toolSchema(tool), schema)
    assert.equal(schema.parameters['type'], 'object')
    assert.ok(!JSON.stringify(schema).includes('9007199254740991'))
  }
  const upstream = [
    'clarify',
    'memory',
    'patch',
    'process',
    'read_file',
    'search_files',
    'session_search',
    'terminal',
    'todo',
    'write_file',
  ]
  const chars = all
    .filter(({ name }) => upstream.includes(name))
    .reduce((sum, tool) => sum + JSON.stringify(toolSchema(tool)).length, 0)
  assert.ok(chars / 4 <= 2_200, `${chars / 4} tokens`)
})

test('what is known of a tool beforehand survives JSON and is what the tool says', async () => {
  const facts = await toolFacts()
  assert.deepEqual(JSON.parse(JSON.stringify(facts)), facts)
  const { source: handles } = await source(on)
  for (const [name, handle] of await handles.load(['all'])) {
    const tool = await handle.open()
    assert.equal(tool.name, name)
    // Those that find others name them, which the tool alone cannot.
    if (!finderTools.includes(name)) assert.deepEqual(handle.schema, toolSchema(tool))
  }
})
