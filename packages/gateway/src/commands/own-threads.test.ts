import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, Script } from '@hermes/testing/scripted-model/answer.ts'
import type { MessageChange } from '../platforms/test-platform.ts'
import { openTestGateway } from '../test-gateway.ts'

const isTitle = (request: RecordedRequest) => !request.body.tools

const lastOf = ({ body }: RecordedRequest) => {
  const last = body.messages?.at(-1)
  return { role: last?.role, text: typeof last?.content === 'string' ? last.content : '' }
}

/** A place in the chat 5, in a thread of it where one is named. */
const inThread = (threadId?: string, userId = '7'): MessageChange => ({
  source: { chatId: '5', chatType: 'group', userId, ...(threadId !== undefined && { threadId }) },
})

async function open(script: Exclude<Script, readonly unknown[]>) {
  const agent = await startScriptedAgent({
    script: (request, ...more) => (isTitle(request) ? { text: 'T' } : script(request, ...more)),
    config: 'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=1\n' },
  })
  return openTestGateway(agent)
}

/** Each message is a command that needs consent; its outcome is the answer. */
const askingScript: Parameters<typeof open>[0] = (request) => {
  const { role, text } = lastOf(request)
  if (role === 'tool') return { text: /denied|did not/i.test(text) ? 'It was not allowed.' : 'It was done.' }
  return { toolCalls: [{ name: 'terminal', arguments: { command: `rm -rf ./${/\w+$/.exec(text)?.[0]}` } }] }
}

/** Resolves when so many threads ask. */
async function asked(all: Awaited<ReturnType<typeof open>>, ...folders: readonly string[]) {
  for (const folder of folders) await all.platform.waitForText(new RegExp(`needs your consent[^]*${folder}`))
}

test('what waits in the only thread of a person is allowed or denied from its chat, and nobody else’s is', async () => {
  await using all = await open(askingScript)
  await all.platform.write('remove one', inThread('a'))
  await asked(all, 'one')
  assert.equal(await all.say('/approve', inThread(undefined, '8')), 'Nothing waits for your consent.')
  assert.equal(await all.say('/approve', inThread('b')), 'Nothing waits for your consent.')
  await all.platform.write('/deny', inThread())
  await all.platform.waitForText(/^⛔ Denied \(the thread "remove one"\)\.$/)
  await all.platform.waitForText(/It was not allowed/)
  await all.idle()
  await all.platform.write('remove two', inThread('a'))
  await asked(all, 'two')
  await all.platform.write('/approve', inThread())
  await all.platform.waitForText(/^✅ Allowed \(the thread "remove two"\)\.$/)
  await all.platform.waitForText(/It was done/)
  await all.idle()
})

test('where several threads wait, one is named by a word of its own, or all are meant', async () => {
  await using all = await open(askingScript)
  await all.platform.write('remove one', inThread('a'))
  await all.platform.write('remove two', inThread('b'))
  await all.platform.write('remove other', inThread('c', '8'))
  await asked(all, 'one', 'two', 'other')
  const list = await all.say('/approve session', inThread())
  const shown =
    /^Which of your threads here\?\n(\w{4}): "remove one"\n {2}rm -rf \.\/one\n(\w{4}): "remove two"\n {2}rm -rf \.\/two\nFor the first: \/approve \1 session$/
  const [, one = '', two = ''] = shown.exec(list) ?? assert.fail(list)
  assert.notEqual(one, two)
  assert.match(await all.say(`/approve ${two} no`, inThread()), /Nothing was decided/)
  await all.platform.write(`/approve ${two}`, inThread())
  await all.platform.waitForText(/^✅ Allowed \(the thread "remove two"\)\.$/)
  await all.platform.waitForText(/It was done/)
  // The name goes on meaning the same thread, also when it is the only one left.
  assert.match(await all.say(`/approve ${two}`, inThread()), /Nothing was decided|Nothing waits/)
  await all.platform.write('/deny all', inThread())
  await all.platform.waitForText(/^⛔ Denied \(the thread "remove one"\)\.$/)
  await all.platform.write('/deny', inThread(undefined, '8'))
  await all.platform.waitForText(/^⛔ Denied \(the thread "remove other"\)\.$/)
  await all.idle()
})

test('/steer in a chat reaches the turn in a thread of it, and asks which where there are several', async () => {
  const releases = new Map<string, () => void>()
  const script: Parameters<typeof open>[0] = async (request) => {
    const { role, text } = lastOf(request)
    if (role === 'tool') return { text: 'done' }
    if (request.body.messages?.some((message) => message.role === 'tool')) return { text: `read: ${text}` }
    await new Promise<void>((resolve) => releases.set(text.slice(-3), resolve))
    return { toolCalls: [{ name: 'todo', arguments: {} }] }
  }
  const working = async (name: string) => {
    while (!releases.has(name)) await new Promise((resolve) => setImmediate(resolve))
  }
  await using all = await open(script)
  await all.platform.write('work one', inThread('a'))
  await working('one')
  await all.platform.write('/steer in blue', inThread())
  await all.platform.waitForText(/^↪ Noted for the thread "work one": I read it at my next step\.$/)
  await all.platform.write('work two', inThread('b'))
  await working('two')
  const list = await all.say('/steer in red', inThread())
  const [, , two = ''] =
    /\n(\w{4}): "work one"\n(\w{4}): "work two"\nFor the first: \/steer \1 in red$/.exec(list) ?? []
  assert.notEqual(two, '', list)
  assert.match(await all.say(`/steer ${two} in green`, inThread()), /Noted for the thread "work two"/)
  for (const release of releases.values()) release()
  await all.idle()
  const said = all.platform.sent.map(({ text }) => text)
  assert.ok(
    said.some((text) => /^read: .*in blue$/s.test(text)) && said.some((text) => /^read: .*in green$/s.test(text)),
  )
})

test('/status and /stop in a chat are about the thread that works; of several one is named', async () => {
  await using all = await open(() => ({ fault: { type: 'stall' } }))
  assert.match(await all.say('/status', inThread()), /^Session: none yet[^]*Working: no/)
  await all.platform.write('dig one', inThread('a'))
  await all.all.model.arrived(1)
  assert.match(await all.say('/status', inThread()), /^Thread: "dig one"\nSession: \d[^]*Working: yes/)
  await all.platform.write('dig two', inThread('b'))
  await all.all.model.arrived(2)
  const both = await all.say('/status', inThread())
  assert.match(both, /^Session: none yet[^]*Working: no/)
  const [, two = ''] = /At work in a thread: "dig two" \(\/status (\w{4})\)$/.exec(both) ?? assert.fail(both)
  assert.match(await all.say(`/status ${two}`, inThread()), /^Thread: "dig two"/)
  assert.equal(await all.say(`/stop ${two}`, inThread()), '⏹ Stopped what you asked for in a thread here: "dig two"')
  assert.equal(await all.say('/stop', inThread()), '⏹ Stopped what you asked for in a thread here: "dig one"')
  await all.idle()
})
