import assert from 'node:assert/strict'
import { test } from 'node:test'
import { knownProviders } from '../providers/registry.ts'
import { endpointOf } from './endpoints.ts'

async function keyHint(provider: string, baseUrl: string | undefined): Promise<string> {
  const choice = { provider, model: 'm', baseUrl, apiKey: undefined, apiMode: undefined }
  const sources = {
    environment: {},
    home: undefined,
    credentials: undefined,
    providers: knownProviders({ environment: {} }),
    own: new Map(),
    envFile: '.env',
  }
  return (await endpointOf(choice, sources)).place.keyHint
}

test('an endpoint is told the variable whose key may go to it', async () => {
  assert.match(await keyHint('custom', 'https://models.example/v1'), /^Set OPENAI_API_KEY in \.env/)
  assert.match(await keyHint('custom', 'http://127.0.0.1:9/v1'), /^Set OPENAI_API_KEY in \.env/)
  assert.match(await keyHint('ollama', undefined), /^Set OLLAMA_API_KEY in \.env/)
})
