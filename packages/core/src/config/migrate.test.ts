import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyEdits } from './edit.ts'
import { planMigration } from './migrate.ts'
import { readConfigTexts } from './read-config.ts'
import { getAt } from './tree.ts'
import { parseYamlFile } from './yaml-file.ts'

async function migrate(text: string): Promise<{ text: string; steps: readonly string[] }> {
  const { edits, steps } = planMigration(parseYamlFile(text, 'config.yaml').tree)
  return { text: await applyEdits(text, edits), steps }
}

const old = `# mine
max_turns: 30  # few
model: z-ai/glm-5
base_url: http://localhost:1/v1
terminal: {env_type: docker, timeout: 5}
stt:
  provider: openai
  model: whisper-1
compression:
  summary_model: cheap
  summary_provider: openrouter
personalities: {pirate: Arr}
display:
  tool_progress_overrides: {telegram: new}
custom_providers:
  - name: My Server
    base_url: https://llm.example.com/v1
    api_key: \${MY_KEY}
    model: big
    models: {big: {context_length: 1000}}
  - base_url: http://10.0.0.5:8000/v1
`

test('older places are moved, comments and variables stay, and it means the same as before', async () => {
  const { text, steps } = await migrate(old)
  const { tree } = parseYamlFile(text, 'config.yaml')
  assert.deepEqual(getAt(tree, ['agent']), { max_turns: 30, personalities: { pirate: 'Arr' } })
  assert.deepEqual(getAt(tree, ['model']), { default: 'z-ai/glm-5', base_url: 'http://localhost:1/v1' })
  assert.deepEqual(getAt(tree, ['terminal']), { timeout: 5, backend: 'docker' })
  assert.deepEqual(getAt(tree, ['providers']), {
    'my-server': {
      name: 'My Server',
      api_key: '${MY_KEY}',
      models: { big: { context_length: 1000 } },
      api: 'https://llm.example.com/v1',
      default_model: 'big',
    },
    '10-0-0-5': { api: 'http://10.0.0.5:8000/v1' },
  })
  for (const key of ['max_turns', 'base_url', 'custom_providers', 'personalities'])
    assert.equal(getAt(tree, [key]), undefined)
  assert.equal(tree['_config_version'], 17)
  assert.match(text, /^# mine\n/)
  assert.equal(steps.length, 10)

  const before = readConfigTexts({ config: old, gateway: undefined }, {}).config
  const after = readConfigTexts({ config: text, gateway: undefined }, {}).config
  for (const key of ['agent', 'model', 'terminal', 'stt', 'compression', 'auxiliary', 'display']) {
    assert.partialDeepStrictEqual(after[key], withoutOverrides(before[key]))
  }
})

function withoutOverrides(section: unknown): unknown {
  return JSON.parse(
    JSON.stringify(section, (key, value: unknown) => (key === 'tool_progress_overrides' ? undefined : value)),
  )
}

test('a second migration finds nothing to do', async () => {
  const { text } = await migrate(old)
  assert.deepEqual(planMigration(parseYamlFile(text, 'config.yaml').tree), { edits: [], steps: [] })
})

test('a value in its own place stays, and the older one goes', async () => {
  const { text, steps } = await migrate('max_turns: 30\nagent: {max_turns: 60}\n')
  assert.equal(text, 'agent: {max_turns: 60}\n_config_version: 17\n')
  assert.match(steps[0] ?? '', /max_turns is removed/)
})

test('a file that is current is left alone, and an older version number is raised', async () => {
  assert.deepEqual(await migrate('agent: {max_turns: 60}\n'), { text: 'agent: {max_turns: 60}\n', steps: [] })
  assert.equal((await migrate('_config_version: 12\n')).text, '_config_version: 17\n')
  assert.equal((await migrate('_config_version: 18\n')).text, '_config_version: 18\n')
})
