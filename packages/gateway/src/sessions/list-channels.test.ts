import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import type { ListedChannel } from '../platforms/platform.ts'
import { findChannel, readChannels, writeChannels } from './channel-directory.ts'
import { createChannelLister } from './list-channels.ts'

const listed = (id: string, name: string): ListedChannel => ({ id, name, type: 'channel', guild: 'Team' })

test('what a service lists can be named; what it lists no more goes, and chats of people stay', async () => {
  await using home = await temporaryHome()
  let answer = [listed('C1', 'general'), listed('C2', 'old')]
  const channels = { list: async () => answer }
  const connectionOf = (name: string) => (name === 'slack' ? { channels } : {})
  using lister = createChannelLister({ home, log: silentLogger, now: () => 1, connectionOf })
  const source = {
    platform: 'slack',
    account: 'T',
    chatId: 'C1',
    chatType: 'group',
    chatName: 'Team / #general',
  } as const
  const chat = { sessionKey: 'k', sessionId: 's', createdAt: 1, updatedAt: 1, source }
  const ann = { ...chat, source: { ...source, chatId: 'D1', chatName: 'Ann' } }
  await writeChannels([chat, ann], home, 1)
  await lister.list('slack')
  await writeChannels([chat], home, 2)
  const named = async (name: string) => findChannel((await readChannels(home))['slack'] ?? [], name)?.id
  assert.deepEqual(await Promise.all(['#general', 'Team/general', 'ann', 'old'].map(named)), ['C1', 'C1', 'D1', 'C2'])
  answer = [listed('C1', 'general')]
  await lister.list('slack')
  await lister.list('telegram')
  assert.deepEqual(await Promise.all(['general', 'ann', 'old'].map(named)), ['C1', 'D1', undefined])
})

test('what is no place hides no other, and nothing of another platform', async () => {
  const good = { id: '7', name: 'Ann', type: 'dm' }
  const platforms = { telegram: [5, good, { id: -100, name: null }], discord: [{ ...good, id: '8' }], slack: null }
  await using dir = await temporaryHome({ 'channel_directory.json': JSON.stringify({ platforms }) })
  const found = await readChannels(dir)
  assert.deepEqual(
    Object.entries(found).map(([name, list]) => [name, list.map(({ id }) => id)]),
    [
      ['telegram', ['7']],
      ['discord', ['8']],
      ['slack', []],
    ],
  )
})
