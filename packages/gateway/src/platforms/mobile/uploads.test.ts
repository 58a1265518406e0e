import assert from 'node:assert/strict'
import { mkdir, readdir, readlink, rm } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { openSpoolFile } from './spool-file.ts'
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

test('a file for which the disk has no room is refused, before and while it comes; nothing of it stays, and it can be sent again', async () => {
  await using temporary = await temporaryHome({})
  const home = openHome(temporary.environment)
  const folder = home.path('cache', 'mobile', 'in')
  let free = 0
  let isFull = false
  const uploads = await openUploads({
    home,
    log: silentLogger,
    onLate: () => undefined,
    freeBytes: async () => free,
    async openFile(path) {
      const file = await openSpoolFile(path)
      const full = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }))
      return {
        ...file,
        get size() {
          return file.size
        },
        get parts() {
          return file.parts
        },
        write: async (at, pieces) => {
          await file.write(at, pieces)
          if (isFull) await full()
        },
        finish: () => (isFull ? file.discard().then(full) : file.finish()),
      }
    },
  })
  const refused = { name: 'UploadError', code: 'internal', message: /^f: there is no room/ }
  const isEmpty = async () => (await readdir(folder)).length === 0
  await assert.rejects(uploads.take('d', part(0, 3), data), refused)
  assert.ok(await isEmpty())
  free = 1e9
  assert.equal(await uploads.take('d', part(0, 3), data), undefined)
  free = 10
  await assert.rejects(uploads.take('d', part(1, 3), data), refused)
  assert.ok(await isEmpty())
  assert.equal(await uploads.take('d', part(2, 3), data), undefined, 'its other parts are passed over')
  free = 1e9
  await uploads.take('d', part(0, 3), data)
  isFull = true
  await assert.rejects(uploads.take('d', part(1, 3), data), refused)
  assert.ok(await isEmpty())
  isFull = false
  for (const at of [0, 1]) assert.equal(await uploads.take('d', part(at, 3), data), undefined)
  assert.equal((await uploads.take('d', part(2, 3), data))?.size, 30)
  await uploads.close()
})
