import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PhebyEvent } from '@hermes/protocol/pheby/types.ts'
import { createClient } from './client.ts'
import { createClients } from './clients.ts'
import { createDraft } from './draft.ts'
import { openTestPheby } from './test-pheby.ts'

/** A socket that keeps what it is given, as one whose peer reads slowly. */
function slowSocket() {
  const sent: string[] = []
  return {
    sent,
    bufferedAmount: 0,
    readyState: 1,
    OPEN: 1,
    wasCutOff: false,
    send(text: string) {
      sent.push(text)
      this.bufferedAmount += text.length
    },
    close() {
      this.readyState = 2
    },
    terminate() {
      this.wasCutOff = true
    },
  }
}

const draft = (text: string): PhebyEvent => ({
  type: 'message.delta',
  conversation_id: 'c',
  message_id: 'draft-r',
  text,
  ts: '2026-09-02T18:00:00+00:00',
})

test('a slow client gets no drafts, then all the rest, and is cut off before it costs too much memory', () => {
  const socket = slowSocket()
  const clients = createClients()
  // What it uses of a WebSocket is all there.
  clients.add(createClient({ socket: socket as never, requestsPerMinute: 600, now: () => 0 }))
  for (let n = 0; n < 100; n++) clients.broadcast(draft('a'.repeat(100_000)))
  assert.ok(socket.bufferedAmount < 500_000)
  const drafts = socket.sent.length
  clients.broadcast({ type: 'message.complete', conversation_id: 'c', message_id: 'draft-r', text: 'all', ts: '' })
  assert.equal(socket.sent.length, drafts + 1, 'what is no draft is never left out')
  for (let n = 0; n < 1_000 && !socket.wasCutOff; n++) {
    clients.broadcast({
      type: 'message.complete',
      conversation_id: 'c',
      message_id: 'x',
      text: 'a'.repeat(100_000),
      ts: '',
    })
  }
  assert.ok(socket.wasCutOff)
  assert.ok(socket.bufferedAmount < 17 * 1024 * 1024)
})

test('a client that stops reading in the middle of a long answer does not hold up the run, and finds all of it', async () => {
  const words = Array.from({ length: 1_000 }, (_, n) => `word${n} ${'x'.repeat(200)} `)
  await using all = await openTestPheby({ script: (request) => ({ text: request.body.tools ? words : 'T' }) })
  const client = await all.connect()
  const other = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  client.pause()
  const from = other.events.length
  client.send({ type: 'chat.send', conversation_id: id, text: 'Write a lot' })
  const finished = await other.event('run.finished', undefined, from)
  assert.equal(finished.status, 'completed')
  client.resume()
  const complete = await client.event('message.complete', undefined, 0)
  assert.equal(complete.text, words.join('').trim())
})

test('drafts are fewer the longer they get, and none comes after the end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const shown: string[] = []
  const growing = createDraft((text) => void shown.push(text))
  for (let n = 0; n < 1_000; n++) {
    growing.add('words ')
    t.mock.timers.tick(10)
  }
  assert.ok(shown.length > 50 && shown.length < 130, String(shown.length))
  const before = shown.length
  growing.add('x'.repeat(1_000_000))
  t.mock.timers.tick(1_000)
  assert.ok(shown.length <= before + 1)
  growing.stop()
  growing.add('more')
  const end = shown.length
  t.mock.timers.tick(100_000)
  assert.equal(shown.length, end)
})

test('what is void is taken back, and what was said before tools stays', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const growing = createDraft(() => {})
  growing.add('Looking')
  growing.seal()
  growing.add('wrong')
  growing.reset()
  growing.add('right MEDIA:/tmp/x.pn')
  assert.equal(growing.text(), 'Looking\n\nright')
  growing.stop()
})
