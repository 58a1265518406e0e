import assert from 'node:assert/strict'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { findChromium } from './find-chromium.ts'

test('folders of the PATH that cannot be looked into hide no program of the others', async () => {
  await using home = await temporaryHome()
  const [loop, file, bin] = ['loop', 'file', 'bin'].map((name) => home.path(name)) as [string, string, string]
  await symlink(loop, loop)
  await writeFile(file, '')
  await mkdir(bin)
  const program = home.path('bin', 'chromium')
  await writeFile(program, '#!/bin/sh\n')
  await chmod(program, 0o755)
  assert.equal(findChromium({ PATH: [loop, file, bin].join(':') }), program)
  assert.equal(findChromium({ BROWSER_PATH: home.path('loop', 'chromium') }), undefined)
})
