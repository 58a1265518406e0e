import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startPeers } from '@hermes/testing/synapse/peer.ts'
import type { Peer, Peers } from '@hermes/testing/synapse/peer.ts'
import { noSynapse, startSynapse } from '@hermes/testing/synapse/server.ts'
import type { Synapse } from '@hermes/testing/synapse/server.ts'
import { z } from 'zod'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { openAccountState } from './account-state.ts'
import { never, openBed, placeOf } from './test-bed.ts'
import type { BedOptions } from './test-bed.ts'

const skip = { skip: noSynapse }

let synapse: Synapse
let peers: Peers
let ann: Peer
let count = 0

before(async () => {
  if (noSynapse !== false) return
  synapse = await startSynapse()
  peers = startPeers(synapse)
  ann = await peers.open(await synapse.register('ann'))
})

after(async () => {
  if (noSynapse !== false) return
  await peers[Symbol.asyncDispose]()
  await synapse[Symbol.asyncDispose]()
})

interface Given extends Partial<BedOptions> {
  readonly room?: Partial<Parameters<Peer['room']>[0]>
}

/** A bot of its own, which Ann has invited into a room. */
async function open({ room = {}, ...options }: Given = {}) {
  const bot = await synapse.register(`bot${++count}`)
  const bed = await openBed({ synapse, bot, ...options })
  const roomId = await ann.room({ invite: [bot.userId], ...room })
  await ann.joined(roomId, bot.userId)
  const chat: ChatRef = { platform: 'matrix', chatId: roomId, chatType: 'dm' }
  return { bot, bed, roomId, chat, [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose]() }
}

/** What the server has of an event. */
async function stored(roomId: string, eventId: string): Promise<string> {
  const path = `/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/event/${encodeURIComponent(eventId)}`
  return JSON.stringify(await synapse.call(ann.user, 'GET', path))
}

test('an encrypted direct chat: both read each other, and the server reads nothing', skip, async () => {
  await using all = await open({ room: { isEncrypted: true, isDirect: true } })
  const { bed, roomId } = all
  const asked = await ann.say(roomId, 'a secret question')
  await bed.come(1)
  const [message] = bed.received
  assert.equal(message?.text, 'a secret question')
  assert.equal(message?.source.chatType, 'dm')
  const sent = await bed.say(placeOf(message ?? assert.fail()), 'a **secret** answer', 'k1', asked)
  const seen = await ann.untilSaid('a **secret** answer')
  assert.equal(seen.isEncrypted, true)
  assert.equal(seen.content['formatted_body'], 'a <strong>secret</strong> answer')
  for (const eventId of [asked, sent.messageId]) {
    assert.match(await stored(roomId, eventId), /"type":"m\.room\.encrypted"/)
    assert.doesNotMatch(await stored(roomId, eventId), /secret/)
  }
})

test('all devices of a person get the key, also one that is new in the middle of a talk', skip, async () => {
  await using all = await open({ room: { isEncrypted: true, isDirect: true } })
  const { bed, roomId, chat } = all
  await bed.say(chat, 'to one device')
  await ann.untilSaid('to one device')
  await using second = await peers.open(await synapse.login(ann.user))
  await second.say(roomId, 'from the second')
  await bed.come(1)
  assert.deepEqual(bed.texts(), ['from the second'])
  await bed.say(chat, 'to both devices')
  assert.equal((await ann.untilSaid('to both devices')).isEncrypted, true)
  assert.equal((await second.untilSaid('to both devices')).isEncrypted, true)
})

test('after a restart the device is the same one, reads on, and nothing is lost or doubled', skip, async () => {
  await using all = await open({ room: { isEncrypted: true, isDirect: true } })
  const { bot, bed, roomId, chat } = all
  const keys = () =>
    synapse
      .call(bot, 'POST', '/_matrix/client/v3/keys/query', { device_keys: { [bot.userId]: [] } })
      .then(JSON.stringify)
  await ann.say(roomId, 'before')
  await bed.come(1)
  const before_ = await keys()
  await bed.connection[Symbol.asyncDispose]()
  for (let n = 0; n < 60; n++) await ann.say(roomId, `away ${n}`)
  await bed.reconnect()
  await bed.come(61)
  assert.deepEqual(bed.texts(), ['before', ...Array.from({ length: 60 }, (_, n) => `away ${n}`)])
  assert.equal(await keys(), before_)
  await bed.say(chat, 'still here')
  assert.equal((await ann.untilSaid('still here')).isEncrypted, true)
})

