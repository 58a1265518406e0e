import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { skillTestContext } from '../skill-test-context.ts'
import { folderContentHash } from '../store/folder-hash.ts'
import { readLockFile } from '../store/lock-file.ts'
import { openHub } from './hub.ts'
import { checkSkills } from './update.ts'

const text = (body: string) => `---\nname: demo\ndescription: d\n---\n\n${body}\n`

test('whenever an install, update or removal is killed, a skill is whole or not there, and its origin is known', async () => {
  await using place = await skillTestContext({
    files: Object.fromEntries(
      ['one', 'two'].flatMap((version) => [
        [`work/${version}/demo/SKILL.md`, text(version)],
        ...[1, 2, 3, 4].map((n) => [`work/${version}/demo/references/${n}.md`, `${version} ${n}`]),
      ]),
    ),
  })
  const whole = await Promise.all(
    ['one', 'two'].map((version) => folderContentHash(place.path(`work/${version}/demo`))),
  )
  const script = fileURLToPath(new URL('crash.fixture.ts', import.meta.url))
  for (let round = 0; round < 10; round++) {
    const child = spawn(process.execPath, ['--conditions=development', script, place.dir, place.path('work')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    // The moments are spread over installs, updates and removals; every one must be safe.
    await sleep(10 + round * 17)
    child.kill('SIGKILL')
    await once(child, 'close')

    const hub = openHub({ scope: place.scope, cwd: place.dir })
    await checkSkills(hub, undefined, new AbortController().signal)
    const lock = await readLockFile(place.scope.home)
    const folders = (await readdir(place.path('skills'))).filter((name) => !name.startsWith('.'))
    assert.deepEqual(folders, Object.keys(lock), 'what is there has an entry, what has an entry is there')
    if (existsSync(place.path('skills/demo'))) {
      assert.ok(whole.includes(await folderContentHash(place.path('skills/demo'))), 'no half of a skill')
    }
    assert.deepEqual(await readdir(place.path('skills/.hub/staging')).catch(() => []), [])
  }
})
