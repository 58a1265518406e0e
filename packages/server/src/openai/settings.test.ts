import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { readApiServerSettings } from './settings.ts'

function read(environment: Readonly<Record<string, string>>, own?: object, dir = '/home/ann/.hermes') {
  const config = { ...configSchema.parse({}), ...(own && { platforms: { api_server: own } }) }
  return readApiServerSettings({ config: config as never, environment, home: openHome({ HERMES_HOME: dir }) })
}

test('it is switched on by a word or by a key, in the environment or in config.yaml', () => {
  assert.equal(read({}), undefined)
  assert.equal(read({ API_SERVER_ENABLED: 'true' })?.key, '')
  assert.equal(read({ API_SERVER_KEY: 'a key of words' })?.key, 'a key of words')
  assert.equal(read({ API_SERVER_ENABLED: 'false', API_SERVER_KEY: 'k' }), undefined)
  assert.equal(read({}, { enabled: true })?.port, 8642)
  assert.equal(read({}, { enabled: false, extra: { key: 'k' } }), undefined)
})

test('the environment goes before config.yaml, and the profile names the model', () => {
  const extra = { host: '::1', port: 1, key: 'there', model_name: 'Bob', cors_origins: ['https://a.example'] }
  const there = read({}, { enabled: true, extra })
  assert.deepEqual(there, {
    host: '::1',
    port: 1,
    key: 'there',
    corsOrigins: ['https://a.example'],
    modelName: 'Bob',
  })
  const environment = {
    API_SERVER_HOST: 'localhost',
    API_SERVER_PORT: '2',
    API_SERVER_KEY: 'here',
    API_SERVER_MODEL_NAME: 'Eve',
    API_SERVER_CORS_ORIGINS: '*',
  }
  assert.deepEqual(read(environment, { enabled: true, extra }), {
    host: 'localhost',
    port: 2,
    key: 'here',
    corsOrigins: ['*'],
    modelName: 'Eve',
  })
  assert.equal(read({ API_SERVER_ENABLED: '1' })?.modelName, 'hermes-agent')
  assert.equal(read({ API_SERVER_ENABLED: '1' }, undefined, '/home/ann/.hermes/profiles/work')?.modelName, 'work')
  assert.throws(() => read({ API_SERVER_ENABLED: '1', API_SERVER_PORT: '70000' }), { code: 'bad-setting' })
})

test('origins are let in however people write them', () => {
  const origins = 'http://localhost:3000/, HTTPS://App.Example/chat,chrome-extension://abc,null,https://b.example:443'
  assert.deepEqual(read({ API_SERVER_ENABLED: '1', API_SERVER_CORS_ORIGINS: origins })?.corsOrigins, [
    'http://localhost:3000',
    'https://app.example',
    'chrome-extension://abc',
    'null',
    'https://b.example',
  ])
})
