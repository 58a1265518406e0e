import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openTestGateway } from '../test-gateway.ts'
import { openHooks } from './hooks.ts'
import { isFor, readHooks } from './read-hooks.ts'

const write = `
import json, pathlib
async def handle(event, context):
    with open(pathlib.Path(__file__).parent / "told.txt", "a") as file:
        file.write(event + " " + json.dumps(context) + "\\n")
`
const script = `
import { appendFile } from 'node:fs/promises'
export async function handle(event, context) {
  await appendFile(new URL('told.txt', import.meta.url), event + ' ' + (context.response ?? '') + '\\n')
}
`

test('hooks in Python and JavaScript are told what happens, and what fails in one is felt nowhere', async () => {
  const all = await startScriptedAgent({
    script: (request) => ({ text: request.body.tools ? 'Done.' : 'T' }),
    home: {
      '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n',
      'hooks/py/HOOK.yaml': 'name: py\nevents: ["session:start", "command:*"]\n',
      'hooks/py/handler.py': write,
      'hooks/js/HOOK.yaml': 'name: js\nevents: ["agent:*", "gateway:startup"]\n',
      'hooks/js/handler.mjs': script,
      'hooks/broken/HOOK.yaml': 'events: ["agent:*"]\n',
      'hooks/broken/handler.py': 'raise SystemExit(3)\n',
      'hooks/none/HOOK.yaml': 'events: [',
    },
  })
  const py = all.home.path('hooks', 'py', 'told.txt')
  const js = all.home.path('hooks', 'js', 'told.txt')
  const told = async (path: string, lines: number) => {
    for (;;) {
      const text = await readFile(path, 'utf8').catch(() => '')
      if (text.split('\n').length > lines) return text
      await wait(20)
    }
  }
  await using gateway = await openTestGateway(all)
  assert.equal(await gateway.say('hello'), 'Done.')
  await gateway.say('/status')
  assert.match(await told(py, 2), /^session:start \{"platform": "test", "user_id": "7".*\ncommand:status \{/)
  assert.match(await told(js, 3), /^gateway:startup \nagent:start \nagent:end Done\.\n$/)
})

test('BOOT.md is done when the gateway starts', async () => {
  const all = await startScriptedAgent({
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\n', 'BOOT.md': 'Look at the disk.' },
    script: () => ({ text: '[SILENT]' }),
  })
  await using gateway = await openTestGateway(all)
  await gateway.idle()
  assert.match(JSON.stringify(all.model.requests[0]?.body.messages), /Look at the disk\./)
})

test('a hook is told of the events it names, and of all that begin so', async () => {
  assert.ok(isFor({ events: ['agent:*'] }, 'agent:end'))
  assert.ok(!isFor({ events: ['agent:*', 'command:new'] }, 'command:news'))
  await using all = await startScriptedAgent()
  await using hooks = await openHooks(all.context)
  hooks.emit('agent:start', {})
  await hooks.idle()
})

test('events of a hook that never come are told by name, and those that come are not', async () => {
  await using home = await temporaryHome({
    'hooks/all/HOOK.yaml': 'events: [gateway:startup, "session:*", "agent:*", agent:step, command:new, "command:*"]\n',
    'hooks/all/handler.mjs': '',
    'hooks/none/HOOK.yaml': 'name: none\n',
    'hooks/none/handler.mjs': '',
    'hooks/slips/HOOK.yaml': 'events: [agent:endd, agent:end, "*", "tool:*"]\n',
    'hooks/slips/handler.mjs': '',
  })
  const told: string[] = []
  const warn = (fields: unknown, text?: unknown) => {
    const { hook, lost } = fields as { readonly hook: string; readonly lost?: readonly string[] }
    told.push([hook, String(text), ...(lost ?? [])].join(' '))
  }
  const hooks = await readHooks({ home, log: { ...silentLogger, warn } })
  assert.deepEqual(
    hooks.map(({ name }) => name),
    ['all', 'none', 'slips'],
  )
  assert.deepEqual(told.toSorted(), [
    'none a hook names no events',
    'slips a hook names events that never come agent:endd * tool:*',
  ])
})
