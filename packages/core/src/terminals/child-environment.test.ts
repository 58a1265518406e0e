import assert from 'node:assert/strict'
import { test } from 'node:test'
import { childEnvironment } from './child-environment.ts'

test('keys of providers, tools and platforms are kept from commands', () => {
  const environment = {
    PATH: '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    OPENROUTER_API_KEY: 'a',
    TELEGRAM_BOT_TOKEN: 'b',
    SUDO_PASSWORD: 'c',
    GH_TOKEN: 'd',
    GATEWAY_ALLOWED_USERS: 'e',
    MISSING: undefined,
  }
  const child = childEnvironment({ environment, passthrough: ['GH_TOKEN'] })
  assert.deepEqual(child, { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', GH_TOKEN: 'd' })
})

test('a forced variable reaches commands under its own name', () => {
  const environment = { PATH: '/usr/bin', OPENAI_API_KEY: 'mine', _HERMES_FORCE_OPENAI_API_KEY: 'theirs' }
  assert.equal(childEnvironment({ environment, passthrough: [] })['OPENAI_API_KEY'], 'theirs')
})

test('a PATH without the usual folders gets them at its end', () => {
  const { PATH } = childEnvironment({ environment: { PATH: '/opt/tool:/bin' }, passthrough: [] })
  assert.equal(PATH, '/opt/tool:/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin')
})

test('the home of commands can be another', () => {
  const child = childEnvironment({ environment: { HOME: '/home/ann' }, passthrough: [], homeDir: '/profile/home' })
  assert.equal(child['HOME'], '/profile/home')
})
