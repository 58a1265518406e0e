import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPerson } from './person.ts'
import { mailServerMissing, startMailServer } from './server.ts'

test(
  'mail goes from one person to another, and from the world, with what the server knows of its sender',
  {
    skip: mailServerMissing(),
  },
  async () => {
    await using server = await startMailServer()
    await using ann = await openPerson(server, server.address('ann'))
    await using bob = await openPerson(server, server.address('bob'))
    const id = await ann.send({ to: bob.address, subject: 'Hello', text: 'from ann' })
    await bob.until(1)
    await ann.sendFromWorld({ from: 'x@friend.test', to: bob.address, text: 'true' }, 'x@friend.test')
    await bob.until(2)
    await ann.sendFromWorld({ from: ann.address, to: bob.address, text: 'forged' }, 'y@evil.test')
    const mails = await bob.until(3)
    assert.deepEqual(
      mails.map((mail) => [mail.text?.trim(), mail.header('Authentication-Results')?.includes('dmarc=pass')]),
      [
        ['from ann', true],
        ['true', true],
        ['forged', false],
      ],
    )
    assert.equal(mails[0]?.messageId, id)
    await assert.rejects(ann.send({ to: 'gone@example.test', text: 'x' }), { responseCode: 550 })
    await assert.rejects(ann.send({ to: 'busy@example.test', text: 'x' }), { responseCode: 450 })
  },
)
