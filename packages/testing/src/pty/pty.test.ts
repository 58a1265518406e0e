import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPty } from './pty.ts'
import { Screen } from './screen.ts'

const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8' }

test('a program in the pseudo-terminal sees a terminal of the given size, and its new size after a change', async () => {
  await using pty = openPty(
    'bash',
    [
      '--norc',
      '-c',
      'trap "stty size" WINCH; stty size; while read -r line; do [ "$line" = end ] && exit 7; done; while read -r line; do [ "$line" = end ] && exit 7; done',
    ],
    { env, cwd: '/', columns: 72, rows: 20 },
  )
  await pty.screen.waitFor('20 72')
  pty.resize(60, 18)
  pty.write('\n')
  await pty.screen.waitFor('18 60')
  pty.write('end\n')
  assert.deepEqual(await pty.exited(), { code: 7, signal: undefined })
})

test('the screen shows what a person would see: overwritten text is gone, scrolled text is in its history', async () => {
  const screen = new Screen({ columns: 20, rows: 3 })
  await screen.write('one\r\ntwo\r\nthree\r\nfour\rF\u001b[31mO')
  assert.deepEqual(screen.lines(), ['two', 'three', 'FOur'])
  assert.equal(screen.history(), 'one\ntwo\nthree\nFOur')
  assert.deepEqual(screen.cursor, { row: 2, column: 2 })
  assert.equal(screen.isStyled(), true)
})

test('wide characters take two columns', async () => {
  const screen = new Screen({ columns: 20, rows: 2 })
  await screen.write('数据库')
  assert.deepEqual(screen.cursor, { row: 0, column: 6 })
})

test('waiting for a text that never comes fails with the screen in the message', async () => {
  const screen = new Screen({ columns: 20, rows: 2 })
  await screen.write('hello')
  await assert.rejects(screen.waitFor('goodbye', 20), /never saw goodbye[^]*│hello/)
})

test('the screen answers questions about the cursor as a terminal does', async () => {
  const replies: string[] = []
  const screen = new Screen({ columns: 20, rows: 2, onReply: (data) => replies.push(data) })
  await screen.write('ab\u001b[6n')
  assert.deepEqual(replies, ['\u001b[1;3R'])
})
