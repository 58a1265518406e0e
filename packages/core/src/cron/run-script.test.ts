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
