import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nobody } from '../agent/decision.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { contextReport } from './context-report.ts'

/** Most tokens of what every request of a new session carries, without skills, notes and the conversation. */
const mostTokens = 4_000

test('what every request carries stays small, with every tool of the default toolsets that is there', async () => {
  await using all = await startScriptedAgent({ script: () => ({ text: 'ok' }) })
  const request = { session: { id: 's', source: 'cli' }, face: { name: 'cli', decide: nobody } }
  const { parts } = await contextReport(request, all.context, new AbortController().signal)
  const names = parts.filter(({ group }) => group === 'tools').map(({ name }) => name)
  for (const name of ['terminal', 'execute_code', 'delegate_task', 'web_search']) assert.ok(names.includes(name), name)
  const fixed = parts.filter(({ group, name }) => group !== 'conversation' && name !== 'skills')
  const tokens = fixed.reduce((sum, part) => sum + part.tokens, 0)
  assert.ok(tokens <= mostTokens, `${tokens} tokens: ${fixed.map((part) => `${part.name} ${part.tokens}`).join(', ')}`)
})
