import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOfflineModel } from '@hermes/core/models/offline/index.ts'
import { collectAnswer } from '@hermes/testing'
import { interrupted } from './run-chat-turn.ts'

test('without a model, too, a turn that a crash cut short is told as that', async () => {
  const model = createOfflineModel({ howToConnect: 'Set OPENROUTER_API_KEY.' })
  const request = { model: 'offline', messages: [{ role: 'user' as const, content: interrupted }], tools: [] }
  const { message } = await collectAnswer(model.stream(request, new AbortController().signal))
  assert.match(message.content, /restarted while I followed your last instruction/)
})
