import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script } from '@hermes/testing/scripted-model/answer.ts'
import { openTestGateway } from '../test-gateway.ts'

async function open(script: Script, work: Readonly<Record<string, string>>, config = '') {
  const all = await startScriptedAgent({
    script,
    work,
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n' },
  })
  return openTestGateway(all)
}

test('files that an answer names follow its text, images first; what may not be read is not sent', async () => {
  let folder = ''
  let home = ''
  await using all = await open(
    (request) => ({
      text: request.body.tools
        ? `Done.\nMEDIA:${folder}/a.pdf\nMEDIA:${folder}/b.png\nMEDIA:${home}/.env\nMEDIA:${folder}/none.pdf\nMEDIA:${folder}/a.pdf`
        : 'T',
    }),
    { 'a.pdf': 'pdf', 'b.png': 'png' },
  )
  folder = all.all.work
  home = all.all.home.dir
  await all.platform.write('make them')
  const sent = await all.platform.waitForSent(3)
  assert.match(sent[0]?.text ?? '', /^Done\.\n\n⚠️ \.env was not sent: it is protected\.\n\n⚠️ none\.pdf was not sent/)
  assert.deepEqual(
    sent.slice(1).map(({ part }) => part.type === 'file' && [part.kind, part.path.slice(folder.length)]),
    [
      ['image', '/b.png'],
      ['document', '/a.pdf'],
    ],
  )
})

test('a turn in which nothing happens is ended, and the chat is told before and after', async () => {
  await using all = await open(
    (request) => (request.body.tools ? { fault: { type: 'stall' } } : { text: 'T' }),
    {},
    'agent: {gateway_timeout: 2, gateway_timeout_warning: 1}',
  )
  await all.platform.write('hang')
  const sent = await all.platform.waitForSent(2)
  assert.match(sent[0]?.text ?? '', /Nothing has happened for 1 s/)
  assert.match(sent[1]?.text ?? '', /I stopped, since nothing has happened for 2 s/)
})
