import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { createReloader } from './reload.ts'

test('what only holds after a restart is named when it changes, a key of the API server among it', async () => {
  await using all = await startScriptedAgent({ script: () => ({ text: 'Here.' }) })
  const { context: agent } = all
  const told: string[] = []
  let settings = { config: agent.config, environment: agent.environment }
  const reload = createReloader({
    agent,
    gateway: { reload: async () => [] },
    reread: async () => settings,
    tell: (line) => void told.push(line),
  })
  const change = async (next: Partial<typeof settings>) => {
    settings = { ...settings, ...next }
    told.length = 0
    await reload(false)
    return told.filter((line) => line.startsWith('After'))
  }
  const { config, environment } = agent
  const variables = { ...environment, API_SERVER_KEY: 'made-up-key-1', TELEGRAM_HOME_CHANNEL: '7' }
  assert.deepEqual(await change({ environment: variables }), ['After a restart only: API_SERVER_KEY'])
  assert.deepEqual(await change({ environment: { ...variables, TELEGRAM_HOME_CHANNEL: '8' } }), [])
  const gone = { ...environment, HERMES_METRICS_TOKEN: 'made-up-token', OTEL_SERVICE_NAME: 'h' }
  assert.deepEqual(await change({ environment: gone }), [
    'After a restart only: API_SERVER_KEY, HERMES_METRICS_TOKEN, OTEL_SERVICE_NAME',
  ])
  const telemetry = { ...config.telemetry, capture_content: !config.telemetry.capture_content }
  assert.deepEqual(await change({ config: { ...config, telemetry, timezone: 'Europe/Berlin' } }), [
    'After a restart only: timezone, telemetry',
  ])
})
