import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { promisify } from 'node:util'
import { ensureHome, managedBy, openHome } from './home.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-home-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const mode = (path: string) => statSync(path).mode & 0o777

test('the home is where HERMES_HOME says, else ~/.hermes', () => {
  assert.equal(openHome({ HERMES_HOME: '/a/b/../c' }).dir, '/a/c')
  assert.equal(openHome({}).dir, join(homedir(), '.hermes'))
  assert.equal(openHome({ HERMES_HOME: '' }).dir, join(homedir(), '.hermes'))
  assert.equal(openHome({ HERMES_HOME: '/a' }).path('cron', 'jobs.json'), '/a/cron/jobs.json')
})

test('missing folders are made for the owner alone, whatever the umask; no file is made', () => {
  const home = openHome({ HERMES_HOME: join(folder, 'Ünï çöde 目录', 'home') })
  const before = process.umask(0o000)
  try {
    ensureHome(home, {})
    process.umask(0o277)
    rmSync(home.path('logs'), { recursive: true })
    ensureHome(home, {})
  } finally {
    process.umask(before)
  }
  for (const name of ['', 'cron', 'sessions', 'logs', 'memories']) assert.equal(mode(home.path(name)), 0o700, name)
  assert.equal(existsSync(home.path('SOUL.md')), false)
})

test('HERMES_HOME_MODE sets the mode of new folders, and must be octal', () => {
  const home = openHome({ HERMES_HOME: join(folder, 'home') })
  ensureHome(home, { HERMES_HOME_MODE: '0750' })
  assert.equal(mode(home.dir), 0o750)
  const other = openHome({ HERMES_HOME: join(folder, 'other') })
  assert.throws(() => ensureHome(other, { HERMES_HOME_MODE: 'rwx' }), { code: 'bad-mode' })
  assert.equal(existsSync(other.dir), false)
})

test('folders that are there keep their mode', () => {
  const home = openHome({ HERMES_HOME: folder })
  mkdirSync(home.path('logs'))
  chmodSync(home.path('logs'), 0o755)
  ensureHome(home, {})
  assert.equal(mode(home.path('logs')), 0o755)
})

test('a file where the home should be is told', () => {
  writeFileSync(join(folder, 'file'), '')
  assert.throws(() => ensureHome(openHome({ HERMES_HOME: join(folder, 'file') }), {}), { code: 'not-a-folder' })
  assert.throws(() => ensureHome(openHome({ HERMES_HOME: join(folder, 'file', 'home') }), {}), { code: 'not-writable' })
})

test('a place that takes no folders is told at once', { skip: process.platform !== 'linux' }, async () => {
  const code = `
    import { ensureHome, openHome } from ${JSON.stringify(import.meta.resolve('./home.ts'))}
    ensureHome(openHome({ HERMES_HOME: process.argv[1] }), {})`
  for (const place of ['/proc', '/proc/hermes', '/proc/hermes/home']) {
    const args = ['--conditions=development', '--input-type=module', '--eval', code, place]
    const running = promisify(execFile)(process.execPath, args, { timeout: 5_000, killSignal: 'SIGKILL' })
    await assert.rejects(running, { code: 1, stderr: /code: 'not-writable'/ })
  }
})

test('a managed home is left alone, and must be there', () => {
  const home = openHome({ HERMES_HOME: folder })
  assert.equal(managedBy(home, {}), undefined)
  assert.equal(managedBy(home, { HERMES_MANAGED: 'false' }), undefined)
  assert.equal(managedBy(home, { HERMES_MANAGED: 'brew' }), 'Homebrew')
  assert.equal(managedBy(home, { HERMES_MANAGED: 'true' }), 'NixOS')
  assert.equal(managedBy(home, { HERMES_MANAGED: 'Ansible' }), 'Ansible')
  ensureHome(home, { HERMES_MANAGED: '1' })
  assert.equal(existsSync(home.path('logs')), false)
  writeFileSync(home.path('.managed'), '')
  assert.equal(managedBy(home, {}), 'NixOS')
  assert.throws(() => ensureHome(openHome({ HERMES_HOME: join(folder, 'none') }), { HERMES_MANAGED: '1' }), {
    code: 'missing',
  })
})
