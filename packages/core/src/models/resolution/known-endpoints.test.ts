import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { openProfile } from '../../config/open-profile.ts'
import { knownProviders } from '../providers/registry.ts'
import { createEndpoints } from './known-endpoints.ts'

test('credentials that are added while it runs are asked for after a second at the latest', async () => {
  await using dir = await temporaryHome({})
  const { home } = await openProfile(dir.environment)
  const environment = { OPENROUTER_API_KEY: 'made-up-key' }
  let now = 0
  const sources = {
    environment,
    home,
    credentials: () => Promise.reject(new Error('the pool was asked')),
    providers: knownProviders({ environment }),
    own: new Map(),
    envFile: '.env',
  }
  const endpoints = createEndpoints(sources, () => now)
  const of = (provider: string) =>
    endpoints({ provider, model: 'm', baseUrl: undefined, apiKey: undefined, apiMode: undefined })
  const first = await of('openrouter')
  await writeFile(dir.path('auth.json'), '{}')
  now = 999
  assert.equal(await of('openrouter'), first)
  now = 1000
  await assert.rejects(of('openrouter'), /the pool was asked/)
  await assert.rejects(of('openrouter'), /the pool was asked/)
})

test('whoever lacks a key and adds it need not wait', async () => {
  await using dir = await temporaryHome({})
  const { home } = await openProfile(dir.environment)
  const sources = {
    environment: {},
    home,
    credentials: () => Promise.reject(new Error('the pool was asked')),
    providers: knownProviders({ environment: {} }),
    own: new Map(),
    envFile: '.env',
  }
  const endpoints = createEndpoints(sources, () => 0)
  const choice = { provider: 'deepseek', model: 'm', baseUrl: undefined, apiKey: undefined, apiMode: undefined }
  await assert.rejects(endpoints(choice), { code: 'not-configured' })
  await writeFile(dir.path('auth.json'), '{}')
  await assert.rejects(endpoints(choice), /the pool was asked/)
})
