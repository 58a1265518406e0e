import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openTestGateway } from '../test-gateway.ts'

test('skills that a place asks for are loaded with its first message, and told where they are not there', async () => {
  const all = await startScriptedAgent({
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n',
    home: {
      '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n',
      'skills/ops/triage/SKILL.md': '---\nname: triage\ndescription: Sorts faults.\n---\nBegin with the logs.\n',
    },
    script: (request) => ({ text: request.body.tools ? 'Done.' : 'T' }),
  })
  await using gateway = await openTestGateway(all)
  const skills = ['triage', 'nowhere']
  await gateway.say('it is broken', { skills })
  await gateway.say('still', { skills })
  const users = (all.model.requests.findLast(({ body }) => body.tools)?.body.messages ?? []).flatMap(
    ({ role, content }) => (role === 'user' ? [String(content)] : []),
  )
  assert.equal(users.length, 2)
  assert.match(users[0] ?? '', /^it is broken\n\n[^]*Begin with the logs\.[^]*not there: "nowhere"/)
  assert.equal(users[1], 'still')
})
