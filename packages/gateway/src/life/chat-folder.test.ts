import assert from 'node:assert/strict'
import { mkdir, symlink } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { chatFolder } from './chat-folder.ts'

test('chats begin in MESSAGING_CWD, else in the home folder of the person, where these are there', async () => {
  await using home = await temporaryHome()
  await mkdir(home.path('work'))
  const inFolder = (MESSAGING_CWD?: string) => chatFolder({ HOME: home.dir, MESSAGING_CWD }, '/tmp')
  for (const wanted of ['~/work', 'work', home.path('work')]) assert.equal(inFolder(wanted), home.path('work'))
  for (const wanted of [undefined, '', '.', 'auto', 'cwd', '/no/such/folder']) assert.equal(inFolder(wanted), home.dir)
  assert.equal(chatFolder({ HOME: '/no/such/folder' }, '/tmp'), '/tmp')
  // One that cannot be looked at is as good as not there.
  await symlink(home.path('loop'), home.path('loop'))
  assert.equal(inFolder('loop/in'), home.dir)
})
