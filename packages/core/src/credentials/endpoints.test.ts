import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '../config/schema.ts'
import { poolSettings } from './endpoints.ts'

const settings = (config: unknown, environment: Readonly<Record<string, string>> = {}) =>
  poolSettings(configSchema.parse(config), environment)

test('the keys of named endpoints are found, written or named, under either setting', () => {
  const { endpoints } = settings(
    {
      providers: {
        'My Box': { base_url: 'http://box/v1', api_key: 'made-up-1' },
        other: { url: 'http://other/v1', key_env: 'OTHER_KEY' },
        keyless: { base_url: 'http://keyless/v1' },
      },
      custom_providers: [{ name: 'Old', base_url: 'http://old/v1', api_key: 'made-up-3' }],
    },
    { OTHER_KEY: 'made-up-2' },
  )
  assert.deepEqual(endpoints, [
    { pool: 'custom:my-box', source: 'config:My Box', baseUrl: 'http://box/v1', key: 'made-up-1' },
    { pool: 'custom:other', source: 'config:other', baseUrl: 'http://other/v1', key: 'made-up-2' },
    { pool: 'custom:keyless', source: 'config:keyless', baseUrl: 'http://keyless/v1', key: '' },
    { pool: 'custom:old', source: 'config:Old', baseUrl: 'http://old/v1', key: 'made-up-3' },
  ])
})

test("the model's own key belongs to its endpoint, to a named one at the same address, or to its provider", () => {
  const pools = (config: unknown) => settings(config).endpoints.map(({ pool, source }) => `${pool} ${source}`)
  assert.deepEqual(pools({ model: { base_url: 'http://box/v1', api_key: 'made-up' } }), ['custom model_config'])
  const providers = { box: { base_url: 'http://box/v1/', api_key: 'made-up-1' } }
  assert.deepEqual(pools({ providers, model: { base_url: 'http://box/v1', api_key: 'made-up' } }), [
    'custom:box config:box',
    'custom:box model_config',
  ])
  assert.deepEqual(pools({ model: { provider: 'kimi', api_key: 'made-up' } }), ['kimi-coding model_config'])
  assert.deepEqual(pools({ model: { provider: 'openai', base_url: 'http://proxy/v1' } }), ['openai model_config'])
  assert.deepEqual(pools({ model: { provider: 'auto', api_key: 'made-up' } }), [])
})

test('providers are chosen by the model, its prefix and the fallbacks, under any of their names', () => {
  const { chosen } = settings({
    model: { default: 'claude/claude-opus-4-6', provider: 'qwen-cli' },
    fallback_providers: [{ provider: 'google', model: 'gemini' }],
  })
  assert.deepEqual(chosen, ['qwen-oauth', 'gemini', 'anthropic'])
})

test('strategies are taken with either spelling, for a provider under any of its names', () => {
  const { strategies } = settings({ credential_pool_strategies: { claude: 'round-robin', xai: 'least_used' } })
  assert.deepEqual(strategies, { anthropic: 'round_robin', xai: 'least_used' })
})