test('a message that cannot be stored comes again', skip, async () => {
  await using all = await open()
  const { bed, roomId } = all
  bed.host.store = () => Promise.reject(new Error('the disk is full'))
  await ann.say(roomId, 'important')
  await bed.connection.closed
  bed.host.store = async () => {}
  await bed.reconnect()
  await bed.come(1)
  assert.deepEqual(bed.texts(), ['important'])
})

test('the same part sent again is shown once', skip, async () => {
  await using all = await open({ room: { isEncrypted: true } })
  const { bed, chat } = all
  const first = await bed.say(chat, 'once', 'same-key')
  const again = await bed.say(chat, 'once', 'same-key')
  assert.equal(again.messageId, first.messageId)
  await bed.say(chat, 'then')
  await ann.untilSaid('then')
  assert.equal(ann.seen.filter(({ roomId, content }) => roomId === chat.chatId && content['body'] === 'once').length, 1)
})

test('a text grows by edits, and reactions show how far the work is', skip, async () => {
  await using all = await open({ room: { isEncrypted: true } })
  const { bed, roomId, chat } = all
  const asked = await ann.say(roomId, 'go')
  await bed.come(1)
  await bed.connection.typing?.show(chat, never)
  await bed.connection.reactions?.react(chat, asked, 'working', never)
  const sent = await bed.say(chat, 'one')
  await bed.connection.editing?.edit(sent, 'one two', never)
  const edit = await ann.until(({ content }) => content['body'] === '* one two')
  assert.deepEqual(edit.content['m.relates_to'], { rel_type: 'm.replace', event_id: sent.messageId })
  await bed.connection.reactions?.react(chat, asked, 'done', never)
  const done = await ann.until(({ type, content }) => type === 'm.reaction' && JSON.stringify(content).includes('✅'))
  assert.deepEqual(done.content['m.relates_to'], { rel_type: 'm.annotation', event_id: asked, key: '✅' })
  const working = ann.seen.find(({ type, content }) => type === 'm.reaction' && JSON.stringify(content).includes('👀'))
  assert.doesNotMatch(await stored(roomId, working?.eventId ?? ''), /👀/)
  await bed.connection.editing?.remove?.(sent, never)
  assert.doesNotMatch(await stored(roomId, sent.messageId), /ciphertext/)
})

test('files go both ways, encrypted where the room is, and a broken one is told', skip, async () => {
  await using all = await open({ room: { isEncrypted: true } })
  const { bed, roomId, chat } = all
  const path = bed.home.path('note.txt')
  await writeFile(path, 'secret content '.repeat(10_000))
  const part = { type: 'file', kind: 'document', path, caption: 'a *note*' } as const
  await bed.connection.send(chat, part, { key: 'f' }, never)
  const { content } = await ann.untilSaid('a *note*')
  assert.equal(content['msgtype'], 'm.file')
  assert.equal(content['filename'], 'note.txt')
  assert.equal(content['url'], undefined)
  // What is on the server is not what was sent; it is opened again by what the message says of it.
  await ann.send(roomId, 'm.room.message', { ...content, 'm.relates_to': undefined })
  await bed.come(1)
  const [back] = bed.received
  assert.equal(await readFile(back?.attachments[0]?.path ?? '', 'utf8'), 'secret content '.repeat(10_000))
  assert.equal(back?.text, 'a *note*')
  assert.equal(back?.attachments[0]?.name, 'note.txt')
  const file = content['file'] as Readonly<Record<string, unknown>>
  const broken = { ...file, hashes: { sha256: Buffer.alloc(32).toString('base64').slice(0, 43) } }
  await ann.send(roomId, 'm.room.message', { ...content, file: broken })
  await bed.come(2)
  assert.match(bed.received[1]?.text ?? '', /"note\.txt", which could not be fetched/)
  assert.deepEqual(bed.received[1]?.attachments, [])
})

