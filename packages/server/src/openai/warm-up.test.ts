import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { warmUp } from './warm-up.ts'

test('warming up stores nothing, asks nobody, logs no failure and leaves no session open', async () => {
  await using agent = await startScriptedAgent({ work: { 'AGENTS.md': 'Build with make.' } })
  const open = new Set<string>()
  const logged: string[] = []
  const { scopes: all } = agent.context
  const scopes = {
    ...all,
    get: (id: string) => {
      open.add(id)
      return all.get(id)
    },
    close: async (id: string) => {
      await all.close(id)
      open.delete(id)
    },
  }
  const tell = (_fields: unknown, message: string) => void logged.push(message)
  const log = { ...agent.context.log, debug: tell, info: tell, warn: tell, error: tell }
  const observer = { begin: () => assert.fail('nobody is to hear of it'), note: () => assert.fail('nor of this') }
  using warming = warmUp({ ...agent.context, scopes, log, observer })
  await warming.done
  assert.deepEqual(
    logged.filter((message) => /warmed|request|turn|model/.test(message)),
    [],
  )
  assert.deepEqual([...open], [])
  assert.deepEqual(await agent.context.sessions.list(), [])
  assert.equal(agent.model.requests.length, 0)
  assert.equal(agent.model.modelListings, 0)
})

test('what the settings say of models changes nothing of that', async () => {
  await using agent = await startScriptedAgent({
    config: `fallback_providers: [{provider: openrouter, model: any}]
providers: {mine: {base_url: "http://127.0.0.1:9/v1"}}
smart_model_routing: {enabled: true, cheap_model: {provider: mine, model: cheap}}
`,
  })
  const config = { ...agent.context.config }
  const model = { ...config.model, provider: 'mine', api_mode: 'anthropic_messages' as const }
  const failures: string[] = []
  const log = { ...agent.context.log, debug: (_fields: unknown, message: string) => void failures.push(message) }
  using warming = warmUp({ ...agent.context, config: { ...config, model }, log })
  await warming.done
  assert.deepEqual(
    failures.filter((message) => /warmed/.test(message)),
    [],
  )
})

test('what was warmed up sees changes: the first session has the files as they are then', async () => {
  await using agent = await startScriptedAgent({ work: { 'AGENTS.md': 'Build with make.' } })
  using warming = warmUp(agent.context)
  await warming.done
  await agent.put('AGENTS.md', 'Build with gulp.')
  await agent.turn('one', 'hello')
  assert.match(agent.prompts()[0] ?? '', /gulp/)
})
