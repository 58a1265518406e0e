import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asWritten } from './as-written.ts'

test('commands are named as people write them there; paths and what is no command stay', () => {
  const text =
    '/new: anew. /sethome makes it this chat (/reload-mcp too), "/stop" ends it; /frob, /home/x and a/new stay.'
  assert.equal(
    asWritten(text, '!'),
    '!new: anew. !sethome makes it this chat (!reload-mcp too), "!stop" ends it; /frob, /home/x and a/new stay.',
  )
  assert.equal(asWritten('/help lists them', '/hermes '), '/hermes help lists them')
  assert.equal(asWritten(text, undefined), text)
})
