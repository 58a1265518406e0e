import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing'
import { openDeliveryLog } from './delivery-log.ts'
import { say } from './say.ts'

test('what has been put in the place of a file is not sent', async () => {
  await using temporary = await temporaryHome({})
  const home = openHome(temporary.environment)
  const log = await openDeliveryLog(home, () => Date.now())
  await writeFile(temporary.path('a.txt'), 'a')
  await symlink(temporary.path('a.txt'), temporary.path('link'))
  await mkdir(temporary.path('folder'))
  execFileSync('mkfifo', [temporary.path('pipe')])
  const saying = (name: string) =>
    say(
      { type: 'file', kind: 'document', path: temporary.path(name) },
      { deviceId: 'd', key: name, isFinal: true },
      { log, home },
    )
  for (const name of ['link', 'folder', 'pipe', 'nothing']) {
    await assert.rejects(saying(name), { name: 'PlatformError', code: 'refused' }, name)
  }
  const id = await saying('a.txt')
  assert.deepEqual(await readdir(home.path('cache', 'mobile', 'out')), [id])
  log.close()
})
