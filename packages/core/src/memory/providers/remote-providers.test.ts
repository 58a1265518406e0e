// Whole turns of the agent with each memory that is a service: what is said in one conversation is there in the next.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startHindsight } from '@hermes/testing/memory-services/hindsight.ts'
import { startHoncho } from '@hermes/testing/memory-services/honcho.ts'
import { startMem0 } from '@hermes/testing/memory-services/mem0.ts'
import { startSupermemory } from '@hermes/testing/memory-services/supermemory.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'

const services = {
  honcho: { start: startHoncho, file: 'honcho.json', url: 'baseUrl', key: 'HONCHO_API_KEY', tool: 'honcho_search' },
  mem0: { start: startMem0, file: 'mem0.json', url: 'base_url', key: 'MEM0_API_KEY', tool: 'mem0_search' },
  hindsight: {
    start: startHindsight,
    file: 'hindsight/config.json',
    url: 'api_url',
    key: 'HINDSIGHT_API_KEY',
    tool: 'hindsight_recall',
  },
  supermemory: {
    start: startSupermemory,
    file: 'supermemory.json',
    url: 'base_url',
    key: 'SUPERMEMORY_API_KEY',
    tool: 'supermemory_search',
  },
} as const

for (const [name, { start, file, url, key, tool }] of Object.entries(services)) {
  test(`${name}: what is said in one conversation goes with a message of the next`, async (t: TestContext) => {
    const service = await start()
    t.after(() => service[Symbol.asyncDispose]())
    await using agent = await startScriptedAgent({
      config: `memory: {provider: ${name}}`,
      home: { [file]: JSON.stringify({ [url]: service.url }), '.env': `${key}=${service.key}\n` },
    })
    await agent.turn('one', 'My elephant is called Tuffi.')
    await agent.reopen()
    await service.settle()
    await agent.turn('two', 'What is my elephant called?')

    const bodies = agent.model.requests.map(({ body }) => JSON.stringify(body))
    const text = bodies.find((body) => body.includes('What is my elephant called?')) ?? ''
    assert.match(text, /memory-context[\s\S]*My elephant is called Tuffi\./)
    assert.match(text, new RegExp(`"${tool}"`))
    assert.ok(!text.includes(service.key))
  })
}
