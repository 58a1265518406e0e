import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { awsCredentials } from './credentials.ts'

test('the environment goes before the file, and a profile is found by its name', async () => {
  await using home = await temporaryHome({
    'aws-credentials':
      '# mine\n[default]\naws_access_key_id = AKIDDEFAULT\naws_secret_access_key=s1\n\n[profile work]\r\naws_access_key_id=AKIDWORK\r\naws_secret_access_key = s2\r\naws_session_token = t2\r\n',
  })
  const file = { AWS_SHARED_CREDENTIALS_FILE: home.path('aws-credentials') }
  assert.deepEqual(await awsCredentials(file), { accessKeyId: 'AKIDDEFAULT', secretAccessKey: 's1' })
  assert.deepEqual(await awsCredentials({ ...file, AWS_PROFILE: 'work' }), {
    accessKeyId: 'AKIDWORK',
    secretAccessKey: 's2',
    sessionToken: 't2',
  })
  assert.equal(await awsCredentials({ ...file, AWS_PROFILE: 'none' }), undefined)
  const own = { AWS_ACCESS_KEY_ID: 'AKIDOWN', AWS_SECRET_ACCESS_KEY: 's3' }
  assert.deepEqual(await awsCredentials({ ...file, ...own }), { accessKeyId: 'AKIDOWN', secretAccessKey: 's3' })
  assert.equal(await awsCredentials({ AWS_SHARED_CREDENTIALS_FILE: home.path('missing') }), undefined)
})
