import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { runScript } from './run-script.ts'

test('what a script leaves running ends with it, and who leaves its group keeps nobody waiting', async () => {
  await using agent = await startScriptedAgent({
    script: [],
    home: {
      'scripts/leaves.sh': 'sleep 61 & echo $!\n',
      // The script ends once the other has left.
      'scripts/leaves-group.sh':
        'mkfifo left; setsid sh -c "echo \\$\\$; echo > left; exec sleep 61" & read x < left; rm left\n',
    },
  })
  const { signal } = new AbortController()
  const [inside, outside] = [
    await runScript('leaves.sh', agent.context, signal),
    await runScript('leaves-group.sh', agent.context, signal),
  ]
  assert.equal(inside.isOk, true, inside.output)
  assert.throws(() => process.kill(Number(inside.output), 0), { code: 'ESRCH' })
  assert.equal(outside.isOk, true, outside.output)
  process.kill(Number(outside.output), 'SIGKILL')
})

test('of megabytes of output the beginning and the end are kept', async () => {
  await using agent = await startScriptedAgent({ script: [], home: { 'scripts/much.sh': 'seq 1 1000000\n' } })
  const { isOk, output } = await runScript('much.sh', agent.context, new AbortController().signal)
  assert.ok(isOk)
  assert.match(output, /^1\n2\n3\n[^]*\n… \[6838896 characters\] …\n[^]*\n999999\n1000000$/)
  assert.ok(output.length < 51_000)
})
