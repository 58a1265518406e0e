import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRedactor } from '@hermes/core/security/redact.ts'
import * as fc from 'fast-check'
import { hidden, isSecretName, redactArguments } from './redact-arguments.ts'

const redactor = createRedactor({ enabled: true, known: [{ name: 'MY_KEY', value: 'a-known-secret-value' }] })

test('names of secrets are found in every spelling, and other names are left alone', () => {
  const secret = [
    'key',
    'apiKey',
    'api_key',
    'API-KEY',
    'x-api-key',
    'accessToken',
    'token',
    'tokens',
    'refresh_token',
    'password',
    'db_password',
    'passwd',
    'Authorization',
    'cookie',
    'credentials',
    'clientSecret',
    'private_key',
    'sessionId',
    'otp',
  ]
  for (const name of secret) assert.ok(isSecretName(name), name)
  for (const name of [
    'query',
    'path',
    'monkey',
    'keyboard',
    'author',
    'tokenizer_name',
    'max_tokens_count',
    'spinning',
  ])
    assert.equal(isSecretName(name), name === 'max_tokens_count', name)
})

test('secrets go by name at any depth, and by value anywhere', () => {
  assert.deepEqual(
    redactArguments(
      {
        url: 'https://api.example.com',
        headers: [{ Authorization: 'Bearer abc' }, { accept: '*/*' }],
        deep: { deeper: { password: { value: 'x' } } },
        text: 'say a-known-secret-value',
        empty_token: '',
        n: 3,
        max_tokens: 100,
        pin: 1234,
        loginOtp: 987_654,
        has_password: true,
      },
      redactor,
    ),
    {
      url: 'https://api.example.com',
      headers: [{ Authorization: hidden }, { accept: '*/*' }],
      deep: { deeper: { password: hidden } },
      text: 'say «secret:MY_KEY»',
      empty_token: '',
      n: 3,
      max_tokens: 100,
      pin: hidden,
      loginOtp: hidden,
      has_password: true,
    },
  )
})

test('what is shown is bounded, and is always an object', () => {
  const shown = redactArguments({ text: 'a'.repeat(10_000), list: Array.from({ length: 500 }, () => 'x') }, redactor)
  assert.equal(String(shown['text']).length, 2_001)
  assert.equal((shown['list'] as unknown[]).length, 50)
  assert.deepEqual(redactArguments('text', redactor), { value: 'text' })
  assert.deepEqual(redactArguments([1], redactor), { value: [1] })
  let deep: unknown = 'end'
  for (let level = 0; level < 1_000; level++) deep = { deep }
  assert.ok(JSON.stringify(redactArguments(deep, redactor)).length < 200)
})

test('a secret under a secret name never comes through, whatever is around it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'list', 'x'), { maxLength: 6 }), fc.boolean(), (path, inList) => {
      let value: unknown = { api_key: 'zzz-the-value-zzz' }
      for (const name of path) value = inList ? [{ [name]: value }] : { [name]: value }
      assert.equal(JSON.stringify(redactArguments(value, redactor)).includes('zzz-the-value-zzz'), false)
    }),
  )
})
