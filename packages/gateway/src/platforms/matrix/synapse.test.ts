import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPeers } from '@hermes/testing/synapse/peer.ts'
import type { Peer, Peers } from '@hermes/testing/synapse/peer.ts'
import { noSynapse, startSynapse } from '@hermes/testing/synapse/server.ts'
import type { Synapse } from '@hermes/testing/synapse/server.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { openBed, placeOf } from './test-bed.ts'
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
