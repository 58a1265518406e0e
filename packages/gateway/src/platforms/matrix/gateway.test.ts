import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startPeers } from '@hermes/testing/synapse/peer.ts'
import { noSynapse, startSynapse } from '@hermes/testing/synapse/server.ts'
import { startGateway } from '../../gateway.ts'
import { configuredPlatforms } from '../../life/configured-platforms.ts'

test(
  'the whole gateway in an encrypted chat: consent by a number, also after the server was away',
  { skip: noSynapse },
  async () => {
    await using synapse = await startSynapse()
    await using peers = startPeers(synapse)
    const bot = await synapse.register('bot')
    const ann = await peers.open(await synapse.register('ann'))
    await using agent = await startScriptedAgent({
      config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}',
      home: {
        '.env': [
          `MATRIX_HOMESERVER=${synapse.url}`,
          `MATRIX_USER_ID=${bot.userId}`,
          `MATRIX_PASSWORD=${bot.password}`,
          `MATRIX_ALLOWED_USERS=${ann.user.userId}`,
          'MATRIX_ENCRYPTION=true',
          'MATRIX_HOME_ROOM=!none:hermes.test',
        ].join('\n'),
      },
      work: { 'build/x': '' },
      script: ({ body }) => {
        const { messages = [], tools } = body
        if (!tools) return { text: 'A title' }
        if (messages.at(-1)?.role === 'tool') return { text: '**Removed.**' }
        return JSON.stringify(messages.at(-1)).includes('clean up')
          ? { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build' } }] }
          : { text: 'Back again.' }
      },
    })
    const { ready } = await configuredPlatforms(agent.context)
    await using gateway = await startGateway({ agent: agent.context, platforms: ready })
    const roomId = await ann.room({ invite: [bot.userId], isEncrypted: true, isDirect: true })
    await ann.joined(roomId, bot.userId)
    await ann.say(roomId, 'clean up')
    const card = await ann.until(({ content }) => /needs your consent/.test(String(content['body'])), 40_000)
    assert.match(String(card.content['body']), /1️⃣ Allow once/)
    assert.equal(card.isEncrypted, true)
    await ann.say(roomId, '1')
    assert.equal((await ann.untilSaid('**Removed.**', 40_000)).isEncrypted, true)
    await ann.until(({ content }) => /✅ Allowed once/.test(String(content['body'])), 40_000)
    await synapse.stop()
    await synapse.start()
    await ann.say(roomId, 'are you there?')
    await ann.untilSaid('Back again.', 60_000)
    assert.ok(gateway.platforms().length > 0)
  },
)
