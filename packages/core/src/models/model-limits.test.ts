import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tables } from './catalogue/registry.ts'
import { familyContextLength, familyOutputLimit } from './model-limits.ts'

const windows: readonly [string, number][] = [
  ['anthropic/claude-sonnet-4.5', 200_000],
  ['anthropic/claude-opus-4.6', 1_000_000],
  ['claude-opus-5-5', 1_000_000],
  ['claude-3-haiku', 200_000],
  ['openai/gpt-5-mini', 400_000],
  ['gpt-5.4-pro', 1_050_000],
  ['gpt-4.1-nano', 1_047_576],
  ['qwen3-coder:30b', 262_144],
  ['Qwen/Qwen3-8B', 131_072],
  ['x-ai/grok-4-fast', 2_000_000],
  ['z-ai/glm-5', 202_752],
  ['o3-mini', 200_000],
  ['pro1', 128_000],
  ['', 128_000],
]
for (const [model, expected] of windows) {
  test(`the window of ${model || 'an unknown model'} is ${expected}`, () => {
    assert.equal(familyContextLength(model), expected)
  })
}

test('only families that must be told an output limit have one', () => {
  assert.equal(familyOutputLimit('anthropic/claude-sonnet-4.6'), 128_000)
  assert.equal(familyOutputLimit('anthropic/claude-opus-4.1'), 32_000)
  assert.equal(familyOutputLimit('anthropic/claude-3-haiku'), 4096)
  assert.equal(familyOutputLimit('openai/gpt-5'), undefined)
})

const makers: readonly [provider: string, names: RegExp][] = [
  ['anthropic', /./],
  ['openai', /./],
  ['gemini', /./],
  ['xai', /./],
  ['deepseek', /./],
  ['mistral', /./],
  ['zai', /./],
  ['kimi-coding', /./],
  ['minimax', /./],
  ['xiaomi', /./],
  ['alibaba', /^qwen/],
]
for (const [provider, names] of makers) {
  test(`no family is said to hold more than a model of ${provider} that is in the catalogue`, async () => {
    const { rows = [] } = (await tables[provider]?.()) ?? {}
    assert.ok(rows.length > 0)
    for (const [id, contextLength, maxOutputTokens] of rows.filter(([id]) => names.test(id))) {
      assert.ok(familyContextLength(id) <= contextLength, `${id}: ${familyContextLength(id)} > ${contextLength}`)
      assert.ok((familyOutputLimit(id) ?? 0) <= maxOutputTokens, id)
    }
  })
}

test('the families of makers that serve few models are as the catalogue has them', async () => {
  for (const provider of ['anthropic', 'openai', 'gemini', 'xai', 'deepseek']) {
    for (const [id, contextLength] of (await tables[provider]?.())?.rows ?? []) {
      assert.equal(familyContextLength(id), contextLength, id)
    }
  }
})
