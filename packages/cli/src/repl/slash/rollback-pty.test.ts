import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ScriptedAnswer } from '@hermes/testing'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { openPty } from '@hermes/testing/pty/pty.ts'

const program = `
  import { main } from ${JSON.stringify(import.meta.resolve('../../main.ts'))}
  await main(process.argv.slice(2))`
/** The whole program starts, on a machine that may be busy. */
const waitMs = 20_000

test('at the terminal: a turn changes files, /rollback brings them back', { timeout: 120_000 }, async () => {
  const answers: ScriptedAnswer[] = [
    { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'changed\n' } }] },
    { toolCalls: [{ name: 'terminal', arguments: { command: 'echo made > new.txt' } }] },
    { text: 'All done.' },
  ]
  await using model = await startScriptedModel(() => answers.shift() ?? { text: 'A title' })
  const settings = `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456}\n`
  await using home = await temporaryHome({ 'config.yaml': settings, 'program.mjs': program })
  const work = home.path('work')
  await mkdir(join(work, '.git'), { recursive: true })
  await writeFile(join(work, 'a.txt'), 'as it was\n')
  await using pty = openPty(process.execPath, ['--conditions=development', home.path('program.mjs'), '--checkpoints'], {
    env: { ...home.environment, ...compileCache(), NODE_NO_WARNINGS: '1' },
    cwd: work,
  })
  await pty.screen.waitFor(/❯$/m, waitMs)
  pty.write('change it\r')
  await pty.screen.waitFor(/All done\.[^]*\n❯$/, waitMs)
  assert.equal(await readFile(join(work, 'a.txt'), 'utf8'), 'changed\n')
  pty.write('/rollback\r')
  await pty.screen.waitFor(/ 1\. before write_file: a\.txt[^]*\n❯$/, waitMs)
  pty.write('/rollback 1\r')
  await pty.screen.waitFor(/Allow this\? the rollback removes a file made since\n\s+remove new\.txt/, waitMs)
  // Keys count once nobody was typing for a moment.
  await pty.screen.waitFor(/denied in/, waitMs)
  pty.write('o')
  await pty.screen.waitFor(
    /1 file restored, 1 file removed: back at [^]*Out of the conversation, too: change it/,
    waitMs,
  )
  assert.equal(await readFile(join(work, 'a.txt'), 'utf8'), 'as it was\n')
  assert.equal(existsSync(join(work, 'new.txt')), false)
  pty.write('\u0004')
  await pty.exited(waitMs)
})
