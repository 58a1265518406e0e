import type { ApiServerSettings } from './settings.ts'

export const testKey = 'made-up-key-of-the-tests'

/** Settings of a server for tests, at any free port. */
export function testSettings(change: Partial<ApiServerSettings> = {}): ApiServerSettings {
  return { host: '127.0.0.1', port: 0, key: testKey, corsOrigins: [], modelName: 'hermes-agent', ...change }
}

/** Headers of a client that has the key. */
export const testHeaders = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
