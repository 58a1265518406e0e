import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { splitReply } from './reply-text.ts'

const said = (text: string, isForward = false) => splitReply(text, isForward).said

test('what mail programs put below an answer is no part of it', () => {
  const answers = [
    'Yes.\n\nOn Sun, Nov 29, 2026 at 10:00 PM Hermes <h@a.test> wrote:\n\n> Shall I?\n> Really?\n',
    'Yes.\r\n\r\nOn Sun, Nov 29, 2026 at 10:00 PM Hermes Agent of the whole family\r\n<hermes@example.test> wrote:\r\n> Shall I?',
    'Yes.\n\nAm 29.11.26 um 22:00 schrieb Hermes:\n> Soll ich?\n> \n> > Ja?\n\n-- \nAnn',
    'Yes.\n\nLe dim. 29 nov. 2026 à 22:00, Hermes <h@a.test> a écrit :\n\n> Oui ?',
    'Yes.\n\n-----Original Message-----\nFrom: Hermes\nSent: Sunday\nTo: Ann\nSubject: x\n\nShall I?',
    'Yes.\n\n________________________________\nFrom: Hermes <h@a.test>\nSent: Sunday, 29 November 2026\nTo: Ann\nSubject: x\n\nShall I?',
    'Yes.\n\nVon: Hermes\nGesendet: Sonntag\nAn: Ann\nBetreff: x\n\nSoll ich?',
    'Yes.\n\n> Shall I?\n> Really?',
    'Yes.\n\nSent from my iPhone\n\n> On 29 Nov 2026, at 22:00, Hermes <h@a.test> wrote:\n> \n> Shall I?',
    'Yes.\n\nOn 29 Nov 2026, at 22:00, Hermes wrote:\n\nShall I do it?\nAll of it?',
    'On 29 Nov 2026, at 22:00, Hermes wrote:\n> Shall I?\n\nYes.\n-- \nAnn',
    'Yes.\n\n-- \nAnn Example\n+49 123',
    'Yes.\n\nGet Outlook for Android',
  ]
  for (const text of answers) assert.equal(said(text), 'Yes.', text)
  assert.match(splitReply(answers[0] ?? '').quoted, /^On Sun[^]*> Really\?$/)
})

test('what only looks like a quote or a signature stays', () => {
  const texts = [
    'On Monday I wrote: nothing.',
    'From: the beginning to the end.\nIt was good.',
    'I said -- well --\n--option is needed\nand more',
    '-- \nonly a line',
    'Sent from my iPhone',
    'A list:\n- one\n- two\n\n---\n\nEnd',
    '> All of it is quoted?\nNo:\n> this as well',
    'First:\n> Shall I?\nYes.\n> And this?\nNo.',
  ]
  for (const text of texts) assert.equal(said(text), text)
})

test('what was passed on is what a person wants to be read', () => {
  const gmail =
    'What is it?\n\n---------- Forwarded message ---------\nFrom: Bob <b@a.test>\nDate: Sun\nSubject: x\nTo: Ann\n\nText'
  assert.equal(said(gmail), gmail)
  const outlook = 'What is it?\n\nFrom: Bob\nSent: Sunday\nTo: Ann\nSubject: x\n\nText'
  assert.equal(said(outlook, true), outlook)
  assert.equal(said(outlook), 'What is it?')
})

const plainLine = fc
  .string({ unit: 'grapheme', maxLength: 60 })
  .map((text) => text.replaceAll(/[\r\n\u2028\u2029>:_-]/g, ' ').trim())
  .filter((line) => line !== '' && !/^(?:sent|get|von|gesendet|envoy|enviado|inviato|verzonden)/i.test(line))
const plainText = fc.array(plainLine, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n'))

test('a text without marks stays whole, and with a quote below it the same is said', () => {
  fc.assert(
    fc.property(plainText, plainText, (own, theirs) => {
      assert.equal(said(own), own)
      const quote = theirs.replaceAll(/^/gm, '> ')
      const answer = `${own}\n\nOn Sun, Nov 29, 2026, Hermes <h@a.test> wrote:\n${quote}\n`
      assert.equal(said(answer), own)
      assert.equal(said(`${answer}\n-- \nAnn`), own)
    }),
    { seed: 42 },
  )
})

test('whatever comes, nothing is made up, and what is said twice over is said once', () => {
  const marks = [
    '> x',
    'On 1 Jan 2026, A wrote:',
    '-- ',
    '-----Original Message-----',
    'From: a',
    'To: b',
    'Sent: c',
    '',
    'text',
  ]
  const line = fc.oneof(fc.constantFrom(...marks), fc.string({ maxLength: 20 }))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.boolean(), (lines, isForward) => {
      const text = lines.join('\n')
      const { said: own, quoted } = splitReply(text, isForward)
      const given = text
        .replaceAll(/\r\n?/g, '\n')
        .split('\n')
        .map((one) => one.trim())
      for (const one of [...own.split('\n'), ...quoted.split('\n')])
        assert.ok(one.trim() === '' || given.includes(one.trim()))
      assert.ok(own.length + quoted.length <= text.length + 2)
    }),
    { seed: 42, numRuns: 300 },
  )
})

test('a text that is made to be slow is not', () => {
  const begun = processorMs()
  for (const piece of ['>', 'On 1 wrote ', 'From: a\nTo', '-- \n', '\n\n ', '_____\n', 'a:', 'schrieb am '])
    splitReply(piece.repeat(200_000 / piece.length))
  assert.ok(processorMs() - begun < 3_000)
})

test('a mail full of one thing takes no square of its length', () => {
  for (const piece of [' ', '\t', '\n', '>', '-', '_', '--\n', '>\n', 'On ', 'From: ']) {
    const started = processorMs()
    for (const end of ['', 'x', '\nFrom: a\nTo: b\nSubject: c\n']) said(piece.repeat(200_000 / piece.length) + end)
    const took = processorMs() - started
    assert.ok(took < 4_000, `${took} ms for ${JSON.stringify(piece)}`)
  }
})
