import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import { isRunning } from '@hermes/core/terminals/process-identity.ts'
import { temporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { startGatewayProcess } from './start-gateway.ts'

test('the gateway runs in the background, is started anew as another process, and is stopped', async () => {
  await using home = await temporaryHome({})
  const program = home.path('hermes.mjs')
  const main = JSON.stringify(import.meta.resolve('../../main.ts'))
  await writeFile(program, `import { main } from ${main}\nawait main(process.argv.slice(2))\n`)
  const env = { PATH: process.env['PATH'] ?? '', ...compileCache(), ...home.environment }
  const gateway = (...argv: readonly string[]) =>
    new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const arguments_ = ['--conditions=development', program, 'gateway', ...argv]
      execFile(process.execPath, arguments_, { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      )
    })
  const refused = await gateway('start')
  assert.deepEqual([refused.code, /has ended: No chat platform/.test(refused.stderr)], [1, true], refused.stderr)
  const jobs = openJobs({ home: openHome(home.environment), clock: systemClock('UTC') })
  await jobs.create({ schedule: '0 9 * * *', prompt: 'Say hello' })
  const pidOf = ({ stdout }: { readonly stdout: string }) => /\(pid (\d+)\)/.exec(stdout)?.[1]
  try {
    const first = pidOf(await gateway('start'))
    assert.match((await gateway('start')).stderr, new RegExp(`runs already \\(pid ${first}\\)`))
    const second = pidOf(await gateway('restart'))
    assert.ok(second !== undefined && second !== first)
    assert.equal(pidOf(await gateway('status')), second)
  } finally {
    assert.match((await gateway('stop')).stdout, /has stopped/)
  }
})

test('Ctrl-C ends the start at once, and leaves no gateway behind', { timeout: 120_000 }, async () => {
  await using home = await temporaryHome({})
  const program = home.path('hermes.mjs')
  const main = JSON.stringify(import.meta.resolve('../../main.ts'))
  const pidPath = home.path('pid')
  // A gateway that takes for ever to start.
  await writeFile(
    program,
    `import { renameSync, writeFileSync } from 'node:fs'
if (process.argv.includes('run')) {
  setInterval(() => {}, 1_000)
  writeFileSync(${JSON.stringify(`${pidPath}.new`)}, String(process.pid))
  renameSync(${JSON.stringify(`${pidPath}.new`)}, ${JSON.stringify(pidPath)})
} else await (await import(${main})).main(process.argv.slice(2))
`,
  )
  const env = { PATH: process.env['PATH'] ?? '', ...compileCache(), ...home.environment }
  const starting = spawn(process.execPath, ['--conditions=development', program, 'gateway', 'start'], { env })
  const ended = once(starting, 'exit')
  while (!existsSync(pidPath)) await new Promise((resolve) => setTimeout(resolve, 20))
  const pid = Number(await readFile(pidPath, 'utf8'))
  starting.kill('SIGINT')
  try {
    assert.deepEqual(await ended, [130, null])
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
  } finally {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  }
})

test('a start that was stopped before the gateway is a process starts none', async () => {
  await using home = await temporaryHome({})
  const { environment } = home
  const stopped = AbortSignal.abort(new Error('Ctrl-C'))
  await assert.rejects(startGatewayProcess({ home: openHome(environment), environment }, stopped), /Ctrl-C/)
})
