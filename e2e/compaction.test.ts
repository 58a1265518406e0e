import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { runHermes, scriptedConfig } from './run-hermes.ts'

const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(250)

test('a compacted session goes on in the next run, by -c and by the id and the title that it began with', async () => {
  await using model = await startScriptedModel(({ body }) => {
    if ((body.tools ?? []).length === 0) return { text: '## Goal\nFeed the heron.' }
    const isLong = /Step \d+\.$/.test(String(body.messages?.at(-1)?.content))
    return { text: isLong ? [longText] : 'Yes.', usage: null }
  })
  await using home = await temporaryHome(scriptedConfig(model.url, '  context_length: 32000\n'))
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr, code } = await runHermes([...args, '--json'], home.environment, { cwd: home.dir })
    assert.equal(code, 0, stderr)
    return { id: String(JSON.parse(stdout).session_id), stderr }
  }
  const first = await run('-t', 'Step 0.')
  await runHermes(['sessions', 'rename', first.id, 'heron'], home.environment)
  let last = first
  for (let n = 1; n < 8 && last.id === first.id; n++) last = await run('-c', '-t', `Step ${n}.`)
  assert.notEqual(last.id, first.id)
  assert.match(
    last.stderr,
    /· Compacting the conversation[^]*· Compacted \(earlier part summarised\): \d+ → \d+ messages/,
  )
  for (const how of [['-c'], ['-r', first.id], ['-r', 'heron']])
    assert.equal((await run(...how, '-t', 'And?')).id, last.id)
  const sent = JSON.stringify(model.requests.at(-1)?.body.messages)
  assert.match(sent, /Feed the heron/)
  assert.match(sent, new RegExp(first.id))
  const { stdout } = await runHermes(['sessions', 'export', '-', '--session-id', first.id], home.environment)
  assert.match(stdout, /Step 1\./)
  assert.match(stdout, /"end_reason":"compression"/)
})
