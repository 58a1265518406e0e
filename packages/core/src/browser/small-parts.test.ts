import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { once } from 'node:events'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { z } from 'zod'
import { connect } from './cdp/connection.ts'
import { pipeTransport } from './cdp/pipe-transport.ts'
import { cleanName } from './downloads.ts'
import { robotWarning } from './robot-pages.ts'
import { cutSnapshot } from './snapshot/fit.ts'

test('messages over a pipe do not depend on where they are broken', async () => {
  const messages = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0')))
  await fc.assert(
    fc.asyncProperty(messages, fc.integer({ min: 1, max: 7 }), async (texts, size) => {
      const output = new PassThrough()
      const heard: string[] = []
      pipeTransport(new PassThrough(), output).listen({ message: (text) => heard.push(text), closed() {} })
      const bytes = Buffer.from(texts.map((text) => `${text}\0`).join(''))
      for (let at = 0; at < bytes.length; at += size) output.write(bytes.subarray(at, at + size))
      output.end()
      await once(output, 'close')
      assert.deepEqual(heard, texts)
    }),
    { seed: 1, numRuns: 60 },
  )
})

test('a connection answers calls, tells events by their session, and ends its calls with the browser', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const connection = connect(pipeTransport(input, output))
  const tell = (message: unknown) => void output.write(`${JSON.stringify(message)}\0`)
  const heard: number[] = []
  connection.session('a').on('Page.x', z.object({ n: z.number() }), ({ n }) => heard.push(n))
  const first = connection.session('a').send('Page.go', { url: 'u' }, z.object({ ok: z.boolean() }))
  const second = connection.browser.send('Browser.no')
  output.write('no json\0')
  tell({ method: 'Page.x', params: { n: 1 }, sessionId: 'a' })
  tell({ method: 'Page.x', params: { n: 2 }, sessionId: 'b' })
  tell({ method: 'Page.x', params: { n: 'three' }, sessionId: 'a' })
  tell({ id: 1, result: { ok: true }, sessionId: 'a' })
  tell({ id: 2, error: { message: 'not today' } })
  assert.deepEqual(await first, { ok: true })
  await assert.rejects(second, { code: 'failed', message: 'Browser.no: not today' })
  assert.deepEqual(heard, [1])
  const left = connection.session('a').send('Page.wait')
  tell({ method: 'Target.detachedFromTarget', params: { sessionId: 'a' } })
  await assert.rejects(left, /page or frame was closed/)
  const late = connection.browser.send('Browser.slow', {}, z.unknown(), { timeoutMs: 1 })
  await assert.rejects(late, { code: 'timeout' })
  const stop = new AbortController()
  const stopped = connection.browser.send('Browser.slow', {}, z.unknown(), { signal: stop.signal })
  stop.abort(new Error('enough'))
  await assert.rejects(stopped, /enough/)
  const last = connection.browser.send('Browser.last')
  output.destroy()
  await assert.rejects(last, /browser has ended/)
  await connection.closed
  await assert.rejects(connection.browser.send('Browser.more'), /browser has ended/)
})

test('names of downloads stay in their folder', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (suggested) => {
      const name = cleanName(suggested)
      assert.ok(name.length > 0 && name.length <= 120)
      assert.doesNotMatch(name, /[/\\\p{Cc}]/u)
      assert.notEqual(name, '..')
    }),
    { seed: 1 },
  )
  assert.equal(cleanName('../../.ssh/authorized_keys'), 'authorized_keys')
  assert.equal(cleanName('C:\\temp\\Report 1.pdf'), 'Report 1.pdf')
  assert.equal(cleanName('...'), 'download')
})

test('pages that keep robots out are known by their titles', () => {
  for (const title of [
    'Just a moment...',
    'Access Denied',
    'Verify you are human',
    'Attention Required! | Cloudflare',
  ]) {
    assert.match(robotWarning(title) ?? '', /keeps robots out/, title)
  }
  for (const title of ['', 'A moment in history', 'How to access files', 'Robots of the future']) {
    assert.equal(robotWarning(title), undefined, title)
  }
})

test('a long snapshot ends at the end of a line', () => {
  const text = Array.from({ length: 1_000 }, (_, n) => `- text: line ${n}`).join('\n')
  const cut = cutSnapshot(text)
  assert.ok(cut.length < 8_200)
  const [last, note] = cut.split('\n').slice(-2)
  assert.ok(text.includes(`${last}\n`))
  const kept = cut.split('\n').length - 1
  assert.equal(note, `[${1_000 - kept} more lines: browser_snapshot with full=true shows all of them]`)
  assert.equal(cutSnapshot('short'), 'short')
})
