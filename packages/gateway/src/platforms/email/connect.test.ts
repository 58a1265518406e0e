import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startCuttingProxy } from '@hermes/testing/mail-server/cutting-proxy.ts'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'
import { openPerson } from '@hermes/testing/mail-server/person.ts'
import { mailServerMissing, startMailServer } from '@hermes/testing/mail-server/server.ts'
import type { MailServer } from '@hermes/testing/mail-server/server.ts'
import { openEmailBed as openBed } from './test-bed.ts'
import type { EmailBed } from './test-bed.ts'

const skip = mailServerMissing()
let server: MailServer
before(async () => {
  if (skip === undefined) server = await startMailServer()
})
after(() => server?.[Symbol.asyncDispose]())

const openEmailBed = async (on: MailServer, given: Omit<EmailBed, 'server' | 'home'> = {}) =>
  openBed({ server: on, home: await temporaryHome(), ...given })

test(
  'a mail comes in with its person, its subject and its files, as soon as the server tells of it',
  { skip },
  async () => {
    // By asking it would come much too late.
    await using all = await openEmailBed(server, { timing: { pollMs: 600_000, idleMs: 600_000 } })
    await using ann = await openPerson(server, server.address('ann'))
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==',
      'base64',
    )
    const id = await ann.send({
      from: `Ann Östberg <${ann.address}>`,
      to: all.address,
      subject: 'Größe der Brücke',
      text: 'How long is it?\n\n-- \nAnn\n+49 123',
      attachments: [
        { filename: 'notes ü.txt', content: 'steel' },
        { filename: 'bridge.png', content: png, cid: 'x' },
      ],
    })
    await all.come(1)
    const [message] = all.received
    const { attachments, sentAt: cameAt, ...rest } = message ?? assert.fail()
    assert.ok(Math.abs(cameAt - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      eventId: id,
      messageId: id,
      source: {
        platform: 'email',
        account: all.address,
        chatId: ann.address,
        chatType: 'dm',
        chatName: 'Ann Östberg',
        userId: ann.address,
        userName: 'Ann Östberg',
      },
      text: '[Subject: Größe der Brücke]\n\nHow long is it?',
    })
    assert.deepEqual(
      attachments.map(({ kind, mimeType, name }) => [kind, mimeType, name]),
      [
        ['document', 'text/plain', 'notes ü.txt'],
        ['image', 'image/png', 'bridge.png'],
      ],
    )
  },
)

