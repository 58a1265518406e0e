import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { findDeliverables, visibleText, withoutDeliverables } from './deliverables.ts'

const targets = (text: string) => findDeliverables(text).map(({ target }) => target)

test('tags name files in every way of writing them', () => {
  assert.deepEqual(targets('MEDIA:/tmp/a.png'), ['/tmp/a.png'])
  assert.deepEqual(targets('See `MEDIA:/tmp/a b.mp3`.'), ['/tmp/a b.mp3'])
  assert.deepEqual(targets('MEDIA:"/tmp/my report.pdf", and'), ['/tmp/my report.pdf'])
  assert.deepEqual(targets('MEDIA:~/my song.ogg, listen'), ['~/my song.ogg'])
  assert.deepEqual(targets('(MEDIA:/tmp/a.pdf).'), ['/tmp/a.pdf'])
  assert.deepEqual(targets('MEDIA:/a.png\nMEDIA:/b.mp4'), ['/a.png', '/b.mp4'])
})

test('words about media are no tags', () => {
  for (const text of [
    'Social media: Facebook and Instagram.',
    '**Media:** text, `media: print` and multimedia: sound',
    'SOCIAL MEDIA: none. SOCIAL_MEDIA:/tmp/a.png',
    'Files are sent by MEDIA:<path>, MEDIA: before a path.',
    '@media:print and media:"x"',
  ]) {
    assert.deepEqual(targets(text), [], text)
    assert.equal(visibleText(`${text}\n.`), `${text}\n.`)
  }
  assert.deepEqual(targets('MEDIA: /tmp/a.pdf, MEDIA:report.PDF and MEDIA:./b'), ['/tmp/a.pdf', 'report.PDF', './b'])
})

test('images by address and paths in the text count, those in code and other links do not', () => {
  const text =
    'A ![cat](https://x.test/cat.png) <img src="https://x.test/i"> /tmp/x/y.jpg [l](/tmp/z.png) https://x.test/a.gif'
  assert.deepEqual(targets(text), ['https://x.test/cat.png', 'https://x.test/i', '/tmp/x/y.jpg'])
  assert.equal(findDeliverables(text)[0]?.caption, 'cat')
  assert.deepEqual(targets('![page](https://x.test/page) `/tmp/a.png`\n```\nMEDIA:/tmp/a.png\n/tmp/b.png\n```'), [])
})

test('the text is left without them and without the mark of voice messages', () => {
  const text = 'Here:\n\n[[audio_as_voice]]\nMEDIA:/tmp/a.ogg\n\nEnjoy.'
  assert.equal(withoutDeliverables(text, findDeliverables(text)), 'Here:\n\nEnjoy.')
})

test('no tag is seen while the answer grows', () => {
  const text = 'Here it is.\nMEDIA:/tmp/a b.png\nThe end of it.'
  for (let length = 0; length <= text.length; length++) {
    assert.doesNotMatch(visibleText(text.slice(0, length)), /MEDIA:|\/tmp/)
  }
})

const piece = fc.constantFrom(
  'MEDIA:',
  'MEDIA:/tmp/a.png',
  '`',
  '```\n',
  '"',
  "'",
  ' ',
  '\n',
  '/tmp/b.jpg',
  '![x](https://x.test/y.webp)',
  '[[audio_as_voice]]',
  'word',
  '😀',
  '.',
)

test('places lie in the text, in order and apart from each other, and what is around them stays', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      let at = 0
      let around = ''
      for (const { start, end, target } of findDeliverables(text)) {
        assert.ok(start >= at && end > start && end <= text.length)
        assert.ok(text.slice(start, end).includes(target) && target !== '')
        around += text.slice(at, start)
        at = end
      }
      around += text.slice(at)
      const squeezed = (value: string) => value.replaceAll('[[audio_as_voice]]', '').replaceAll(/\s+/g, '')
      assert.equal(squeezed(withoutDeliverables(text, findDeliverables(text))), squeezed(around))
    }),
  )
})

test('a tag is found wherever it stands on a line', () => {
  const name = fc.stringMatching(/^[a-z0-9_-]{1,12}$/)
  fc.assert(
    fc.property(name, fc.constantFrom('png', 'ogg', 'pdf', 'mp4'), fc.boolean(), (file, extension, isQuoted) => {
      const path = `/tmp/${file}.${extension}`
      assert.deepEqual(targets(`text ${isQuoted ? `\`MEDIA:${path}\`` : `MEDIA:${path}`} more`), [path])
    }),
  )
})

test('whatever a model repeats, looking for files takes no square of its length', () => {
  for (const piece of ['`', '~', '![', '![a](', '<img ', '<img src="', 'MEDIA:/', '/a', ' ', '```\n']) {
    const started = processorMs()
    visibleText(piece.repeat(100_000 / piece.length))
    const took = processorMs() - started
    assert.ok(took < 4_000, `${took} ms for ${JSON.stringify(piece)}`)
  }
})
