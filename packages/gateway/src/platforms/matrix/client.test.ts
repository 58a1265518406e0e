import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { z } from 'zod'
import { createChoices } from './choices.ts'
import { apiPath, openClient } from './client.ts'
import type { RoomEvent } from './events.ts'
import { sinceJoined } from './history.ts'
import { readSettings } from './settings.ts'

const never = new AbortController().signal

/** What a call comes to where the server answers so. */
async function codeOf(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = openClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {})
  client.accessToken = 'syt_secret'
  const call = client.call(z.looseObject({ a: z.number() }), { method: 'GET', path: apiPath`/x/${'@a:b'}` }, never)
  const error = await call.then(
    () => undefined,
    (reason: { code: string; message: string; retryAfterMs?: number }) => reason,
  )
  client.close()
  server.closeAllConnections()
  server.close()
  assert.doesNotMatch(error?.message ?? '', /secret|@a:b/)
  return [error?.code, error?.retryAfterMs]
}

test('refusals of a server come as the gateway knows them', async () => {
  const said = (errcode: string, error = '', more = {}) => JSON.stringify({ errcode, error, ...more })
  assert.deepEqual(await codeOf(200, '{"a":1}'), [undefined, undefined])
  assert.deepEqual(await codeOf(429, said('M_LIMIT_EXCEEDED', '', { retry_after_ms: 2345 })), ['rate-limited', 2345])
  assert.deepEqual(await codeOf(429, 'slow', { 'retry-after': '7' }), ['rate-limited', 7_000])
  assert.deepEqual(await codeOf(401, said('M_UNKNOWN_TOKEN', '', { soft_logout: true })), ['unauthorised', undefined])
  assert.deepEqual(await codeOf(403, said('M_FORBIDDEN', 'User not in room')), ['gone', undefined])
  assert.deepEqual(await codeOf(403, said('M_FORBIDDEN', 'no power')), ['refused', undefined])
  assert.deepEqual(await codeOf(413, said('M_TOO_LARGE')), ['too-long', undefined])
  assert.deepEqual(await codeOf(502, '<html>'), ['unreachable', undefined])
  assert.deepEqual(await codeOf(200, '<html>'), ['unreachable', undefined])
  assert.deepEqual(await codeOf(200, '{"a":"x"}'), ['refused', undefined])
})

test('a server that is not there is unreachable, and stopping passes the reason on', async () => {
  const client = openClient('http://127.0.0.1:9', {})
  await assert.rejects(client.call(z.unknown(), { method: 'GET', path: '/x' }, never), { code: 'unreachable' })
  const reason = new Error('stop')
  await assert.rejects(client.call(z.unknown(), { method: 'GET', path: '/x' }, AbortSignal.abort(reason)), reason)
  client.close()
})

const config = configSchema.parse({})
const given = { MATRIX_HOMESERVER: 'https://m.x.y/', MATRIX_ACCESS_TOKEN: 'syt_1' }

test('settings are ready, absent, or say what is missing', () => {
  const ready = readSettings(config, { ...given, MATRIX_ENCRYPTION: 'yes' })
  assert.ok(ready.state === 'ready')
  assert.equal(ready.settings.homeserver, 'https://m.x.y')
  assert.deepEqual([ready.settings.encryption, ready.settings.rules.requireMention], [true, true])
  assert.equal(readSettings(config, {}).state, 'absent')
  const reasons = [
    { MATRIX_HOMESERVER: 'https://m.x.y' },
    { ...given, MATRIX_HOMESERVER: '' },
    { ...given, MATRIX_ACCESS_TOKEN: 'your-token' },
    { ...given, MATRIX_ACCESS_TOKEN: '', MATRIX_PASSWORD: 'p' },
    { ...given, MATRIX_RECOVERY_KEY: 'no key' },
  ].map((environment) => readSettings(config, environment).state)
  assert.deepEqual(
    reasons,
    Array.from({ length: 5 }, () => 'incomplete'),
  )
})

function event(type: string, content: Record<string, unknown>, stateKey?: string, before?: string): RoomEvent {
  const unsigned = before === undefined ? {} : { prev_content: { membership: before } }
  return { type, content, unsigned, ...(stateKey !== undefined && { state_key: stateKey }) }
}

test('what was said in a room before we were invited is no message to us', () => {
  const said = (body: string) => event('m.room.message', { body })
  const us = (membership: string, before?: string) => event('m.room.member', { membership }, '@bot:x', before)
  const texts = (events: readonly RoomEvent[]) =>
    sinceJoined(events, '@bot:x')?.flatMap(({ type, content }) => (type === 'm.room.message' ? [content['body']] : []))
  assert.deepEqual(texts([said('old'), us('invite'), said('waiting'), us('join', 'invite'), said('new')]), [
    'waiting',
    'new',
  ])
  assert.deepEqual(texts([said('old'), us('join', 'invite'), said('new')]), ['new'])
  assert.equal(texts([said('a'), us('join', 'join'), said('b')]), undefined)
  assert.equal(texts([said('a')]), undefined)
})

test('a choice is found by its number, label or reaction, in its own place only', () => {
  const choices = createChoices()
  const chat = { platform: 'matrix', chatId: '!r', chatType: 'group', threadId: '$t' } as const
  choices.open('$1', chat, [
    { label: 'Allow once', data: 'a' },
    { label: 'Deny', data: 'b' },
  ])
  assert.equal(choices.byText(chat, ' 2 ')?.data, 'b')
  assert.equal(choices.byText(chat, 'allow ONCE')?.data, 'a')
  assert.equal(choices.byText({ ...chat, threadId: '$u' }, '2'), undefined)
  assert.equal(choices.byText(chat, '3'), undefined)
  assert.equal(choices.byReaction('$1', '1\u20E3')?.data, 'a')
  assert.equal(choices.byReaction('$1', '👍'), undefined)
  choices.close('$1')
  assert.equal(choices.byReaction('$1', '1️⃣'), undefined)
})
