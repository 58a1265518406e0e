import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeBrv } from '@hermes/testing/memory-services/byterover.ts'
import { providerBed } from '@hermes/testing/memory-services/provider-bed.ts'
import { memoryProviderContract } from '../../memory-provider.contract.ts'
import type { MemoryProvider, MemoryProviderStart } from '../../memory-provider.ts'
import { isSecretVariable } from '../../../terminals/secret-variables.ts'
import { byterover } from './byterover.ts'

const limit = () => AbortSignal.timeout(30_000)
const key = 'brv-made-up-key-123456'

async function bed(t: TestContext, changes: Partial<MemoryProviderStart> = {}) {
  const brv = await makeBrv()
  t.after(() => brv[Symbol.asyncDispose]())
  const path = `${brv.folder}:/usr/bin:/bin`
  const start = await providerBed(
    t,
    {},
    { PATH: path, BRV_API_KEY: key, OPENROUTER_API_KEY: 'made-up-key-123456' },
    changes,
  )
  return { brv, start, misbehave: brv.misbehave }
}

async function run(provider: MemoryProvider, name: string, args: unknown): Promise<Record<string, unknown>> {
  const tool = provider.tools.find((each) => each.name === name)
  assert.ok(tool, name)
  return JSON.parse(await tool.run(args, limit()))
}

memoryProviderContract('byterover', {
  kind: byterover,
  bed: (t) => bed(t),
  secrets: [key],
  unconfigured: (t) => providerBed(t, {}, { PATH: '/nowhere' }),
  goodCalls: { brv_query: { query: 'cat' }, brv_curate: { content: 'Has a cat.' }, brv_status: {} },
})

const tuffi = { sessionId: 's1', user: 'My elephant is called Tuffi.', assistant: 'Does she swim?' }

test('what was said and noted is kept in a tree of the profile and recalled in another session', async (t) => {
  const { brv, start } = await bed(t)
  const first = await byterover.open(start)
  await first.keepTurn?.(tuffi, limit())
  await first.keepTurn?.({ ...tuffi, user: 'ok' }, limit())
  await first.keepNote?.({ action: 'replace', target: 'user', content: 'Lives in Lyon, by the river.' }, limit())
  await first.beforeCompression?.(
    [
      { role: 'user', content: 'Count the herons.' },
      { role: 'tool', toolCallId: 'c', toolName: 'count', content: '12' },
      { role: 'assistant', content: 'There are twelve herons.', toolCalls: [] },
    ],
    limit(),
  )
  assert.deepEqual(await brv.tree(start.home.path('byterover')), [
    'User: My elephant is called Tuffi.\nAssistant: Does she swim?',
    '[User profile] Lives in Lyon, by the river.',
    '[Before a summary]\nuser: Count the herons.\nassistant: There are twelve herons.',
  ])
  const second = await byterover.open({ ...start, sessionId: 's2' })
  assert.equal(
    await second.recall?.('What is my elephant called?', limit()),
    '## ByteRover context\nUser: My elephant is called Tuffi.',
  )
  assert.equal(await second.recall?.('What about the weather?', limit()), '', 'an answer that says nothing')
  const asked = (await brv.calls()).length
  assert.equal(await second.recall?.('hi there', limit()), '')
  assert.equal((await brv.calls()).length, asked, 'a greeting asks for nothing')
})

test('its tools ask, keep and tell how it stands; what looks like an option is none', async (t) => {
  const { brv, start } = await bed(t)
  const provider = await byterover.open(start)
  assert.deepEqual(await run(provider, 'brv_query', { query: 'tea' }), { result: 'No relevant memories found.' })
  await run(provider, 'brv_curate', { content: '--detach is how green tea\nis drunk\0' })
  assert.deepEqual(await run(provider, 'brv_query', { query: '--help with green tea' }), {
    result: '--detach is how green tea',
  })
  assert.match(
    String((await run(provider, 'brv_status', {}))['status']),
    /^CLI Version: 3\.0\.0\nContext Tree:\s+1 files$/,
  )
  assert.deepEqual((await brv.tree(start.home.path('byterover')))[0], '--detach is how green tea\nis drunk')
})

test('of the secrets of the profile it gets its own key alone', async (t) => {
  const { brv, start } = await bed(t)
  await run(await byterover.open(start), 'brv_status', {})
  const variables = await brv.variables()
  assert.ok(variables.includes('BRV_API_KEY'))
  assert.ok(!variables.includes('OPENROUTER_API_KEY'))
  assert.equal(isSecretVariable('BRV_API_KEY'), true, 'commands of the agent do not get it')
})

test('what it says is wrong is told without the key, and that it is missing by how to get it', async (t) => {
  const { brv, start } = await bed(t)
  const provider = await byterover.open(start)
  brv.misbehave({ type: 'status', status: 401 })
  await assert.rejects(run(provider, 'brv_status', {}), {
    code: 'refused',
    message: 'brv status failed: Authentication failed (key ***)',
  })
  const environment = { ...start.environment, PATH: '/nowhere' }
  await assert.rejects(run(await byterover.open({ ...start, environment }), 'brv_status', {}), {
    code: 'unconfigured',
    message: /npm install -g byterover-cli/,
  })
})

test('delegated work keeps nothing', async (t) => {
  const { brv, start } = await bed(t, { role: 'subagent' })
  const provider = await byterover.open(start)
  await provider.keepTurn?.(tuffi, limit())
  await provider.keepNote?.({ action: 'add', target: 'user', content: 'x' }, limit())
  assert.equal(await provider.beforeCompression?.([{ role: 'user', content: 'x' }], limit()), '')
  assert.deepEqual(await brv.calls(), [])
})
