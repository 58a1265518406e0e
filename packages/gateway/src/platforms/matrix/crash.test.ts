import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { temporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { startPeers } from '@hermes/testing/synapse/peer.ts'
import { noSynapse, startSynapse } from '@hermes/testing/synapse/server.ts'

const messages = 16

test(
  'kill -9 at any moment loses no encrypted message, doubles none, and keeps the device',
  { skip: noSynapse },
  async () => {
    await using synapse = await startSynapse()
    await using peers = startPeers(synapse)
    await using home = await temporaryHome()
    const bot = await synapse.register('bot')
    const ann = await peers.open(await synapse.register('ann'))
    const environment = {
      ...home.environment,
      ...compileCache(),
      MATRIX_HOMESERVER: synapse.url,
      MATRIX_ACCESS_TOKEN: bot.accessToken,
      MATRIX_ENCRYPTION: 'true',
    }
    const start = () =>
      spawn(process.execPath, ['--conditions=development', new URL('./crash.fixture.ts', import.meta.url).pathname], {
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    const keys = async () => {
      const body = { device_keys: { [bot.userId]: [] } }
      return JSON.stringify(await synapse.call(bot, 'POST', '/_matrix/client/v3/keys/query', body))
    }
    let child = start()
    await once(child.stdout, 'data')
    const first = await keys()
    const roomId = await ann.room({ invite: [bot.userId], isEncrypted: true, isDirect: true })
    await ann.joined(roomId, bot.userId)
    for (let n = 0; n < messages; n++) {
      await ann.say(roomId, `message ${n}`)
      if (n % 4 !== 1) continue
      // From before the message is taken to after it is answered.
      await wait(Math.random() * 200)
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      child = start()
    }
    try {
      for (let n = 0; n < messages; n++) await ann.untilSaid(`echo of message ${n}`, 60_000)
      const echoes = ann.seen.flatMap(({ type, content }) =>
        type === 'm.room.message' ? [String(content['body'])] : [],
      )
      assert.deepEqual(echoes.toSorted(), Array.from({ length: messages }, (_, n) => `echo of message ${n}`).toSorted())
      assert.ok(ann.seen.every(({ type, isEncrypted }) => type !== 'm.room.message' || isEncrypted))
      assert.equal(await keys(), first)
    } finally {
      child.kill('SIGKILL')
    }
  },
)
