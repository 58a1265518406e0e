import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { createPairingStore } from '@hermes/gateway/access/pairing-store.ts'
import { platformFacts } from '@hermes/gateway/life/setup/registry.ts'
import { temporaryHome } from '@hermes/testing'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { runForTest } from '../auth/run-for-test.ts'
import { command } from '../gateway.ts'

test('a platform is set up by a script, after its service has taken the token', async () => {
  await using service = await startTelegram()
  await using home = await temporaryHome({
    'config.yaml': `platforms: {telegram: {extra: {base_url: "${service.url}/bot"}}}\n`,
    '.env': '# mine\nOTHER=1\n',
  })
  const setup = (...argv: readonly string[]) =>
    runForTest(command, ['setup', 'telegram', ...argv], { environment: home.environment })
  const wrong = await setup('--set', 'TELEGRAM_BOT_TOKEN=1234567:made-up-and-refused')
  assert.deepEqual([wrong.code, /Telegram says: .*\nNothing was changed/.test(wrong.stderr)], [1, true], wrong.stderr)
  assert.ok(!(wrong.stderr + wrong.stdout).includes('made-up-and-refused'))
  const right = await setup('--set', `TELEGRAM_BOT_TOKEN=${service.token}`, '--set', 'TELEGRAM_ALLOWED_USERS=7, 8')
  assert.equal(right.code, 0, right.stderr)
  assert.match(right.stderr, /✓ Telegram knows it: @\w+/)
  const text = await readFile(home.path('.env'), 'utf8')
  assert.match(text, /^# mine\nOTHER=1\n/)
  assert.match(text, /TELEGRAM_ALLOWED_USERS="?7,8/)
  assert.equal((await stat(home.path('.env'))).mode & 0o777, 0o600)
  assert.equal((await setup('--set', 'TELEGRAM_BOT_TOKEN=nonsense')).code, 2)
  assert.match((await setup('--set', 'DISCORD_BOT_TOKEN=x')).stderr, /telegram has: TELEGRAM_BOT_TOKEN/)
  const byName = await setup('--set', 'TELEGRAM_ALLOWED_USERS=7, ann')
  assert.deepEqual([byName.code, /by their number.*not "ann"/.test(byName.stderr)], [2, true], byName.stderr)
  assert.match(right.stderr, /Next: "hermes gateway run"/)
  assert.match((await setup()).stderr, /only a terminal can be asked\. In a script: .*--set TELEGRAM_BOT_TOKEN=VALUE/)
  const webhook = await runForTest(command, ['setup', 'webhook'], { environment: home.environment })
  assert.match(webhook.stderr, /In a script: .*--set WEBHOOK_ENABLED=true/)
})

test('completion and help name the platforms', () => {
  const found = command.subcommands?.find(({ name }) => name === 'setup')
  assert.match(found?.positionals ?? '', /^\[telegram\|discord\|[\w|]+\]$/)
})

test('each service is asked as it wants to be, and its refusal is told', async () => {
  const asked: string[] = []
  const answers: Readonly<Record<string, readonly [number, unknown]>> = {
    '/v10/users/@me': [200, { id: '1', username: 'hermes' }],
    '/auth.test': [200, { ok: true, user: 'hermes', team: 'Home' }],
    '/apps.connections.open': [200, { ok: false, error: 'invalid_auth' }],
    '/_matrix/client/v3/account/whoami': [401, { errcode: 'M_UNKNOWN_TOKEN', error: 'Unknown token' }],
  }
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    const [status, body] = answers[request.url ?? ''] ?? [404, {}]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const options = {
    apiRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signal: AbortSignal.timeout(30_000),
  }
  const check = async (name: string, values: Readonly<Record<string, string>>) =>
    platformFacts.find((facts) => facts.name === name)?.check?.(values, options)
  assert.deepEqual(await check('discord', { DISCORD_BOT_TOKEN: 'd' }), { state: 'accepted', account: 'hermes' })
  assert.deepEqual(await check('slack', { SLACK_BOT_TOKEN: 'xoxb-1,xoxb-2', SLACK_APP_TOKEN: 'xapp-1' }), {
    state: 'refused',
    reason: 'Slack says of apps.connections.open: invalid_auth. Copy the app-level token anew at api.slack.com/apps.',
  })
  assert.deepEqual(await check('matrix', { MATRIX_HOMESERVER: 'http://x', MATRIX_ACCESS_TOKEN: 'm' }), {
    state: 'refused',
    reason: 'The homeserver says: Unknown token. Take a token of a new sign-in.',
  })
  assert.equal((await check('matrix', { MATRIX_HOMESERVER: 'http://x', MATRIX_USER_ID: '@a:x' }))?.state, 'refused')
  assert.deepEqual(asked, [
    'GET /v10/users/@me Bot d',
    'POST /auth.test Bearer xoxb-1',
    'POST /apps.connections.open Bearer xapp-1',
    'GET /_matrix/client/v3/account/whoami Bearer m',
  ])
  server.close()
  server.closeAllConnections()
  const gone = await check('discord', { DISCORD_BOT_TOKEN: 'd' })
  assert.equal(gone?.state, 'unreachable')
})

test('pair and unpair let people in and out; channels lists where they have spoken; mirrors are kept', async () => {
  const directory = { platforms: { telegram: [{ id: '7', name: 'Ann', type: 'dm' }] } }
  await using home = await temporaryHome({
    'channel_directory.json': JSON.stringify(directory),
    '.env': 'TELEGRAM_HOME_CHANNEL=7\n',
    'sessions/sessions.json': JSON.stringify({
      'agent:main:discord:group:9': {
        session_id: '20260101_100000_0a1b2c3d',
        created_at: '2026-01-01T10:00:00',
        updated_at: '2026-01-01T10:00:00',
        origin: { platform: 'discord', chat_id: '9', chat_type: 'group', chat_name: 'Team' },
      },
    }),
  })
  const gateway = (...argv: readonly string[]) => runForTest(command, argv, { environment: home.environment })
  const asked = await createPairingStore(openHome(home.environment), Date.now).request('telegram', '42', 'Bob')
  assert.ok(asked.type === 'code')
  assert.match((await gateway('pair', 'telegram')).stdout, new RegExp(asked.code))
  assert.match((await gateway('pair', 'telegram', asked.code)).stdout, /Bob may speak/)
  assert.match((await gateway('unpair', 'telegram', '42')).stdout, /may not speak/)
  const invitation = (await gateway('pair', 'telegram')).stdout
  assert.match(invitation, /^[A-HJ-NP-Z2-9]{8}\nWho writes this .* on Telegram is let in\..*\n$/)
  assert.match((await gateway('pair')).stdout, new RegExp(`^invited +telegram +${invitation.slice(0, 8)} `, 'm'))
  assert.match(JSON.parse((await gateway('pair', 'discord', '--json')).stdout).code, /^\w{8}$/)
  assert.match((await gateway('pair', 'telegramm')).stderr, /no platform "telegramm", only telegram, discord/)
  assert.match((await gateway('pair', 'webhook')).stderr, /nobody is let in/)
  assert.match((await gateway('pair', 'mobile')).stderr, /shows its code when it connects/)
  assert.match((await gateway('channels', 'list')).stdout, /^telegram +telegram:7 +dm +Ann {2}\(home\)\n$/)
  assert.match((await gateway('channels', 'list', 'matrix')).stdout, /No place on matrix is known yet/)
  assert.match((await gateway('channels', 'refresh')).stdout, /2 places are known/)
  assert.equal((await gateway('mirror', 'add', 'telegram:7', 'discord')).code, 2)
  assert.equal((await gateway('mirror', 'add', 'telegram:7', 'discord:9')).code, 0)
  assert.equal((await gateway('mirror', 'add', 'telegram:7', 'discord:9')).code, 0)
  assert.equal((await gateway('mirror', 'list')).stdout, 'telegram:7 → discord:9\n')
  assert.match((await gateway('mirror', 'add', 'telegram:7', 'telegraph:9')).stderr, /No platform "telegraph" is known/)
  assert.equal((await gateway('mirror', 'remove', 'telegram:7', 'telegraph:9')).code, 0)
  assert.match((await gateway('mirror', 'remove', 'telegram:7')).stdout, /1 mirror removed/)
  assert.equal((await gateway('mirror', 'remove', 'telegram:7')).code, 1)
  assert.match((await gateway('channels', 'list', 'discord')).stdout, /^discord +discord:9 +group +Team\n$/)
})
