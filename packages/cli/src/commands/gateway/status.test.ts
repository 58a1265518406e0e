import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openHome } from '@hermes/core/config/home.ts'
import { openGatewayDatabase } from '@hermes/gateway/store/gateway-database.ts'
import { createOutbox } from '@hermes/gateway/store/outbox.ts'
import { temporaryHome } from '@hermes/testing'
import { gatewayProgram } from './test-program.ts'

test('the deep status tells what waits, who uses accounts and whether the API server answers', async () => {
  await using home = await temporaryHome({
    '.env': 'API_SERVER_KEY=made-up-key-of-the-tests\nAPI_SERVER_PORT=9\n',
    'gateway_state.json': JSON.stringify({ gateway_state: 'startup_failed', exit_reason: 'the port is taken' }),
  })
  const db = await openGatewayDatabase(openHome(home.environment))
  const outbox = createOutbox(db, () => Date.now() - 3_600_000)
  const chat = { platform: 'telegram', chatId: '7', chatType: 'dm' } as const
  await outbox.add([
    { key: 'a', chat, part: { type: 'text', text: 'one' } },
    { key: 'b', chat, part: { type: 'text', text: 'two' } },
  ])
  await outbox.dead(2, 'the chat is gone')
  db.close()
  const locks = home.path('locks')
  await mkdir(locks)
  const lock = JSON.stringify({ pid: process.pid, metadata: { home: '/home/ann/.hermes' } })
  await writeFile(`${locks}/telegram-bot-token-0123456789abcdef.lock`, lock)
  const { run } = await gatewayProgram(home, { HERMES_GATEWAY_LOCK_DIR: locks, PATH: '/nonexistent' })
  const { code, stdout } = await run('status', '--deep')
  assert.equal(code, 1)
  for (const line of [
    /does not run\..*\nThe last start failed: the port is taken/,
    /Service: none/,
    /Messages: 0 being answered, 0 waiting/,
    /to telegram\s+1 to send, the oldest queued 1 h ago, 1 given up/,
    /Jobs: 0 active, scheduler does not run/,
    /API server: http:\/\/127\.0\.0\.1:9 does not answer \(.+\)/,
    new RegExp(`telegram-bot-token by process ${process.pid} \\(/home/ann/\\.hermes\\)`),
  ])
    assert.match(stdout, line)
  const json: unknown = JSON.parse((await run('status', '--deep', '--json')).stdout)
  assert.match(JSON.stringify(json), /"running":false.*"outbox":\[\{"platform":"telegram","waiting":1,"dead":1/)
})

test('damaged files hide nothing else of the deep status', async () => {
  await using home = await temporaryHome({ 'gateway.db': 'no database', 'cron/jobs.json': '{', 'cron/runs.db': 'x' })
  const { run } = await gatewayProgram(home, { HERMES_GATEWAY_LOCK_DIR: home.path('locks'), PATH: '/nonexistent' })
  const { code, stdout, stderr } = await run('status', '--deep')
  assert.equal(code, 1, stderr)
  for (const line of [/^The gateway does not run/, /Service: none/, /\n! Messages: .+\n/, /\n! Jobs: .+\n/]) {
    assert.match(stdout, line)
  }
  assert.doesNotMatch(stdout, /Messages: none/)
})

test('a process that has the id of a gateway that died is not taken for it', async () => {
  await using home = await temporaryHome({})
  const other = spawn('sleep', ['600'])
  try {
    const { run } = await gatewayProgram(home)
    for (const record of [String(other.pid), JSON.stringify({ pid: other.pid, start_time: 1 })]) {
      await writeFile(home.path('gateway.pid'), record)
      assert.match((await run('status')).stdout, /does not run/)
      assert.match((await run('stop')).stdout, /does not run/)
    }
    assert.equal(other.exitCode, null)
  } finally {
    other.kill()
  }
})

const exec = promisify(execFile)
const canMount = await exec('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'full', tmpdir()]).then(
  () => true,
  () => false,
)

test('the status tells that the disk is full', { skip: canMount ? false : 'no disks of its own here' }, async () => {
  await using home = await temporaryHome({ 'full/.env': 'A=1\n' })
  const { env, argv } = await gatewayProgram(home)
  const status = async (filling: string, ...words: readonly string[]) => {
    const inTiny = `mount -t tmpfs -o size=1m full "$0" && ${filling}; "$@" || true`
    const command = ['-rm', 'sh', '-c', inTiny, home.path('full'), process.execPath, ...argv(['status', ...words])]
    return (await exec('unshare', command, { env: { ...env, HERMES_HOME: home.path('full') } })).stdout
  }
  const fill = 'head -c 2000000 /dev/zero > "$0/big" 2>/dev/null'
  assert.match(await status(fill), /\n! Nothing can be stored, so that nobody is answered: no room is left in .+ENOSPC/)
  assert.match(await status(fill, '--json'), /"storage_problem": ?"no room is left/)
  assert.doesNotMatch(await status('true'), /Nothing can be stored/)
})
