import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRunner } from '@hermes/core/cron/runner.ts'
import { startGateway } from '@hermes/gateway/gateway.ts'
import { startApiServer } from '@hermes/server/openai/start-api-server.ts'
import { testHeaders, testSettings } from '@hermes/server/openai/test-settings.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'

test('the API server and scheduled jobs take up changed settings, and what runs keeps those that it began with', async () => {
  const held = Promise.withResolvers<void>()
  await using all = await startScriptedAgent({
    script: async (request) => {
      const last = request.body.messages?.at(-1)
      if (last?.content !== 'slow') return { text: 'Here.' }
      await held.promise
      return { toolCalls: [{ name: 'terminal', arguments: { command: 'true' } }] }
    },
  })
  const { context } = all
  await using gateway = await startGateway({ agent: context, platforms: [] })
  await using server = await startApiServer({ agent: gateway.agent, settings: testSettings() })
  const runner = await openRunner({ agent: gateway.agent })
  const ask = (content: string) =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: testHeaders,
      body: JSON.stringify({ messages: [{ role: 'user', content }] }),
    }).then((answer) => answer.json())
  const models = () => all.model.requests.filter(({ body }) => body.tools).map(({ body }) => body['model'])
  const slow = ask('slow')
  while (models().length === 0) await new Promise((resolve) => setImmediate(resolve))
  const { environment } = context
  const config = { ...context.config, model: { ...context.config.model, default: 'scripted-model-2' } }
  const renewed = context.renewed?.({ config, environment })
  assert.ok(renewed)
  await gateway.reload({ ...context, ...renewed, config, environment }, [])
  await ask('quick')
  held.resolve()
  await slow
  assert.deepEqual(models(), ['scripted-model', 'scripted-model-2', 'scripted-model'])
  assert.equal(runner.agent.config.model.default, 'scripted-model-2')
  assert.equal(runner.agent.models, renewed.models)
  runner.runs[Symbol.dispose]()
})