test('an answer goes into the thread, as text and HTML, and says that a program wrote it', { skip }, async () => {
  await using all = await openEmailBed(server)
  await using ann = await openPerson(server, server.address('ann'))
  const first = '<start@example.test>'
  const id = await ann.send({
    to: all.address,
    subject: 'Re: AW: Bridge',
    text: 'and?',
    references: first,
    inReplyTo: first,
  })
  await all.come(1)
  const sent = await all.send(
    ann.address,
    '# Long\n\n**very** <script>x</script> [here](javascript:x) [there](https://a.test/?a&b)',
    {
      key: 'one',
      replyTo: id,
    },
  )
  await ann.until(1)
  const again = await all.send(ann.address, 'once more', { key: 'one', replyTo: id })
  const [mail] = await ann.until(2)
  assert.equal(sent.messageId, again.messageId)
  assert.match(sent.messageId, /^<hermes-[0-9a-f]{24}@example\.test>$/)
  assert.ok(mail)
  assert.deepEqual(
    [mail.messageId, mail.subject, mail.inReplyTo, mail.references, mail.from?.address],
    [sent.messageId, 'Re: Bridge', id, `${first} ${id}`, all.address],
  )
  assert.equal(mail.header('Auto-Submitted'), 'auto-replied')
  assert.match(mail.text ?? '', /^# Long\n\n\*\*very\*\* <script>/)
  assert.match(mail.html ?? '', /<h1>Long<\/h1>[^]*<strong>very<\/strong> &#60;script&#62;x/)
  assert.match(mail.html ?? '', /; here <a href="https:\/\/a\.test\/\?a&#38;b">there/)
})

test('whose mail is taken: what is forged, automated or its own is not', { skip }, async () => {
  await using all = await openEmailBed(server)
  await using ann = await openPerson(server, server.address('ann'))
  const to = all.address
  await ann.sendFromWorld({ to, text: 'forged' }, 'x@evil.test')
  await ann.sendFromWorld({ from: 'eve@nowhere.test', to, text: 'nobody knows' }, 'eve@nowhere.test')
  const claim = 'mail.example.test; dmarc=pass header.from=example.test'
  await ann.sendFromWorld({ to, text: 'forged well', headers: { 'Authentication-Results': claim } }, 'x@evil.test')
  await ann.send({ from: to, to, text: 'own' })
  await ann.send({ to, text: 'away', headers: { 'Auto-Submitted': 'auto-replied' } })
  await ann.send({ to, text: 'news', list: { unsubscribe: 'https://a.test' } })
  await ann.sendFromWorld({ from: 'no-reply@friend.test', to, text: 'robot' }, 'x@friend.test')
  await ann.sendFromWorld({ from: 'Bob <bob@friend.test>', to, text: 'true' }, 'bounce@friend.test')
  const left = () => all.logged.filter((line) => line.startsWith('a mail is not taken'))
  // The server delivers several at a time: the last that was sent need not be the last that comes.
  await all.until(() => all.received.length + left().length >= 8)
  assert.deepEqual(all.texts(), ['true'])
  assert.equal(all.received[0]?.source.userId, 'bob@friend.test')
  assert.equal(left().length, 7)
  assert.equal(left().filter((line) => line.includes('see EMAIL_SENDER_CHECK')).length, 1)
  assert.equal(left().filter((line) => /may be forged\. It says: mail\.example\.test; \S+=/.test(line)).length, 2)
})

test('without the check everybody is believed', { skip }, async () => {
  await using all = await openEmailBed(server, { environment: { EMAIL_SENDER_CHECK: 'false' } })
  await using ann = await openPerson(server, server.address('ann'))
  await ann.sendFromWorld({ from: 'eve@nowhere.test', to: all.address, text: 'hello' }, 'eve@nowhere.test')
  await all.come(1)
})

test('of a stranger nothing is read', { skip }, async () => {
  await using all = await openEmailBed(server, { isAuthorised: () => false })
  await using ann = await openPerson(server, server.address('ann'))
  await ann.send({ to: all.address, text: 'secret', attachments: [{ filename: 'a.txt', content: 'x' }] })
  await all.come(1)
  assert.deepEqual([all.texts(), all.received[0]?.attachments], [['(empty email)'], []])
})

test(
  'it begins with what comes; then nothing is lost or read twice, over restarts and a store that fails',
  { skip },
  async () => {
    await using all = await openEmailBed(server, { isClosed: true })
    await using ann = await openPerson(server, server.address('ann'))
    const say = (text: string) => ann.send({ to: all.address, text })
    await using own = await openPerson(server, all.address)
    await say('before the first start')
    await own.until(1)
    await all.connect()
    let failures = 3
    all.host.store = async () => {
      if (failures-- > 0) throw new Error('the disk is full')
    }
    await say('one')
    await all.come(1)
    await all.close()
    // One after the other: the server delivers several at a time, in no order.
    await say('two')
    await own.until(3)
    await say('three')
    await own.until(4)
    await all.connect()
    await all.come(3)
    await all.close()
    await all.connect()
    await say('four')
    await all.come(4)
    assert.deepEqual(all.texts(), ['one', 'two', 'three', 'four'])
    assert.equal(failures, -4)
  },
)

test('new numbers of all mails (UIDVALIDITY) neither lose nor repeat one', { skip }, async () => {
  await using all = await openEmailBed(server)
  await using ann = await openPerson(server, server.address('ann'))
  await ann.send({ to: all.address, text: 'one' })
  await all.come(1)
  await all.close()
  const numbers = async () => {
    const kept = await readFile(all.home.path('email_mailbox.json'), 'utf8')
    return /"uidValidity":"(\d+)"/.exec(kept)?.[1]
  }
  const before = await numbers()
  await using own = await openPerson(server, all.address)
  await ann.send({ to: all.address, text: 'two' })
  // What has not been delivered yet would be tried again much later.
  await own.until(2)
  await own[Symbol.asyncDispose]()
  await server.stopReading()
  await server.renumber(all.address)
  await server.startReading()
  await all.connect()
  await all.come(2)
  assert.notEqual(await numbers(), before)
  await using bob = await openPerson(server, server.address('bob'))
  await bob.send({ to: all.address, text: 'three' })
  await all.come(3)
  assert.deepEqual(all.texts(), ['one', 'two', 'three'])
})

test('a server that does not tell of new mail is asked', { skip }, async () => {
  await server.stopReading()
  await server.startReading({ hasIdle: false })
  try {
    await using all = await openEmailBed(server, { timing: { pollMs: 50 } })
    await using ann = await openPerson(server, server.address('ann'))
    await ann.send({ to: all.address, text: 'one' })
    await all.come(1)
    await ann.send({ to: all.address, text: 'two' })
    await all.come(2)
  } finally {
    await server.stopReading()
    await server.startReading()
  }
})

test('a lost connection is told, and what came meanwhile is read over the next', { skip }, async () => {
  await using wire = await startCuttingProxy(server.ports.imaps)
  await using all = await openEmailBed(server, {
    environment: { EMAIL_IMAP_PORT: String(wire.port) },
    timing: { idleMs: 300, callMs: 6_000 },
  })
  await using ann = await openPerson(server, server.address('ann'))
  const first = all.connection
  wire.cut()
  await first.closed
  await all.close()
  await ann.send({ to: all.address, text: 'one' })
  const second = await all.connect()
  await all.come(1)
  // Nobody tells that the other side is gone.
  wire.isSilent = true
  const reason = await second.closed
  assert.match(String(reason), /cannot be reached/)
  await all.close()
  wire.isSilent = false
  await all.connect()
  await ann.send({ to: all.address, text: 'two' })
  await all.come(2)
  assert.deepEqual(all.texts(), ['one', 'two'])
})

test('what a mail server says to a mail decides what becomes of it', { skip }, async () => {
  await using all = await openEmailBed(server)
  await assert.rejects(all.send('gone@example.test', 'x'), { code: 'refused', message: /there is no such mailbox/ })
  await assert.rejects(all.send('busy@example.test', 'x'), { code: 'rate-limited', retryAfterMs: 60_000 })
  await assert.rejects(all.send('nobody', 'x'), { code: 'refused', message: /no address/ })
  await assert.rejects(all.send('a@b.test\r\nRCPT TO:<c@d.test>', 'x'), { code: 'refused' })
  const file = { type: 'file', kind: 'document', path: all.home.path('missing.pdf') } as const
  await assert.rejects(all.send('ann@example.test', file), { code: 'refused', message: /missing\.pdf/ })
})

test('where the answer to a mail is lost, it may have come; sent again it has the same id', { skip }, async () => {
  await using wire = await startCuttingProxy(server.ports.submission)
  await using all = await openEmailBed(server, { environment: { EMAIL_SMTP_PORT: String(wire.port) } })
  await using ann = await openPerson(server, server.address('ann'))
  wire.cutAnswerAfter(60_000)
  const text = 'word '.repeat(20_000)
  await assert.rejects(all.send(ann.address, text, { key: 'same' }), { code: 'uncertain' })
  await all.send(ann.address, text, { key: 'same' })
  const [first, second] = await ann.until(2)
  assert.equal(first?.messageId, second?.messageId)
  wire.isOpen = false
  await assert.rejects(all.send(ann.address, 'x'), { code: 'unreachable' })
  // It is not read what cannot be answered: the runner connects again when the server is back.
  assert.match(String(await all.connection.closed), /cannot be reached/)
})

test('wrong passwords and certificates that nobody vouches for are told', { skip }, async () => {
  const rejected = async (environment: Readonly<Record<string, string>>, expected: object) => {
    await using all = await openEmailBed(server, { isClosed: true, environment })
    await assert.rejects(all.connect(), expected)
  }
  await rejected({ EMAIL_PASSWORD: 'wrong' }, { code: 'unauthorised', message: /app password/ })
  await rejected({ EMAIL_CA_FILE: '' }, { code: 'unreachable', message: /EMAIL_CA_FILE/ })
  await rejected({ EMAIL_CA_FILE: '/missing.pem' }, { code: 'refused', message: /cannot be read/ })
  await rejected({ EMAIL_IMAP_PORT: '1' }, { code: 'unreachable' })
})

test('STARTTLS, TLS from the first byte, and certificates that are not looked at', { skip }, async () => {
  const { ports } = server
  const open = (environment: Readonly<Record<string, string>>, callMs = 20_000) =>
    openEmailBed(server, { environment, timing: { callMs } })
  await using starttls = await open({ EMAIL_IMAP_PORT: String(ports.imap), EMAIL_IMAP_SECURITY: 'starttls' })
  await using tls = await open({ EMAIL_SMTP_PORT: String(ports.submissions), EMAIL_SMTP_SECURITY: 'tls' })
  await using unseen = await open({ EMAIL_CA_FILE: '', EMAIL_VERIFY_CERTIFICATES: 'false' })
  await using ann = await openPerson(server, server.address('ann'))
  for (const all of [starttls, tls, unseen]) await all.send(ann.address, 'hello')
  await ann.until(3)
  await assert.rejects(
    (async () => {
      await using none = await open({ EMAIL_IMAP_PORT: String(ports.imaps), EMAIL_IMAP_SECURITY: 'starttls' }, 300)
      return none
    })(),
    { code: 'unreachable', message: /does not answer/ },
  )
})

test('files go out with the mail, pictures are shown in it', { skip }, async () => {
  await using all = await openEmailBed(server)
  await using ann = await openPerson(server, server.address('ann'))
  const [png, pdf] = [all.home.path('a b.png'), all.home.path('größe.pdf')]
  await writeFile(png, 'png bytes')
  await writeFile(pdf, 'pdf bytes')
  await all.send(ann.address, { type: 'file', kind: 'image', path: png, caption: 'A *bridge*' }, { key: 'a' })
  await ann.until(1)
  await all.send(ann.address, { type: 'file', kind: 'document', path: pdf }, { key: 'b' })
  const [picture, document] = await ann.until(2)
  assert.equal(picture?.subject, 'Hermes Agent')
  assert.match(picture?.html ?? '', /<em>bridge<\/em>[^]*<img src="cid:image@hermes"/)
  const files = [picture, document].flatMap((mail) => mail?.attachments ?? [])
  assert.deepEqual(
    files.map(({ filename, mimeType, contentId }) => [filename, mimeType, contentId]),
    [
      ['a b.png', 'image/png', '<image@hermes>'],
      ['größe.pdf', 'application/pdf', undefined],
    ],
  )
})

test('mails in HTML, in old charsets, too large, or made to break their reader', { skip }, async () => {
  await using all = await openEmailBed(server, { settings: { maxMailBytes: 200_000, skipAttachments: true } })
  await using ann = await openPerson(server, server.address('ann'))
  const to = all.address
  const one = async (mail: Parameters<typeof ann.send>[0]) => {
    await ann.send({ to, subject: 'Re: x', ...mail })
    await all.come(all.received.length + 1)
    return all.texts().at(-1) ?? ''
  }
  const html =
    '<p>See <a href="https://a.test">this</a></p><p style="display:none">hidden</p><div>On 1 Jan 2026, Hermes wrote:</div><blockquote>old</blockquote>'
  assert.equal(
    await one({ html, references: '<hermes-0123456789abcdef01234567@example.test>' }),
    'See [this](https://a.test/)',
  )
  const raw = (body: string, type: string) =>
    `From: ${ann.address}\r\nTo: ${to}\r\nSubject: Re: x\r\nMessage-ID: <${body.length}@x>\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n`
  const koi = Buffer.concat([
    Buffer.from(`${raw('koi', 'text/plain; charset=koi8-r')}Content-Transfer-Encoding: 8bit\r\n\r\n`),
    Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]),
  ])
  assert.equal(await one({ raw: koi }), 'Привет')
  const skipped = await one({ text: 'look', attachments: [{ filename: 'a.txt', content: 'x' }] })
  assert.equal(skipped, 'look\n\n[Attachments that are not kept: "a.txt"]')
  const large = await one({ text: 'big', attachments: [{ filename: 'a.bin', content: Buffer.alloc(400_000) }] })
  assert.equal(large, 'big\n\n[The mail is too large: only its beginning was read.]')
  const parts = '\r\n--b\r\n\r\nx'.repeat(5_000)
  assert.match(
    await one({ raw: `${raw(parts, 'multipart/mixed; boundary=b')}\r\n${parts}\r\n--b--` }),
    /cannot be read: It has too many parts/,
  )
  const deep = Array.from(
    { length: 300 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}x\r\n\r\n--b${n}x\r\n`,
  ).join('')
  assert.match(await one({ raw: `${raw(deep, 'multipart/mixed; boundary=b')}\r\n--b\r\n${deep}` }), /cannot be read/)
})
