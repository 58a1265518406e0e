import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import { temporaryHome } from '@hermes/testing'

test('the gateway runs in the background, is started anew as another process, and is stopped', async () => {
  await using home = await temporaryHome({})
  const program = home.path('hermes.mjs')
  const main = JSON.stringify(import.meta.resolve('../../main.ts'))
  await writeFile(program, `import { main } from ${main}\nawait main(process.argv.slice(2))\n`)
  const env = { PATH: process.env['PATH'] ?? '', ...home.environment }
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
