import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import { temporaryHome } from '@hermes/testing'
import { withRootVariables } from './root-variables.ts'

test('variables at the root of config.yaml count for the gateway where the environment has none', async () => {
  await using home = await temporaryHome({
    'config.yaml':
      'TELEGRAM_ALLOWED_USERS: 7\nSLACK_BOT_TOKEN: of-the-file\nSESSION_IDLE_MINUTES: 30\nTELEGRAM_HOME_CHANNEL: 5\ntimezone: UTC\n',
    '.env': 'SLACK_BOT_TOKEN=of-the-environment\n',
  })
  const profile = await openProfile(home.environment)
  assert.equal(profile.config.session_reset.idle_minutes, 1440)
  const { environment, config } = await withRootVariables(profile)
  assert.equal(environment['TELEGRAM_ALLOWED_USERS'], '7')
  assert.equal(environment['SLACK_BOT_TOKEN'], 'of-the-environment')
  assert.equal(config.session_reset.idle_minutes, 30)
  // Chats set it by /sethome; the environment would go before that.
  assert.deepEqual([environment['TELEGRAM_HOME_CHANNEL'], environment['timezone']], [undefined, undefined])
  await using plain = await temporaryHome()
  const own = await openProfile(plain.environment)
  assert.equal(await withRootVariables(own), own)
})
