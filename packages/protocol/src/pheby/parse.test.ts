import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_REQUEST_BYTES, MAX_TEXT_CHARS } from './constants.ts'
import { parsePhebyEvent, parsePhebyRequest } from './parse.ts'

/** What a request is refused with. */
function codeOf(request: unknown): string {
  const parsed = parsePhebyRequest(typeof request === 'string' ? request : JSON.stringify(request))
  return parsed.ok ? 'ok' : parsed.problem.code
}

const send = (text: unknown) => ({ type: 'chat.send', conversation_id: 'c', text, request_id: 'r' })

test('each kind of wrong request has its code', () => {
  for (const frame of ['', '{', 'nothing', '\u0000']) assert.equal(codeOf(frame), 'invalid_json', frame)
  for (const frame of ['[]', 'null', '7', '"a"', '{}', '{"type":1}']) assert.equal(codeOf(frame), 'bad_request', frame)
  for (const type of ['nothing', 'ready', '__proto__', '']) assert.equal(codeOf({ type }), 'unknown_type', type)
  assert.equal(codeOf({ type: 'ping', request_id: 7 }), 'bad_request')
  assert.equal(codeOf({ type: 'reasoning.set', effort: 'huge' }), 'bad_request')
  assert.equal(codeOf({ type: 'approval.respond', approval_id: 'a', choice: 'maybe' }), 'bad_request')
  assert.equal(codeOf({ type: 'conversation.open', conversation_id: 'a', limit: 0 }), 'bad_request')
  assert.equal(codeOf({ type: 'conversation.open', conversation_id: 'a', limit: 9999 }), 'ok')
})

test('the text of a message is counted in characters, and one that is too long has a code of its own', () => {
  assert.equal(codeOf(send('a'.repeat(MAX_TEXT_CHARS))), 'ok')
  assert.equal(codeOf(send('a'.repeat(MAX_TEXT_CHARS + 1))), 'too_large')
  assert.equal(codeOf(send('😀'.repeat(MAX_TEXT_CHARS))), 'ok')
  assert.equal(codeOf(send('😀'.repeat(MAX_TEXT_CHARS + 1))), 'too_large')
  assert.equal(codeOf(send(' \n')), 'bad_request')
  assert.equal(codeOf(send(7)), 'bad_request')
})

test('a frame that is too large is told before it is read', () => {
  assert.equal(codeOf(`{"type":"ping","filler":"${'a'.repeat(MAX_REQUEST_BYTES)}"}`), 'too_large')
})

test('what is refused carries the request id where it is a text', () => {
  const refused = (frame: object) => {
    const parsed = parsePhebyRequest(JSON.stringify(frame))
    return parsed.ok ? undefined : parsed.problem.requestId
  }
  assert.equal(refused({ type: 'nothing', request_id: 'r1' }), 'r1')
  assert.equal(refused({ type: 'chat.send', request_id: 'r2' }), 'r2')
  assert.equal(refused({ type: 'chat.send', request_id: { a: 1 } }), undefined)
})

test('unknown fields are ignored', () => {
  assert.deepEqual(parsePhebyRequest('{"type":"ping","more":{"a":1}}'), { ok: true, request: { type: 'ping' } })
})

test('an optional field that is null is as if it were not there; one that must be there is missing', () => {
  const parsed = (request: object) => {
    const read = parsePhebyRequest(JSON.stringify(request))
    return read.ok ? read.request : read.problem.code
  }
  const set = { type: 'model.set', model: 'm', provider: null, conversation_id: null, request_id: null }
  assert.deepEqual(parsed(set), { type: 'model.set', model: 'm' })
  assert.deepEqual(parsed({ type: 'conversation.create', name: null }), { type: 'conversation.create' })
  const opened = { type: 'conversation.open', conversation_id: 'a', limit: null, later: { a: null } }
  assert.deepEqual(parsed(opened), { type: 'conversation.open', conversation_id: 'a' })
  assert.equal(parsed({ type: 'chat.send', conversation_id: 'a', text: null }), 'bad_request')
  assert.equal(parsed({ type: 'conversation.open', conversation_id: null }), 'bad_request')
})

test('a client ignores what it does not know', () => {
  assert.equal(parsePhebyEvent('{"type":"later"}'), undefined)
  assert.equal(parsePhebyEvent('{'), undefined)
  assert.deepEqual(parsePhebyEvent('{"type":"pong","ts":"2026-01-01T00:00:00Z"}'), {
    type: 'pong',
    ts: '2026-01-01T00:00:00Z',
  })
})
