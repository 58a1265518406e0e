import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import { temporaryHome } from '@hermes/testing'
import { createFakeSystemd } from '@hermes/testing/systemd/fake-systemd.ts'
import { gatewayProgram, pidIn } from './test-program.ts'

async function open({ jobs = true, hasBus = true } = {}) {
  const home = await temporaryHome({})
  const systemd = await createFakeSystemd(home.path('fake-systemd'), { linger: 'no', hasBus })
  const path = [systemd.bin, home.environment['PATH']].join(delimiter)
  const gateway = await gatewayProgram(home, { PATH: path, USER: 'ann' })
  const store = openJobs({ home: openHome(home.environment), clock: systemClock('UTC') })
  if (jobs) await store.create({ schedule: '0 9 * * *', prompt: 'Say hello' })
  return {
    home,
    systemd,
    run: gateway.run,
    unit: home.path('.config', 'systemd', 'user', 'hermes-gateway.service'),
    async [Symbol.asyncDispose]() {
      await gateway.run('uninstall')
      await home[Symbol.asyncDispose]()
    },
  }
}

test('the service is installed, started, started anew, stopped and taken away', { timeout: 180_000 }, async () => {
  await using all = await open()
  const { home, systemd, run, unit } = all
  // A home elsewhere than ~/.hermes has a service of its own.
  const file = unit.replace('.service', `-${(await suffixOf(home.dir)) ?? ''}.service`)
  const installed = await run('install')
  assert.match(installed.stdout, /Installed hermes-gateway-\w{8}, systemd \(user\)/, installed.stderr)
  assert.match(installed.stdout, /loginctl enable-linger ann/)
  const first = pidIn(installed)
  const text = await readFile(file, 'utf8')
  assert.ok(text.includes(`Environment="HERMES_HOME=${home.dir}"`))
  const again = await run('install')
  assert.deepEqual([again.code, /installed already \(up to date\)/.test(again.stderr)], [1, true], again.stderr)
  assert.match((await run('start')).stderr, new RegExp(`runs already \\(pid ${first}\\)`))

  // What another version has written is brought up to date by the next start.
  await writeFile(file, text.replace('RestartSec=5', 'RestartSec=500'))
  const restarted = await run('restart')
  assert.match(restarted.stderr, /brought up to date/)
  assert.notEqual(pidIn(restarted), first)
  assert.equal(await readFile(file, 'utf8'), text)

  // A restart that is asked for ends it with the code on which it is started again; the limit does not count.
  process.kill(pidIn(restarted), 'SIGUSR1')
  while (!(await systemd.exits()).includes('75')) await wait(50)
  let third = NaN
  while (Number.isNaN(third) || third === pidIn(restarted)) third = pidIn(await run('status'))
  assert.match((await run('stop')).stdout, /has stopped/)
  assert.deepEqual(await systemd.exits(), ['0', '75', '0'])
  assert.match((await run('uninstall')).stdout, /is gone/)
  assert.match((await run('uninstall')).stdout, /No service is installed/)
  assert.ok((await systemd.calls()).every((call) => call.startsWith('--user ')))
})

test('what cannot run as it is set up is not started again and again', { timeout: 180_000 }, async () => {
  await using all = await open({ jobs: false })
  const { code, stderr } = await all.run('install')
  assert.equal(code, 1)
  assert.match(stderr, /did not start \(failed.*journalctl --user/s)
  assert.deepEqual(await all.systemd.exits(), ['78'])
})

test('where no service manager can be reached, a service is in nobody’s way', { timeout: 180_000 }, async () => {
  await using all = await open({ hasBus: false })
  const { home, run, unit } = all
  const file = unit.replace('.service', `-${(await suffixOf(home.dir)) ?? ''}.service`)
  const refused = await run('install')
  assert.deepEqual([refused.code, existsSync(file)], [1, false])
  assert.match(refused.stderr, /cannot be reached here.*Run "hermes gateway start" instead/)

  // One that was installed when there was a manager.
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '[Unit]\nDescription=of another version\n')
  const started = await run('start')
  assert.match(started.stdout, /The gateway runs \(pid \d+\)/, started.stderr)
  assert.match(started.stderr, /systemd \(user\) cannot be reached here/)
  assert.match((await run('restart')).stdout, /runs anew \(pid \d+\)/)
  assert.equal(await readFile(file, 'utf8'), '[Unit]\nDescription=of another version\n')
  assert.match((await run('stop')).stdout, /has stopped/)
  assert.match((await run('uninstall')).stdout, /is gone/)
  assert.ok(!existsSync(file))
})

async function suffixOf(dir: string): Promise<string> {
  const { serviceSuffix } = await import('@hermes/gateway/life/system-service/service-name.ts')
  return serviceSuffix({ dir })
}
