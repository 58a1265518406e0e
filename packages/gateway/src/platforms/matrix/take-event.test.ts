import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { roomEvent } from './events.ts'
import { createEventTaker } from './take-event.ts'
import type { MatrixParts } from './take-event.ts'

test('what cannot be stored is told by its own promise alone, also while the next event is still looked at', async () => {
  const room = { id: '!r:h', name: undefined, encryption: undefined, isDirect: true, members: new Map() }
  const parts = {
    session: { userId: '@bot:h' },
    settings: { rules: {}, waits: { textBatchMs: 0, quietMs: 0 } },
    host: {
      log: silentLogger,
      access: { isAuthorised: async () => true },
      receive: async () => {
        throw new Error('the disk is full')
      },
    },
    rooms: { get: async () => room },
    choices: { byText: () => undefined },
  } as unknown as MatrixParts
  const taker = createEventTaker(parts, new AbortController().signal)
  const { stored } = await taker.take(
    room.id,
    roomEvent.parse({
      type: 'm.room.message',
      event_id: '$1',
      sender: '@ann:h',
      origin_server_ts: 1,
      content: { msgtype: 'm.text', body: 'hello' },
    }),
  )
  // Nobody asks after it until the whole sync is taken: that alone must not end the process.
  await new Promise((resolve) => setTimeout(resolve, 20))
  await assert.rejects(stored, /the disk is full/)
  taker.close()
})