test('in a room it answers who names it, in a thread of its own, where nobody needs to name it', skip, async () => {
  const bob = await synapse.register('bob')
  await using all = await open({ room: { invite: [`@bot${count + 1}:hermes.test`, bob.userId] } })
  const { bot, bed, roomId } = all
  await ann.say(roomId, 'just talking')
  const asked = await ann.say(roomId, `${bot.userId}: what is new?`, { 'm.mentions': { user_ids: [bot.userId] } })
  await bed.come(1)
  const [first] = bed.received
  assert.deepEqual([first?.text, first?.source.chatType, first?.source.threadId], ['what is new?', 'group', asked])
  await bed.say(placeOf(first ?? assert.fail()), 'not much', 'k', asked)
  const answer = await ann.untilSaid('not much')
  const thread = { rel_type: 'm.thread', event_id: asked, is_falling_back: true, 'm.in_reply_to': { event_id: asked } }
  assert.deepEqual(answer.content['m.relates_to'], thread)
  await ann.say(roomId, 'really?', { 'm.relates_to': thread })
  await bed.come(2)
  assert.deepEqual([bed.received[1]?.text, bed.received[1]?.source.threadId], ['really?', asked])
  await ann.send(roomId, 'm.room.message', { msgtype: 'm.notice', body: bot.userId })
  await ann.say(roomId, `* ${bot.userId}`, { 'm.relates_to': { rel_type: 'm.replace', event_id: asked } })
  await ann.say(roomId, '!status', { 'm.relates_to': thread })
  await bed.come(3)
  assert.equal(bed.received[2]?.text, '/status')
})

test('a question is answered by a reaction, or by its number', skip, async () => {
  await using all = await open()
  const { bed, roomId, chat } = all
  const buttons = [
    { label: 'Allow once', data: 'a' },
    { label: 'Deny', data: 'b' },
  ]
  const ask = (key: string) => bed.connection.send(chat, { type: 'text', text: 'May I?', buttons }, { key }, never)
  const first = await ask('q1')
  const offered = await ann.until(
    ({ type, content }) => type === 'm.reaction' && JSON.stringify(content).includes('2️⃣'),
  )
  await ann.send(roomId, 'm.reaction', offered.content)
  await bed.until(() => bed.presses.length === 1)
  await bed.connection.buttons?.close(first, 'Denied', never)
  await ask('q2')
  await ann.say(roomId, '1')
  await bed.until(() => bed.presses.length === 2)
  assert.deepEqual(
    bed.presses.map(({ data, userId }) => [data, userId]),
    [
      ['b', ann.user.userId],
      ['a', ann.user.userId],
    ],
  )
  assert.deepEqual(bed.texts(), [])
})

