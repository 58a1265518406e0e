import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openPerson } from '@hermes/testing/mail-server/person.ts'
import { mailServerMissing, startMailServer } from '@hermes/testing/mail-server/server.ts'
import type { MailServer } from '@hermes/testing/mail-server/server.ts'
import { openEmailBed } from './test-bed.ts'

const skip = mailServerMissing()
let server: MailServer
before(async () => {
  if (skip === undefined) server = await startMailServer()
})
after(() => server?.[Symbol.asyncDispose]())

test(
  'a mail comes in with its person, its subject and its files, as soon as the server tells of it',
  { skip },
  async () => {
    await using all = await openEmailBed(server)
    await using ann = await openPerson(server, server.address('ann'))
    const sentAt = performance.now()
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
    assert.ok(performance.now() - sentAt < 4_000, 'it is not polled')
    const [message] = all.received
    const { attachments, sentAt: cameAt, ...rest } = message ?? assert.fail()
    assert.ok(Math.abs(cameAt - Date.now()) < 20_000)
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
