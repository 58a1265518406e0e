import assert from 'node:assert/strict'
import { mkdir, readdir, readlink, rm } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { openUploads } from './uploads.ts'

const part = (at: number, parts: number) =>
  ({ t: 'media', id: 'f', kind: 'document', mime: 'a/b', data: '', part: at, parts }) as const
const data = Buffer.from(Buffer.from('some bytes').toString('base64'))

test('of a file that cannot be put together nothing stays, and it can be sent again', async () => {
  await using temporary = await temporaryHome({})
  const home = openHome(temporary.environment)
  const uploads = await openUploads({ home, log: silentLogger, onLate: () => undefined })
  const folder = home.path('cache', 'mobile', 'in')
  assert.equal(await uploads.take('d', part(1, 2), data), undefined)
  const [name = ''] = await readdir(folder)
  // Where its parts are put in order there is no place, as on a disk that is full.
  await mkdir(home.path('cache', 'mobile', 'in', `${name}.sorted`))
  await assert.rejects(uploads.take('d', part(0, 2), data), { code: 'EEXIST' })
  await rm(home.path('cache', 'mobile', 'in', `${name}.sorted`), { recursive: true })
  assert.deepEqual(await readdir(folder), [])
  const open = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  assert.equal(open.filter((path) => path.startsWith(folder)).length, 0, 'no file stays open')
  await uploads.take('d', part(1, 2), data)
  const whole = await uploads.take('d', part(0, 2), data)
  assert.equal(whole?.size, 20)
  await uploads.close()
})
