import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'
import { openMailRecords } from './mail-records.ts'

const cursor = { uidValidity: '7', lastUid: 3, lastCameAt: 1 }

test('what is known of a mailbox holds over restarts, for that mailbox alone', async () => {
  await using made = await temporaryHome()
  const home = openHome(made.environment)
  const records = await openMailRecords(home, 'a')
  assert.equal(records.cursor, undefined)
  records.note({ messageId: '<1@a>', chatId: 'ann@a.test', subject: 'one', references: ['<0@a>'] })
  records.note({ messageId: '<2@a>', chatId: 'ann@a.test', subject: 'two', references: [] })
  records.taken('<1@a>')
  await records.move(cursor)
  const again = await openMailRecords(home, 'a')
  assert.deepEqual(again.cursor, cursor)
  assert.deepEqual([again.isKnown('<1@a>'), again.isKnown('<2@a>')], [true, false])
  assert.equal(again.thread('ann@a.test', '<1@a>')?.subject, 'one')
  assert.equal(again.thread('ann@a.test', undefined)?.subject, 'two')
  assert.equal(again.thread('bob@a.test', '<1@a>'), undefined)
  assert.equal((await openMailRecords(home, 'b')).cursor, undefined)
  await writeFile(made.path('email_mailbox.json'), '{"mailbox": "a", "cursor": {"uidVal')
  assert.equal((await openMailRecords(home, 'a')).cursor, undefined)
})

test('it does not grow for ever, and long threads keep their beginning', async () => {
  await using made = await temporaryHome()
  const records = await openMailRecords(openHome(made.environment), 'a')
  const references = Array.from({ length: 30 }, (_, n) => `<r${n}@a>`)
  for (let n = 0; n < 3_000; n++) {
    records.note({ messageId: `<${n}@a>`, chatId: 'ann@a.test', subject: '', references })
    records.taken(`<${n}@a>`)
  }
  assert.deepEqual([records.isKnown('<999@a>'), records.isKnown('<1000@a>')], [false, true])
  assert.equal(records.thread('ann@a.test', '<2499@a>')?.messageId, '<2999@a>')
  const kept = records.thread('ann@a.test', undefined)?.references ?? []
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [20, '<r0@a>', '<r29@a>'])
})
