import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createGuardedFetch } from '../security/network/guarded-fetch.ts'
import { fetchPage } from './fetch-page.ts'

const never = new AbortController().signal

/** The smallest document that readers take: one page with one line of text. */
function smallPdf(text: string): Buffer {
  const stream = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Title (Small one) >>',
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(`${body}xref\n0 7\n0000000000 65535 f \n${rows}${trailer}`, 'latin1')
}

const answers: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/page': ['text/html; charset=utf-8', '<title>T</title><h1>Head</h1><p>Text</p>'],
  '/plain': ['text/plain', 'plain <b>text</b>'],
  '/json': ['application/json', '{"a":1}'],
  '/pdf': ['application/pdf', smallPdf('Hello from a document')],
  '/broken-pdf': ['application/pdf', '%PDF-1.4 nothing more'],
  '/picture': ['image/png', Buffer.from([0x89, 0x50, 0, 1])],
  '/empty': ['text/html', '<p> </p>'],
  '/long': ['text/plain', 'x'.repeat(1_000)],
}

async function reader() {
  const server = createServer((request, response) => {
    const [type, body] = answers[request.url ?? ''] ?? []
    if (type === undefined) response.writeHead(404).end('no')
    else response.writeHead(200, { 'content-type': type }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const settings = {
    allow_private_urls: true,
    allowed_private_hosts: [],
    website_blocklist: { enabled: false, domains: [], shared_files: [] },
  }
  const home = { dir: '/nowhere', path: (...parts: string[]) => parts.join('/') }
  const web = createGuardedFetch({ home, environment: {}, settings })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    read: (path: string) => fetchPage(`${base}${path}`, { web, maxChars: 100 }, never),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

test('pages, documents and text are read by what they are', async () => {
  await using web = await reader()
  const page = await web.read('/page')
  assert.deepEqual([page.kind, page.title, page.text], ['page', 'T', '## Head\n\nText'])
  assert.equal((await web.read('/plain')).text, 'plain <b>text</b>')
  assert.equal((await web.read('/json')).text, '{"a":1}')
  const pdf = await web.read('/pdf')
  assert.deepEqual([pdf.kind, pdf.title, pdf.text], ['pdf', 'Small one', '## Page 1\n\nHello from a document'])
  const long = await web.read('/long')
  assert.deepEqual([long.isCut, long.text.length], [true, 100])
})

test('what cannot be read is told by its code', async () => {
  await using web = await reader()
  for (const [path, code] of [
    ['/none', 'status'],
    ['/picture', 'kind'],
    ['/empty', 'empty'],
    ['/broken-pdf', 'broken'],
  ] as const) {
    await assert.rejects(web.read(path), { name: 'PageError', code })
  }
})
