import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { accessKeyId, startAwsServer } from '@hermes/testing/aws/server.ts'
import type { AwsServerOptions } from '@hermes/testing/aws/server.ts'
import { createAwsIdentities } from './credentials.ts'

const never = new AbortController().signal
const secret = 'made-up-secret-of-the-account'
const minute = 60_000

interface World {
  readonly server?: AwsServerOptions
  readonly files?: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
}

/** A person's folder, and an Amazon on loopback that every service's address leads to. */
async function setUp({ server: options = {}, files, variables = {} }: World = {}) {
  const clock = { nowMs: Date.now() }
  const now = () => clock.nowMs
  const server = await startAwsServer({ secretAccessKey: secret, now, ...options })
  const home = await temporaryHome(files)
  const environment: Record<string, string> = {
    HOME: home.dir,
    PATH: process.env['PATH'] ?? '',
    AWS_ENDPOINT_URL: server.url,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: server.url,
    ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value.replace('URL', server.url)])),
  }
  const identities = createAwsIdentities(environment, now)
  const dispose = async (): Promise<void> => {
    await server[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  }
  return { clock, server, home, environment, find: () => identities(never), [Symbol.asyncDispose]: dispose }
}

const keys = `aws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secret}\n`

test('the environment goes before the file, and a profile is found by its name', async () => {
  await using home = await temporaryHome({
    'aws-credentials':
      '# mine\n[default]\naws_access_key_id = AKIDDEFAULT\naws_secret_access_key=s1\n\n[profile work]\r\naws_access_key_id=AKIDWORK # his\r\naws_secret_access_key = s2\r\naws_session_token = t2\r\n',
  })
  const find = (variables: Record<string, string>) =>
    createAwsIdentities({ HOME: home.dir, AWS_EC2_METADATA_DISABLED: 'true', ...variables })(never)
  const file = { AWS_SHARED_CREDENTIALS_FILE: home.path('aws-credentials') }
  assert.deepEqual(await find(file), { accessKeyId: 'AKIDDEFAULT', secretAccessKey: 's1' })
  assert.deepEqual(await find({ ...file, AWS_PROFILE: 'work' }), {
    accessKeyId: 'AKIDWORK',
    secretAccessKey: 's2',
    sessionToken: 't2',
  })
  await assert.rejects(find({ ...file, AWS_PROFILE: 'none' }), {
    code: 'not-configured',
    message: /no AWS profile none/,
  })
  const own = { AWS_ACCESS_KEY_ID: 'AKIDOWN', AWS_SECRET_ACCESS_KEY: 's3' }
  assert.deepEqual(await find({ ...file, ...own }), { accessKeyId: 'AKIDOWN', secretAccessKey: 's3' })
  assert.equal(await find({ AWS_SHARED_CREDENTIALS_FILE: home.path('missing') }), undefined)
})

test('a role is taken on with the keys of another profile, kept until shortly before it ends, and not longer', async () => {
  const config =
    '[profile work]\nrole_arn = arn:aws:iam::111122223333:role/Work\nsource_profile = base\nexternal_id = ext-1\nrole_session_name = me\nregion = eu-central-1\n\n[profile nested]\nrole_arn = arn:aws:iam::111122223333:role/Own\nsource_profile = nested\n'
  await using all = await setUp({
    files: { '.aws/config': config, '.aws/credentials': `[base]\n${keys}\n[nested]\n${keys}` },
    variables: { AWS_PROFILE: 'work' },
  })
  const role = { accessKeyId: 'AKIDROLE', secretAccessKey: 'role-secret', sessionToken: 'role-token==' }
  assert.deepEqual(await all.find(), role)
  const { fields } = all.server.requests[0] ?? {}
  assert.equal(fields?.['RoleArn'], 'arn:aws:iam::111122223333:role/Work')
  assert.deepEqual([fields['ExternalId'], fields['RoleSessionName'], fields['Version']], ['ext-1', 'me', '2011-06-15'])
  all.clock.nowMs += 54 * minute
  await Promise.all([all.find(), all.find()])
  assert.equal(all.server.requests.length, 1)
  all.clock.nowMs += 2 * minute
  all.server.failNext(500, '')
  assert.deepEqual(await all.find(), role, 'what ends soon still holds')
  await Promise.all([all.find(), all.find()])
  assert.equal(all.server.requests.length, 3)
  const itsOwnSource = createAwsIdentities({ ...all.environment, AWS_PROFILE: 'nested' })
  assert.equal((await itsOwnSource(never))?.accessKeyId, 'AKIDROLE')
})

test('a refused role, a circle of profiles and a second factor are told as what they are', async () => {
  const role = 'role_arn = arn:aws:iam::111122223333:role/X\n'
  const config = `[profile refused]\n${role}source_profile = wrong\n[profile a]\n${role}source_profile = b\n[profile b]\n${role}source_profile = a\n[profile mfa]\n${role}source_profile = base\nmfa_serial = arn:aws:iam::1:mfa/me\n`
  const files = {
    '.aws/config': config,
    '.aws/credentials': '[wrong]\naws_access_key_id = A\naws_secret_access_key = B\n',
  }
  await using all = await setUp({ files })
  const find = (name: string) => createAwsIdentities({ ...all.environment, AWS_PROFILE: name })(never)
  await assert.rejects(find('refused'), { code: 'auth', message: /role\/X.*403: Not allowed to assume it/ })
  await assert.rejects(find('a'), { code: 'not-configured', message: /a → b → a go in a circle/ })
  await assert.rejects(find('mfa'), { code: 'not-configured', message: /second factor/ })
})

