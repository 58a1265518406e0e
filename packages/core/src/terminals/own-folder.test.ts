import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { makeOwnFolder } from './own-folder.ts'

test('folders that killed processes have left are removed after a day, and no others', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'hermes-own-'))
  const { pid: dead } = spawnSync('true')
  const old = new Date(Date.now() - 25 * 60 * 60 * 1000)
  const names = [
    `hermes-terminal-${dead}-old`,
    `hermes-terminal-${dead}-new`,
    `hermes-terminal-${process.pid}-old`,
    `hermes-script-${dead}-old`,
    'hermes-terminal-x-old',
  ]
  for (const name of names) {
    await mkdir(join(parent, name, 'sub'), { recursive: true })
    if (name.endsWith('old')) await utimes(join(parent, name), old, old)
  }
  const made = basename(await makeOwnFolder('terminal', parent))
  assert.match(made, new RegExp(`^hermes-terminal-${process.pid}-`))
  assert.deepEqual((await readdir(parent)).sort(), [...names.slice(1), made].sort())
  await rm(parent, { recursive: true })
})