test('what is not encrypted is not listened to in an encrypted room, be it a message or a consent', skip, async () => {
  await using all = await open({ room: { isEncrypted: true } })
  const { bed, roomId, chat } = all
  const buttons = [{ label: 'Allow once', data: 'a' }]
  const card = await bed.connection.send(chat, { type: 'text', text: 'May I?', buttons }, { key: 'q' }, never)
  const put = (type: string, content: unknown) => {
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/send/${type}/${crypto.randomUUID()}`
    return synapse.call(ann.user, 'PUT', path, content)
  }
  await put('m.room.message', { msgtype: 'm.text', body: 'forged' })
  await put('m.reaction', { 'm.relates_to': { rel_type: 'm.annotation', event_id: card.messageId, key: '1️⃣' } })
  // What cannot be read at all holds up nothing either.
  await put('m.room.encrypted', { algorithm: 'm.megolm.v1.aes-sha2', ciphertext: 5 })
  await put('m.room.encrypted', { algorithm: 'of tomorrow' })
  await ann.say(roomId, 'genuine')
  await bed.come(1)
  assert.deepEqual([bed.texts(), bed.presses], [['genuine'], []])
})

test('a recovery key verifies the device; an account without signing keys gets some', skip, async () => {
  const bot = await synapse.register(`bot${++count}`)
  await using owner = await peers.open(bot)
  const recoveryKey = await owner.makeRecoveryKey()
  const device = await synapse.login(bot)
  {
    await using bed = await openBed({ synapse, bot: device, environment: { MATRIX_RECOVERY_KEY: recoveryKey } })
    assert.equal(bed.connection.account, bot.userId)
    assert.equal(await owner.isVerified(bot.userId, device.deviceId), true)
  }
  const fresh = await synapse.register(`bot${++count}`)
  await using bed = await openBed({ synapse, bot: fresh })
  assert.equal(bed.connection.account, fresh.userId)
  const keys = await synapse.call(fresh, 'POST', '/_matrix/client/v3/keys/query', {
    device_keys: { [fresh.userId]: [] },
  })
  assert.match(JSON.stringify(keys), new RegExp(`"master_keys":\\{"${fresh.userId}"`))
})

test('with a password it signs in, keeps the session, and signs in anew when that has ended', skip, async () => {
  const bot = await synapse.register(`bot${++count}`)
  const environment = { MATRIX_ACCESS_TOKEN: '', MATRIX_USER_ID: bot.userId, MATRIX_PASSWORD: bot.password }
  await using bed = await openBed({ synapse, bot, environment })
  const session = async () =>
    JSON.parse(await readFile(bed.home.path('platforms', 'matrix', 'session.json'), 'utf8')) as Record<string, string>
  const first = await session()
  await bed.reconnect()
  assert.deepEqual(await session(), first)
  await synapse.call({ accessToken: first['access_token'] ?? '' }, 'POST', '/_matrix/client/v3/logout', {})
  assert.doesNotMatch(String(await bed.connection.closed), /PlatformError/)
  await bed.reconnect()
  assert.notEqual((await session())['access_token'], first['access_token'])
})

test('a token that is no good any more, and keys of another program, are told as such', skip, async () => {
  const bot = await synapse.register(`bot${++count}`)
  {
    await using bed = await openBed({ synapse, bot })
    const other = await openBed({ synapse, bot }).then(
      () => 'connected',
      (error: { code?: string }) => error.code,
    )
    assert.equal(other, 'refused')
    await synapse.call(bot, 'POST', '/_matrix/client/v3/logout', {})
    const reason = (await bed.connection.closed) as { code?: string }
    assert.equal(reason.code, 'unauthorised')
    await assert.rejects(bed.connect(), { code: 'unauthorised' })
  }
})

test('a message that came before its key is answered when the key comes', skip, async () => {
  await using all = await open({ room: { isEncrypted: true, isDirect: true } })
  const { bot, bed, roomId } = all
  await bed.connection[Symbol.asyncDispose]()
  await ann.say(roomId, 'early')
  // Somebody else takes the key away from the server, and brings it later.
  const sync = async (since: string) =>
    syncAnswer.parse(await synapse.call(bot, 'GET', `/_matrix/client/v3/sync?timeout=0${since}`))
  const taken = await sync('')
  await sync(`&since=${taken.next_batch}`)
  await bed.reconnect()
  await using stack = new AsyncDisposableStack()
  const state = await openAccountState(bed.home, bot)
  stack.defer(() => state.close())
  while ((await state.sealed()).length === 0) await wait(20)
  assert.deepEqual(bed.texts(), [])
  for (const { type, content } of taken.to_device.events) {
    const path = `/_matrix/client/v3/sendToDevice/${type}/${crypto.randomUUID()}`
    await synapse.call(ann.user, 'PUT', path, { messages: { [bot.userId]: { [bot.deviceId]: content } } })
  }
  await bed.come(1)
  assert.deepEqual(bed.texts(), ['early'])
  while ((await state.sealed()).length > 0) await wait(20)
})

const syncAnswer = z.object({
  next_batch: z.string(),
  to_device: z
    .object({ events: z.array(z.object({ type: z.string(), content: z.unknown() })) })
    .default({ events: [] }),
})
