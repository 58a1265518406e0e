import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { runHermes } from './run-hermes.ts'

const key = (secret: string, at: number) => ({
  id: `key-${at}`,
  label: `key ${at}`,
  auth_type: 'api_key',
  priority: at,
  source: 'manual',
  access_token: secret,
  request_count: 0,
})

const refused = { fault: { type: 'http', status: 401, message: 'No such key.' } } as const

test('the second key of the pool answers when the first one is refused, and the next run knows', async () => {
  await using model = await startScriptedModel((request) =>
    String(request.headers['authorization']).endsWith('one') ? refused : { text: 'Hello.' },
  )
  await using home = await temporaryHome({
    'config.yaml': 'model: {provider: openrouter, default: m}\n',
    'auth.json': JSON.stringify({
      version: 1,
      credential_pool: { openrouter: [key('made-up-key-one', 0), key('made-up-key-two', 1)] },
    }),
  })
  const environment = { ...home.environment, OPENROUTER_BASE_URL: model.url }
  for (let run = 0; run < 2; run++) {
    const { stdout, stderr, code } = await runHermes(['-t', 'hi'], environment)
    assert.equal(code, 0, stderr)
    assert.equal(stdout, 'Hello.\n')
    assert.doesNotMatch(stderr, /made-up-key/)
  }
  assert.deepEqual(
    model.requests.map(({ headers }) => headers['authorization']),
    ['Bearer made-up-key-one', 'Bearer made-up-key-two', 'Bearer made-up-key-two'],
  )
  const stored = JSON.parse(await readFile(home.path('auth.json'), 'utf8'))
  assert.equal(stored.credential_pool.openrouter[0].last_error_code, 401)
})

test('the model of fallback_providers answers, over another wire, when the first one is gone', async () => {
  await using first = await startScriptedModel(() => refused)
  await using second = await startScriptedModel(() => ({ text: 'From the second.' }))
  await using home = await temporaryHome({
    'config.yaml': `
model: {provider: custom, default: first, base_url: "${first.url}", api_key: made-up-key-123456}
fallback_providers:
  - {provider: custom, model: second, base_url: "${second.url}", api_key: made-up-key-2, api_mode: anthropic_messages}
`,
  })
  const { stdout, stderr, code } = await runHermes(['-t', 'hi'], home.environment)
  assert.equal(code, 0, stderr)
  assert.equal(stdout, 'From the second.\n')
  assert.match(stderr, /Going on with second/)
  assert.equal(second.requests[0]?.wire, 'messages')
})

test('Amazon Bedrock is asked with the keys of the AWS account', async () => {
  const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYSCRIPTED'
  await using model = await startScriptedModel(() => ({ text: 'From Bedrock.' }), { apiKey: secret })
  await using home = await temporaryHome({
    'config.yaml': 'model: {provider: bedrock, default: "anthropic.claude-sonnet-4-5-20250929-v1:0"}\n',
  })
  const { stdout, stderr, code } = await runHermes(['-t', 'hi'], {
    ...home.environment,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIDSCRIPTEDMODEL',
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: model.url.replace('/v1', ''),
  })
  assert.equal(code, 0, stderr)
  assert.equal(stdout, 'From Bedrock.\n')
})
