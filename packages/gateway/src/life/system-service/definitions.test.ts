import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openHome } from '@hermes/core/config/home.ts'
import { assert as check, property, stringMatching } from 'fast-check'
import { supervisorOf } from '../supervisor.ts'
import { launchdPlist } from './launchd-plist.ts'
import { openService, serviceDefinition } from './open-service.ts'
import { serviceSuffix } from './service-name.ts'
import type { ServiceDefinition } from './system-service.ts'
import { systemdUnit } from './systemd-unit.ts'

const environment = { HOME: '/home/ann', PATH: '/usr/bin:relative:/home/ann/bin' }
const program = [process.execPath, '/opt/hermes/hermes.mjs']
const user = { name: 'bob', group: 'staff', home: '/home/bob' }

function definition(dir: string, more: Partial<Parameters<typeof serviceDefinition>[0]> = {}): ServiceDefinition {
  const home = openHome({ HERMES_HOME: dir })
  return serviceDefinition({ home, environment, name: 'hermes-gateway', program, drainSeconds: 120, ...more })
}

test('each home has a service of its own name', () => {
  const suffix = (dir: string) => serviceSuffix({ dir }, '/home/ann')
  assert.equal(suffix('/home/ann/.hermes'), '')
  assert.equal(suffix('/home/ann/.hermes/profiles/work'), 'work')
  assert.match(suffix('/srv/hermes'), /^[0-9a-f]{8}$/)
  assert.notEqual(suffix('/srv/hermes'), suffix('/srv/other'))
})

test('the unit says what it runs, where, and how it ends', () => {
  const unit = systemdUnit(definition('/home/ann/.hermes/profiles/work'))
  for (const line of [
    `ExecStart="${process.execPath}" "/opt/hermes/hermes.mjs" "gateway" "run" "--replace" "--profile" "work"`,
    'Environment="HERMES_HOME=/home/ann/.hermes/profiles/work"',
    'RestartForceExitStatus=75',
    'RestartPreventExitStatus=78',
    'TimeoutStopSec=150',
    'WantedBy=default.target',
  ])
    assert.ok(unit.split('\n').includes(line), line)
  assert.match(unit, /^Environment="PATH=(?!.*relative).*:\/usr\/bin:\/home\/ann\/bin/m)
})

test('for another user it is their home, and they run it', () => {
  const unit = systemdUnit(definition('/home/ann/.hermes', { user }))
  for (const line of [
    'User=bob',
    'Group=staff',
    'Environment="HERMES_HOME=/home/bob/.hermes"',
    'Environment="HOME=/home/bob"',
  ])
    assert.ok(unit.split('\n').includes(line), line)
  assert.match(systemdUnit(definition('/srv/hermes', { user })), /HERMES_HOME=\/srv\/hermes"/)
})

test('systemd takes the units, with whatever characters are in paths', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-units-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'hermes-gateway.service')
  const odd = definition('/home/ann/50% "of" it\\all $HOME/.hermes')
  await writeFile(file, systemdUnit({ ...odd, folder: '/tmp' }))
  try {
    const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', file])
    assert.doesNotMatch(stderr, /hermes-gateway\.service/)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return t.skip('no systemd-analyze here')
    throw error
  }
})

test('the property list keeps every text as it is', () => {
  check(
    property(stringMatching(/^[ -~]+$/), (text) => {
      const plist = launchdPlist('ai.hermes.gateway', { ...definition('/x'), folder: text }, '/x/logs')
      const [, found = ''] = /<key>WorkingDirectory<\/key>\n {2}<string>(.*)<\/string>/.exec(plist) ?? []
      assert.doesNotMatch(found, /[<>]/)
      const read = found.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
      assert.equal(read, text)
    }),
    { seed: 1 },
  )
})

test('macOS has agents, others none', () => {
  const home = openHome({ HERMES_HOME: '/Users/ann/.hermes/profiles/work' })
  const own = { home, environment: { HOME: '/Users/ann' } }
  const agent = openService({ ...own, scope: 'user', platform: 'darwin' })
  assert.equal(agent?.file, '/Users/ann/Library/LaunchAgents/ai.hermes.gateway-work.plist')
  assert.equal(openService({ ...own, scope: 'system', platform: 'darwin' }), undefined)
  assert.equal(openService({ ...own, scope: 'user', platform: 'win32' }), undefined)
})

test('only the process that the system started is under it, not what inherits its environment', () => {
  const own = { SYSTEMD_EXEC_PID: '42', INVOCATION_ID: 'x', HERMES_GATEWAY_SERVICE: 'hermes-gateway' }
  assert.equal(supervisorOf(own, { pid: 42, ppid: 1 }), 'systemd')
  assert.equal(supervisorOf(own, { pid: 43, ppid: 42 }), undefined)
  const agent = { HERMES_GATEWAY_SERVICE: 'ai.hermes.gateway' }
  assert.equal(supervisorOf(agent, { pid: 42, ppid: 1 }), 'launchd')
  assert.equal(supervisorOf(agent, { pid: 43, ppid: 42 }), undefined)
})
