import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { openPty } from '@hermes/testing/pty/pty.ts'
import { runForTest } from '../auth/run-for-test.ts'
import { command } from '../gateway.ts'
import { readQrCode } from './read-qr-code.fixture.ts'
import { gatewayProgram } from './test-program.ts'

/** The whole program starts, on a machine that may be busy. */
const waitMs = 40_000

test('without a terminal phones are set up with a strong token, and the link is printed; again with --show', async () => {
  await using home = await temporaryHome()
  const setup = (...argv: readonly string[]) =>
    runForTest(command, ['setup', ...argv], { environment: home.environment })
  const set = (...words: readonly string[]) => words.flatMap((word) => ['--set', word])
  assert.match((await setup('mobile', '--show')).stderr, /hermes gateway setup mobile sets it up/)
  const first = await setup('mobile')
  assert.equal(first.code, 0, first.stderr)
  const [, token = ''] = /^http:\/\/127\.0\.0\.1:8787\/app\/#token=([\w-]{32})\n$/.exec(first.stdout) ?? []
  assert.notEqual(token, '', first.stdout)
  assert.ok(!first.stderr.includes(token))
  assert.match(first.stderr, /a phone cannot reach it/)
  assert.match(await readFile(home.path('.env'), 'utf8'), new RegExp(`MOBILE_TOKEN="?${token}`))
  assert.equal((await stat(home.path('.env'))).mode & 0o777, 0o600)

  const lan = await setup(
    'mobile',
    '--json',
    ...set('MOBILE_HOST=0.0.0.0', 'MOBILE_PUBLIC_URL=http://10.1.2.3:9000/', 'MOBILE_PORT=9000'),
    ...set('MOBILE_ALLOWED_DEVICES=a, b'),
  )
  assert.deepEqual(JSON.parse(lan.stdout), {
    platform: 'mobile',
    url: `http://10.1.2.3:9000/app/#token=${token}`,
    listens: '0.0.0.0:9000',
    isSecure: false,
  })
  assert.match(await readFile(home.path('.env'), 'utf8'), /MOBILE_ALLOWED_DEVICES="?a,b/)
  const shown = await setup('mobile', '--show')
  assert.equal(shown.stdout, `http://10.1.2.3:9000/app/#token=${token}\n`)
  assert.match(shown.stderr, /Plain http: .*no microphone[^]*holds the secret/)

  assert.equal((await setup('mobile', '--set', 'MOBILE_TOKEN=short')).code, 2)
  assert.equal((await setup('mobile', '--set', 'MOBILE_PUBLIC_URL=phone.example.org')).code, 2)
  assert.equal((await setup('telegram', '--show')).code, 2)
  const pheby = await setup('pheby', '--set', 'PHEBY_PUBLIC_URL=https://phone.example.org')
  assert.match(pheby.stdout, /^https:\/\/phone\.example\.org\/app\/#token=[\w-]{32}\n$/)
  assert.doesNotMatch(pheby.stderr, /Plain http|cannot reach/)
})

test('at a terminal the wizard asks and shows a code that reads as the link', { timeout: 120_000 }, async () => {
  await using home = await temporaryHome()
  const gateway = await gatewayProgram(home, { NODE_NO_WARNINGS: '1', TERM: 'xterm-256color' })
  await using pty = openPty(process.execPath, gateway.argv(['setup', 'mobile']), {
    env: gateway.env,
    cwd: home.dir,
    rows: 60,
  })
  await pty.screen.waitFor(/neither microphone nor installation[^]*one is made\), not shown:/, waitMs)
  pty.write('too short\r')
  await pty.screen.waitFor(/it must not be guessed[^]*not shown:/, waitMs)
  pty.write('\r')
  await pty.screen.waitFor(/0\.0\.0\.0[^]*\(127\.0\.0\.1\):/, waitMs)
  pty.write('0.0.0.0\r')
  await pty.screen.waitFor(/port \(8787\):/, waitMs)
  pty.write('8123\r')
  await pty.screen.waitFor(/by which phones reach it \(http:\/\/[\d.]+:8123\):/, waitMs)
  pty.write('http://192.168.7.9:8123\r')
  await pty.screen.waitFor(/who may speak to it, by id[^]*nobody yet\):/, waitMs)
  pty.write('\r')
  await pty.screen.waitFor(/p or o \(p\):/, waitMs)
  pty.write('\r')
  await pty.screen.waitFor(/Start the gateway\?/, waitMs)
  pty.write('n\r')
  await pty.screen.waitFor(/To see it again: hermes gateway setup mobile --show/, waitMs)
  await pty.exited(waitMs)
  const [, token = ''] = /MOBILE_TOKEN="?([\w-]{32})/.exec(await readFile(home.path('.env'), 'utf8')) ?? []
  assert.equal(readQrCode(pty.screen.text()), `http://192.168.7.9:8123/app/#token=${token}`)
  assert.ok(!pty.screen.text().includes(token), 'the secret is in the code alone')
})
