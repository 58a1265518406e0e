import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSecretName, knownSecrets, secretsIn } from './known-secrets.ts'
import { createRedactor } from './redact.ts'

test('names of secrets are told from other names', () => {
  for (const name of [
    'OPENROUTER_API_KEY',
    'FAL_KEY',
    'api_key',
    'apiKey',
    'accessToken',
    'client_secret',
    'SUDO_PASSWORD',
    'MY_TOKEN_2',
    'Authorization',
    'x-api-key',
    'auth',
  ]) {
    assert.ok(isSecretName(name), name)
  }
  for (const name of [
    'max_tokens',
    'key_env',
    'SSH_AUTH_SOCK',
    'MONKEY',
    'AUTHOR',
    'KEYBOARD',
    'token_url',
    'tokenizer',
    'model',
    'compact',
  ]) {
    assert.ok(!isSecretName(name), name)
  }
})

test('secrets of the environment and of the configuration are found under their names', () => {
  const environment = {
    OPENROUTER_API_KEY: 'made-up-key-ddd',
    SLACK_BOT_TOKEN: 'first-token-1,second-token-2',
    TERMINAL_SSH_KEY: '/home/ann/.ssh/id_ed25519',
    PATH: '/usr/bin:/bin',
    APP_KEY: 'development',
    CUSTOM_KEY: undefined,
  }
  const config = {
    auxiliary: { vision: { api_key: 'vision-key-1', model: 'gpt-4o' } },
    providers: { local: { api_key: '${LOCAL_KEY}' } },
    mcp_servers: { fs: { headers: { Authorization: 'Bearer mcp-token-99' }, args: ['--x'] } },
  }
  assert.deepEqual(
    [...knownSecrets(environment, config)].map(({ name, value }) => `${name}=${value}`),
    [
      'OPENROUTER_API_KEY=made-up-key-ddd',
      'SLACK_BOT_TOKEN=first-token-1,second-token-2',
      'SLACK_BOT_TOKEN=first-token-1',
      'SLACK_BOT_TOKEN=second-token-2',
      'auxiliary.vision.api_key=vision-key-1',
      'mcp_servers.fs.headers.Authorization=mcp-token-99',
    ],
  )
})

test('the keys of an auth.json are found', () => {
  const store = { credential_pool: { openrouter: [{ id: '545a41', label: 'mine', access_token: 'made-up-key-aaa' }] } }
  assert.deepEqual(
    [...secretsIn(store)],
    [{ name: 'credential_pool.openrouter.access_token', value: 'made-up-key-aaa' }],
  )
})

test('a canary in the environment is gone from every kind of text', () => {
  const canary = 'canary value/with+signs?'
  const redactor = createRedactor({ enabled: true, known: knownSecrets({ CANARY_TOKEN: canary }, {}) })
  const texts = [
    `env: CANARY_TOKEN=${canary}`,
    JSON.stringify({ output: `line\n${canary}\n` }),
    JSON.stringify(JSON.stringify({ output: canary })),
    `https://example.com/?q=${encodeURIComponent(canary)}`,
    new Error(`could not log in with ${canary}`).stack ?? '',
    `$ curl -H 'X: ${canary}' | tee`,
    Buffer.from(canary).toString('base64'),
  ]
  for (const text of texts) {
    const redacted = redactor.redact(text)
    assert.ok(!redacted.includes('canary'), redacted)
    assert.match(redacted, /«secret:CANARY_TOKEN»/)
  }
})
