import assert from 'node:assert/strict'
import { readdir, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { inboundContent } from '../turn/inbound-content.ts'
import { saveInbound } from './save-inbound.ts'
import { tidyMedia } from './tidy-media.ts'

const png = new Uint8Array(Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'))
const bytes = (text: string) => new TextEncoder().encode(text)

test('files that come in are kept by kind under names that lead nowhere else', async () => {
  await using made = await temporaryHome({})
  const home = openHome(made.environment)
  const image = await saveInbound({ kind: 'image', bytes: png, mimeType: 'image/jpeg', name: 'x.jpg' }, { home })
  assert.match(image.path, /\/cache\/images\/img_[0-9a-f]{12}\.png$/)
  assert.equal(image.mimeType, 'image/png')
  const note = await saveInbound({ kind: 'document', bytes: bytes('hello'), name: '../../etc/pass wd.txt' }, { home })
  assert.match(note.path, /\/cache\/documents\/doc_[0-9a-f]{12}_pass wd\.txt$/)
  assert.equal(note.mimeType, 'text/plain')
  const dots = await saveInbound({ kind: 'document', bytes: bytes('x'), name: '..' }, { home })
  assert.match(basename(dots.path), /^doc_[0-9a-f]{12}_document$/)
  const voice = await saveInbound({ kind: 'voice', bytes: bytes('x'), mimeType: 'audio/ogg; codecs=opus' }, { home })
  assert.match(voice.path, /\/cache\/audio\/audio_[0-9a-f]{12}\.ogg$/)
  await assert.rejects(saveInbound({ kind: 'image', bytes: bytes('<html>'), name: 'x.png' }, { home }), /no image/)
  await assert.rejects(saveInbound({ kind: 'document', bytes: bytes(''), name: 'x' }, { home }), /empty/)
})

test('what is older than a day goes', async () => {
  await using made = await temporaryHome({})
  const home = openHome(made.environment)
  const old = await saveInbound({ kind: 'document', bytes: bytes('old'), name: 'old.txt' }, { home })
  await saveInbound({ kind: 'document', bytes: bytes('new'), name: 'new.txt' }, { home })
  const now = Date.now()
  await utimes(old.path, new Date(0), new Date(now - 25 * 3_600_000))
  assert.equal(await tidyMedia(home, now), 1)
  assert.deepEqual(
    (await readdir(dirname(old.path))).map((name) => name.slice(17)),
    ['new.txt'],
  )
})

test('the agent reads small text files, and is told the path of others', async () => {
  await using made = await temporaryHome({ 'a.txt': 'line one\n', 'big.txt': 'x'.repeat(70_000), 'b.bin': '\u0000' })
  const attachment = (name: string, mimeType: string) => {
    return { kind: 'document', path: join(made.dir, name), mimeType, name } as const
  }
  const attachments = [
    attachment('a.txt', 'text/plain'),
    attachment('big.txt', 'text/plain'),
    attachment('b.bin', 'x/y'),
  ]
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const agent = { config: {}, environment: {}, log } as unknown as Parameters<typeof inboundContent>[1]
  const [small, big, other] = await inboundContent({ attachments }, agent, new AbortController().signal)
  assert.match(small ?? '', /"a\.txt" \(text\/plain\): \/.*Its content:\]\n```\nline one\n```$/)
  assert.match(big ?? '', /"big\.txt" \(text\/plain\): \/[^`]*\]$/)
  assert.match(other ?? '', /b\.bin\]$/)
})