test('a token file of a web identity stands for a role, before any profile', async () => {
  await using all = await setUp({
    files: { token: 'web-identity-token\n', '.aws/credentials': `[default]\n${keys}` },
    variables: { AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/Pod', AWS_ROLE_SESSION_NAME: 'pod' },
  })
  const find = (variables: Record<string, string>) => createAwsIdentities({ ...all.environment, ...variables })(never)
  assert.equal((await find({ AWS_WEB_IDENTITY_TOKEN_FILE: all.home.path('token') }))?.accessKeyId, 'AKIDWEB')
  assert.equal(all.server.requests[0]?.fields['Action'], 'AssumeRoleWithWebIdentity')
  await assert.rejects(find({ AWS_WEB_IDENTITY_TOKEN_FILE: all.home.path('none') }), { code: 'not-configured' })
})

test('credential_process is run, and what it prints is used until it ends', async () => {
  const printed = JSON.stringify({
    Version: 1,
    AccessKeyId: 'AKIDPROC',
    SecretAccessKey: 's',
    SessionToken: 't',
    Expiration: '2126-01-01T00:00:00Z',
  })
  const config = `[default]\ncredential_process = echo x >> "$HOME/runs" && echo '${printed}'\n[profile bad]\ncredential_process = echo secret >&2; exit 3\n`
  await using all = await setUp({ files: { '.aws/config': config } })
  for (let use = 0; use < 3; use++) assert.equal((await all.find())?.accessKeyId, 'AKIDPROC')
  assert.equal(await readFile(all.home.path('runs'), 'utf8'), 'x\n')
  const bad = createAwsIdentities({ ...all.environment, AWS_PROFILE: 'bad' })(never)
  await assert.rejects(
    bad,
    (error: Error) => /profile bad failed \(3\)/.test(error.message) && !/secret/.test(error.message),
  )
})

const ssoConfig =
  '[default]\nsso_session = team\nsso_account_id = 111122223333\nsso_role_name = Dev\n[sso-session team]\nsso_region = eu-west-1\nsso_start_url = https://team.invalid/start\n'
const ssoFile = `.aws/sso/cache/${createHash('sha1').update('team').digest('hex')}.json`

test('the token of aws sso login gives the keys of the role', async () => {
  const token = { accessToken: 'sso-token', expiresAt: new Date(Date.now() + 60 * minute).toISOString() }
  await using all = await setUp({
    files: { '.aws/config': ssoConfig, [ssoFile]: JSON.stringify(token) },
    server: { ssoTokens: ['sso-token'] },
  })
  const found = await all.find()
  assert.deepEqual(found, { accessKeyId: 'AKIDSSO', secretAccessKey: 'sso-secret', sessionToken: 'sso-session-token' })
  assert.deepEqual(all.server.requests[0]?.fields, { role_name: 'Dev', account_id: '111122223333' })
})

test('a sign-in that is about to end is renewed where it is kept; one that is over says how to sign in', async () => {
  const over = {
    accessToken: 'sso-token',
    expiresAt: new Date(Date.now() - minute).toISOString(),
    refreshToken: 'sso-refresh',
    clientId: 'c',
    clientSecret: 's',
    registrationExpiresAt: '2126-01-01T00:00:00Z',
    region: 'eu-west-1',
  }
  await using all = await setUp({
    files: { '.aws/config': ssoConfig, [ssoFile]: JSON.stringify(over) },
    server: { ssoRefreshToken: 'sso-refresh' },
  })
  assert.equal((await all.find())?.accessKeyId, 'AKIDSSO')
  const kept = JSON.parse(await readFile(all.home.path(ssoFile), 'utf8')) as Record<string, string>
  assert.deepEqual([kept['accessToken'], kept['refreshToken'], kept['region']], ['sso-renewed', 'next', 'eu-west-1'])
  assert.equal((await stat(all.home.path(ssoFile))).mode & 0o777, 0o600)
  await using other = await setUp({ files: { '.aws/config': ssoConfig, [ssoFile]: JSON.stringify(over) } })
  await assert.rejects(other.find(), { code: 'auth', message: /aws sso login --profile default/ })
  await using none = await setUp({ files: { '.aws/config': ssoConfig } })
  await assert.rejects(none.find(), { code: 'auth', message: /aws sso login/ })
})

test('a container has its keys from its own server, by the token of a file or a variable', async () => {
  await using all = await setUp({
    files: { token: 'container-token\n' },
    variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'URL/container' },
    server: { containerToken: 'container-token', instanceRole: 'machine' },
  })
  const find = (variables: Record<string, string>) => createAwsIdentities({ ...all.environment, ...variables })(never)
  const byFile = await find({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: all.home.path('token') })
  assert.deepEqual(byFile, {
    accessKeyId: 'AKIDCONTAINER',
    secretAccessKey: 'container-secret',
    sessionToken: 'container-token',
  })
  assert.equal((await find({ AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token' }))?.accessKeyId, 'AKIDCONTAINER')
  await assert.rejects(find({}), { code: 'auth', message: /403: not this container/ })
  const elsewhere = find({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://example.com/keys' })
  await assert.rejects(elsewhere, { code: 'not-configured', message: /must be https/ })
})

test('a machine has its role from the metadata service, asked with a session of its own, unless that is turned off', async () => {
  await using all = await setUp({ server: { instanceRole: 'machine-role' } })
  assert.deepEqual(await all.find(), {
    accessKeyId: 'AKIDINSTANCE',
    secretAccessKey: 'instance-secret',
    sessionToken: 'instance-token',
  })
  assert.equal(all.server.requests[0]?.method, 'PUT')
  assert.equal(await createAwsIdentities({ ...all.environment, AWS_EC2_METADATA_DISABLED: 'true' })(never), undefined)
  await using none = await setUp()
  assert.equal(await none.find(), undefined)
  const unreachable = { ...none.environment, AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:9' }
  assert.equal(await createAwsIdentities(unreachable)(never), undefined)
})
