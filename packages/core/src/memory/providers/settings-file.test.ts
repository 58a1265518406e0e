import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { z } from 'zod'
import { mergeSettingsFile, parseSettings, readSettingsFile } from './settings-file.ts'

test('a file that is not there has no settings; one that is no JSON object is named', async () => {
  await using home = await temporaryHome({ 'broken.json': '{"key": "sk-secret",', 'list.json': '[]' })
  assert.equal(await readSettingsFile(home.path('none.json')), undefined)
  for (const name of ['broken.json', 'list.json']) {
    await assert.rejects(readSettingsFile(home.path(name)), (error: Error) => {
      assert.ok(error.message.includes(home.path(name)))
      return !error.message.includes('sk-secret')
    })
  }
})

test('merging keeps the other keys, whatever editor wrote them, and is for the owner alone', async () => {
  await using home = await temporaryHome({ 'own.json': '\uFEFF{"sessions": {"/a": "b"}, "old": 1}' })
  const path = home.path('own.json')
  await mergeSettingsFile(path, { old: 2, fresh: true })
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { sessions: { '/a': 'b' }, old: 2, fresh: true })
  await mergeSettingsFile(home.path('deep', 'new.json'), { key: 'value' })
  assert.equal((await stat(home.path('deep', 'new.json'))).mode & 0o777, 0o600)
})

test('a wrong setting is named without its value', () => {
  const schema = z.object({ mode: z.enum(['cloud', 'local']) })
  assert.deepEqual(parseSettings(schema, { mode: 'cloud' }, 'x.json'), { mode: 'cloud' })
  assert.throws(
    () => parseSettings(schema, { mode: 'sk-secret' }, 'x.json'),
    (error: Error) => {
      assert.match(error.message, /^x\.json: mode is not right/)
      return !error.message.includes('sk-secret')
    },
  )
})
