import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFileRoom } from './file-room.ts'

test('each file is read whole, whatever was read before, at a multiple of eight bytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-room-'))
  try {
    const room = createFileRoom()
    for (const size of [10, 0, 3_000_000, 70_000, 5_000_001, 1]) {
      const content = Buffer.from(Array.from({ length: size }, (_, at) => (at * 31 + size) % 251))
      await writeFile(join(folder, 'file'), content)
      const read = room.read(join(folder, 'file'))
      assert.ok(read.equals(content), `${size} bytes`)
      assert.equal(read.byteOffset % 8, 0)
    }
    assert.throws(() => room.read(join(folder, 'none')), { code: 'ENOENT' })
    assert.throws(() => room.read(folder), { code: 'EISDIR' })
  } finally {
    await rm(folder, { recursive: true })
  }
})
