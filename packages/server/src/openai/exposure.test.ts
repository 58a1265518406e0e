import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkExposure } from './settings.ts'
import { testSettings } from './test-settings.ts'

test('without a key nothing but loopback is listened on', async () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', 'localhost']) {
    await checkExposure(testSettings({ host, key: '' }))
  }
  for (const host of ['0.0.0.0', '::', '192.168.1.4', '::ffff:10.0.0.1', 'no-such-host.invalid']) {
    await assert.rejects(checkExposure(testSettings({ host, key: '' })), { code: 'no-key' }, host)
  }
})

test('without a key no page is let in that may be of any site', async () => {
  const at = (key: string, ...corsOrigins: readonly string[]) =>
    checkExposure(testSettings({ host: '127.0.0.1', key, corsOrigins }))
  await at('', 'http://localhost:3000', 'https://app.example')
  await at('made-up-key-of-the-tests', '*', 'null')
  for (const any of ['*', 'null']) {
    await assert.rejects(at('', 'https://app.example', any), { code: 'no-key', message: /every page.*API_SERVER_KEY/ })
  }
})

test('keys that are placeholders or too short let nobody in from outside', async () => {
  const weak = ['short', 'changeme', 'change-me-please', 'your-api-key-here', '<your key>', 'sk-xxx', 'aaaaaaaaaaaa']
  for (const key of weak) {
    await assert.rejects(checkExposure(testSettings({ host: '0.0.0.0', key })), { code: 'weak-key' }, key)
  }
  await checkExposure(testSettings({ host: '0.0.0.0', key: 'qX7-horse-battery' }))
})
