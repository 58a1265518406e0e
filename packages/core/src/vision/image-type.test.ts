import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { imageType } from './image-type.ts'

const picture = () => sharp({ create: { width: 3, height: 2, channels: 3, background: 'red' } })

test('an image is known by its bytes', async () => {
  assert.equal(imageType(await picture().png().toBuffer()), 'image/png')
  assert.equal(imageType(await picture().jpeg().toBuffer()), 'image/jpeg')
  assert.equal(imageType(await picture().webp().toBuffer()), 'image/webp')
  assert.equal(imageType(await picture().gif().toBuffer()), 'image/gif')
  const bitmap = Buffer.alloc(58)
  bitmap.write('BM')
  assert.equal(imageType(bitmap), 'image/bmp')
})

test('a drawing is known behind its declaration, comments and document type', () => {
  const heads = ['', '\uFEFF', '<?xml version="1.0"?>\n', '<!-- <p> -->\n', '<?xml version="1.0"?><!DOCTYPE svg>\n ']
  for (const head of heads) assert.equal(imageType(Buffer.from(`${head}<svg width="1"/>`)), 'image/svg+xml', head)
})

test('what is no image is none, also when it holds one', () => {
  const texts = [
    '',
    'BMW builds cars, and has done so for a long time.',
    '<html><svg></svg></html>',
    'a <svg>',
    '%PDF-1.7',
  ]
  for (const text of texts) assert.equal(imageType(Buffer.from(text)), undefined, text)
})
