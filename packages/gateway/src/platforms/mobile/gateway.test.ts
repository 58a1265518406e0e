import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMobileGateway } from './test-mobile-gateway.ts'

test('a device says hello, writes and gets its answer, with an avatar that follows the turn', async () => {
  await using all = await openMobileGateway({ script: () => ({ text: 'Hello there.' }) })
  await using device = await all.device()
  const ready = await device.next('ready')
  assert.deepEqual(
    { ...ready, avatar_url: new URL(ready.avatar_url).pathname.replace(/[\w-]{32}$/, 'CAPABILITY') },
    {
      t: 'ready',
      v: 1,
      session: 'agent:main:mobile:dm:phone-1',
      device: { id: 'phone-1', name: 'Phone', platform: 'test', app_version: '1' },
      avatar_url: '/avatar/CAPABILITY',
      capabilities: {
        text: true,
        voice: true,
        typing: true,
        avatar_states: ['idle', 'listening', 'thinking', 'working', 'speaking', 'error'],
        media_in: true,
        media_out: true,
        prompts: true,
        edit: true,
        max_media_bytes: 64 * 1024 * 1024,
        max_text_chars: 4000,
      },
    },
  )
  device.send({ t: 'text', id: 'm1', text: 'hi' })
  const message = await device.next('message')
  while ((await device.next('avatar')).state !== 'idle');
  assert.deepEqual(device.frames.slice(1), [
    { t: 'typing' },
    { t: 'avatar', state: 'thinking' },
    { t: 'avatar', state: 'speaking' },
    { t: 'message', id: message.id, text: 'Hello there.', index: 0, total: 1, final: true },
    { t: 'typing', stop: true },
    { t: 'avatar', state: 'idle' },
  ])
})
