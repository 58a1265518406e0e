import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import sharp from 'sharp'
import { imageType } from './image-type.ts'
import { shrinkImage } from './shrink-image.ts'

const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()

test('a large image comes out as small as was asked, in its proportions', async () => {
  const bytes = await noise(800, 400)
  const small = await shrinkImage({ bytes, mediaType: 'image/png' }, 60_000)
  assert.ok(small.bytes.length <= 60_000)
  assert.equal(imageType(small.bytes), small.mediaType)
  const { width, height } = await sharp(small.bytes).metadata()
  assert.ok(Math.abs(width / height - 2) < 0.05, `${width}x${height}`)
})

test('a drawing becomes a picture', async () => {
  const bytes = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="9" height="9"/></svg>',
  )
  const { mediaType, bytes: made } = await shrinkImage({ bytes, mediaType: 'image/svg+xml' }, 100_000)
  assert.deepEqual([mediaType, imageType(made)], ['image/png', 'image/png'])
})

test('what is broken, or can be made no smaller, is told', async () => {
  const broken = { bytes: Buffer.from('<svg'), mediaType: 'image/svg+xml' }
  await assert.rejects(shrinkImage(broken, 1000), { code: 'kind' })
  await assert.rejects(shrinkImage({ bytes: await noise(300, 300), mediaType: 'image/png' }, 10), { code: 'too-large' })
})
