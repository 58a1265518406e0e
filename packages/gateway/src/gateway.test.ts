import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { ScriptedAgentOptions } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, Script } from '@hermes/testing/scripted-model/answer.ts'
import { PlatformError } from './platforms/platform-error.ts'
import { openTestGateway } from './test-gateway.ts'

interface Given extends Pick<ScriptedAgentOptions, 'config' | 'work'> {
  readonly script?: Script
  readonly environment?: string
  readonly buttons?: boolean
  readonly editing?: boolean
}

/** A gateway with one platform and a scripted model. Everybody may speak unless `environment` says otherwise. */
async function open({
  script,
  config,
  environment = 'TEST_ALLOW_ALL_USERS=true',
  buttons = false,
  editing = false,
  work,
}: Given = {}) {
  const all = await startScriptedAgent({
    ...(script && { script }),
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config ?? ''}`,
    home: { '.env': `${environment}\nTEST_HOME_CHANNEL=7\n` },
    ...(work && { work }),
  })
  return openTestGateway(all, { buttons, editing })
}

function lastUser(request: RecordedRequest): string {
  const content = (request.body.messages ?? []).findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}

const isTitle = (request: RecordedRequest) => !request.body.tools

/** Echoes what was said last. */
const echo: Script = (request) => ({ text: isTitle(request) ? 'A title' : `You said: ${lastUser(request)}` })

test('a message is answered in its chat, as a reply, and typing is shown meanwhile', async () => {
  await using all = await open({ script: echo })
  await all.platform.write('hello')
  const [answer] = await all.platform.waitForSent(1)
  assert.equal(answer?.text, 'You said: hello')
  assert.equal(answer?.chatId, '7')
  assert.equal(answer?.replyTo, 'm1')
  assert.ok(all.platform.typed > 0)
})

test('a chat keeps its conversation, and people in a group have one each', async () => {
  await using all = await open({ script: echo })
  const group = (userId: string) => ({ source: { chatId: 'g', chatType: 'group', userId } as const })
  await all.platform.write('one', group('1'))
  await all.platform.waitForSent(1)
  await all.platform.write('two', group('1'))
  await all.platform.waitForSent(2)
  await all.platform.write('three', group('2'))
  await all.platform.waitForSent(3)
  const texts = all.all.model.requests
    .filter((request) => !isTitle(request))
    .map((request) => (request.body.messages ?? []).filter(({ role }) => role === 'user').length)
  assert.deepEqual(texts, [1, 2, 1])
})

test('the same event again is answered once', async () => {
  await using all = await open({ script: echo })
  await Promise.all([all.platform.write('hello', { eventId: 'x' }), all.platform.write('hello', { eventId: 'x' })])
  await all.platform.waitForSent(1)
  await all.platform.write('hello', { eventId: 'x' })
  await all.platform.write('after', { eventId: 'y' })
  await all.platform.waitForSent(2)
  assert.deepEqual(
    all.platform.sent.map(({ text }) => text),
    ['You said: hello', 'You said: after'],
  )
})

test('nobody is let in who is not named; a stranger gets a code, and the approved are answered', async () => {
  await using all = await open({ script: echo, environment: 'TEST_ALLOWED_USERS=12, 13' })
  await all.platform.write('hello', { source: { userId: '12', chatId: '12' } })
  await all.platform.write('let me in', { source: { userId: '99', chatId: '99' } })
  await all.platform.waitForSent(2)
  const code = /approve test ([A-Z2-9]{8})/.exec(
    all.platform.sent.find(({ chatId }) => chatId === '99')?.text ?? '',
  )?.[1]
  assert.ok(code)
  await all.platform.write('again', { source: { userId: '99', chatId: '99' } })
  await all.platform.write('psst', { source: { userId: '98', chatId: 'g', chatType: 'group' } })
  assert.deepEqual(await all.gateway.pairing.approve('test', code.toLowerCase()), {
    platform: 'test',
    userId: '99',
    userName: 'Ann',
  })
  await all.platform.write('now?', { source: { userId: '99', chatId: '99' } })
  const sent = await all.platform.waitForSent(3)
  assert.equal(sent.at(-1)?.text, 'You said: now?')
  assert.ok(!all.all.model.requests.some((request) => lastUser(request).includes('let me in')))
})

test('a stranger who was given an invitation is let in by writing it, also where strangers are ignored', async () => {
  await using all = await open({ script: echo, config: 'unauthorized_dm_behavior: ignore', environment: '' })
  const code = (await all.gateway.pairing.invite('test')) ?? ''
  const bob = { userId: '99', chatId: '99', userName: 'Bob' }
  await all.platform.write(code, { source: { ...bob, chatType: 'group' } })
  await all.platform.write('hello', { source: bob })
  await all.platform.write(code, { source: bob })
  assert.equal((await all.platform.waitForSent(1))[0]?.text, '✅ You are let in. What can I do for you?')
  await all.platform.write('now?', { source: bob })
  assert.equal((await all.platform.waitForSent(2)).at(-1)?.text, 'You said: now?')
})

test('a long answer comes in parts, and a refused one is tried again as the service says', async () => {
  const long = Array.from({ length: 60 }, (_, n) => `Line ${n} of a long answer.`).join('\n')
  await using all = await open({ script: (request) => ({ text: isTitle(request) ? 'T' : long }) })
  all.platform.failNext(
    new PlatformError('rate-limited', 'slow down', { retryAfterMs: 30 }),
    new PlatformError('rate-limited', 'slow down', { retryAfterMs: 30 }),
  )
  await all.platform.write('tell me')
  const sent = await all.platform.waitForSent(2)
  assert.match(sent[0]?.text ?? '', /^Line 0 [\s\S]*\(1\/2\)$/)
  assert.match(sent[1]?.text ?? '', /Line 59 of a long answer\. \(2\/2\)$/)
})

test('consent is asked for in the chat: by buttons, by text, and only of those who may decide', async () => {
  const script: Script = (request) => {
    if (isTitle(request)) return { text: 'T' }
    return (request.body.messages ?? []).at(-1)?.role === 'tool'
      ? { text: 'Removed.' }
      : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build' } }] }
  }
  await using withButtons = await open({
    script,
    buttons: true,
    environment: 'TEST_ALLOWED_USERS=7',
    work: { 'build/x': '' },
  })
  await withButtons.platform.write('clean up')
  const [question] = await withButtons.platform.waitForSent(1)
  assert.match(question?.text ?? '', /recursive delete[\s\S]*rm -rf build/)
  assert.equal(await withButtons.platform.press('Allow once', '66'), 'You may not decide this.')
  assert.equal(await withButtons.platform.press('Allow once'), 'Decided.')
  assert.equal((await withButtons.platform.waitForSent(2))[1]?.text, 'Removed.')
  assert.equal(await withButtons.platform.press('Deny'), 'This is decided already.')

  await using byText = await open({ script, work: { 'build/x': '' } })
  await byText.platform.write('clean up')
  assert.match((await byText.platform.waitForSent(1))[0]?.text ?? '', /Answer with \/approve/)
  await byText.platform.write('/deny')
  const texts = (await byText.platform.waitForSent(3)).map(({ text }) => text)
  assert.ok(texts.includes('⛔ Denied.') && texts.includes('Removed.'), JSON.stringify(texts))
})

test('a question that the service wants later is asked then', async () => {
  await using all = await open({
    buttons: true,
    script: (request) => {
      if (isTitle(request)) return { text: 'T' }
      const isDone = request.body.messages?.at(-1)?.role === 'tool'
      return isDone ? { text: 'Done.' } : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
    },
  })
  all.platform.failNext(new PlatformError('rate-limited', 'later', { retryAfterMs: 50 }))
  await all.platform.write('clean up')
  await all.platform.waitForText(/needs your consent/)
  assert.equal(await all.platform.press('Deny'), 'Decided.')
  await all.platform.waitForText(/Done\./)
})

test('a button of a process that is gone decides nothing', async () => {
  await using all = await open({
    buttons: true,
    script: (request) => {
      if (isTitle(request)) return { text: 'T' }
      const isDone = request.body.messages?.at(-1)?.role === 'tool'
      return isDone ? { text: 'Done.' } : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
    },
  })
  const dataOf = (at: number) => {
    const part = all.platform.sent[at]?.part
    return part?.type === 'text' ? part.buttons?.map(({ data }) => data) : undefined
  }
  await all.platform.write('clean up')
  await all.platform.waitForSent(1)
  const before = dataOf(0)
  await all.restart()
  await all.platform.write('clean up again')
  await all.platform.waitForSent(2)
  assert.equal(before?.length, dataOf(1)?.length)
  for (const data of dataOf(1) ?? []) assert.ok(!before?.includes(data), data)
})

test('control commands are answered while a turn hangs, and /stop ends it', async () => {
  await using all = await open({
    script: (request) => (isTitle(request) ? { text: 'T' } : { fault: { type: 'stall' } }),
  })
  await all.platform.write('think for ever')
  await all.platform.write('/status')
  assert.match((await all.platform.waitForSent(1))[0]?.text ?? '', /Working: yes/)
  await all.platform.write('/stop')
  assert.match((await all.platform.waitForSent(2))[1]?.text ?? '', /Stopped/)
  while (all.gateway.busy > 0) await new Promise((resolve) => setImmediate(resolve))
  await all.platform.write('/help')
  assert.match((await all.platform.waitForSent(3))[2]?.text ?? '', /\/approve \[all\]/)
})

test('a newer message interrupts the turn that runs; with queue it waits', async () => {
  const script = (delayMs: number): Script => {
    return (request) => {
      if (isTitle(request)) return { text: 'T' }
      const text = lastUser(request)
      return text.endsWith('first') ? { text: 'To the first.', delayMs } : { text: `You said: ${text}` }
    }
  }
  await using interrupted = await open({ script: script(60_000) })
  await interrupted.platform.write('first')
  await interrupted.platform.write('second')
  assert.deepEqual(
    (await interrupted.platform.waitForSent(1)).map(({ text }) => text),
    ['You said: first\n\nsecond'],
  )

  await using queued = await open({ script: script(300), config: 'display: {busy_input_mode: queue}' })
  await queued.platform.write('first')
  await queued.platform.write('second')
  assert.deepEqual(
    (await queued.platform.waitForSent(2)).map(({ text }) => text),
    ['To the first.', 'You said: second'],
  )
})

test('with steer a newer message reaches the turn that runs', async () => {
  const script: Script = (request) => {
    if (isTitle(request)) return { text: 'T' }
    const { messages = [] } = request.body
    const isCalled = messages.some(({ role }) => role === 'tool')
    if (isCalled) return { text: `Heard: ${JSON.stringify(messages.slice(1)).match(/second/g)?.length ?? 0}` }
    return { toolCalls: [{ name: 'terminal', arguments: { command: 'until [ -e go ]; do sleep 0.05; done' } }] }
  }
  await using all = await open({ script, config: 'display: {busy_input_mode: steer}' })
  await all.platform.write('first')
  while (all.all.model.requests.length < 1) await new Promise((resolve) => setImmediate(resolve))
  await all.platform.write('second')
  await all.platform.waitForSent(1)
  await all.all.put('go', '')
  assert.deepEqual(
    (await all.platform.waitForSent(2)).map(({ text }) => text),
    ['↪ Noted: I read it at my next step.', 'Heard: 1'],
  )
})

test('who writes while the gateway ends is told once, and answered after its next start', async () => {
  let isSlow = true
  await using all = await open({
    script: (request) => ({
      ...(isTitle(request) || !isSlow ? {} : { delayMs: 400 }),
      text: `You said: ${lastUser(request)}`,
    }),
    config: 'display: {busy_input_mode: queue}',
  })
  await all.platform.write('first')
  while (all.all.model.requests.length < 1) await new Promise((resolve) => setImmediate(resolve))
  const drained = all.gateway.drain(5_000)
  const other = { source: { chatId: '8', userId: '8' } }
  await all.platform.write('second', other)
  await all.platform.write('third', other)
  await all.platform.waitForText(/about to stop/)
  await drained
  isSlow = false
  await all.restart()
  await all.platform.waitForText(/You said: third/)
  const told = all.platform.sent.filter(({ chatId }) => chatId === '8').map(({ text }) => text)
  assert.deepEqual(told, [
    '♻️ I am about to stop, and answer this after my next start.',
    'You said: second',
    'You said: third',
  ])
})

test('what was not answered when the gateway stopped is answered after its next start', async () => {
  let isHanging = true
  await using all = await open({
    script: (request) => (isTitle(request) || !isHanging ? echo(request, 0) : { fault: { type: 'stall' } }),
  })
  await all.platform.write('first')
  await all.platform.write('other', { source: { chatId: '8', userId: '8' } })
  while (all.all.model.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
  isHanging = false
  await all.restart()
  const sent = await all.platform.waitForSent(2)
  assert.deepEqual(sent.map(({ chatId }) => chatId).sort(), ['7', '8'])
  assert.match(sent[0]?.text ?? '', /restarted while you worked/)
})

test('an answer that the end of the gateway cuts short goes on in its message after the next start', async () => {
  let isCut = true
  await using all = await open({
    editing: true,
    script(request) {
      if (isTitle(request)) return echo(request, 0)
      return isCut
        ? { text: ['Half of it is there and ', 'more'], fault: { type: 'stall', afterChunks: 2 } }
        : { text: ['All of it', ' is there now.'] }
    },
    config: 'streaming: {enabled: true, edit_interval: 0.02}',
  })
  await all.platform.write('Go')
  await all.platform.waitForText(/^Half of it is there/)
  isCut = false
  await all.restart()
  await all.platform.waitForText(/^All of it is there now\.$/)
  assert.deepEqual(
    all.platform.sent.filter(({ isNotice }) => !isNotice).map(({ text }) => text.slice(0, 4)),
    ['Half'],
    'one message in all',
  )
  assert.deepEqual(all.platform.edits.at(-1), { messageId: '1', text: 'All of it is there now.' })
})

test('a connection that breaks is made anew, and what was queued meanwhile goes out', async () => {
  await using all = await open({ script: echo })
  all.platform.refuse = new PlatformError('unreachable', 'no network')
  all.platform.drop()
  while (all.gateway.platforms()[0]?.state === 'connected') await new Promise((resolve) => setImmediate(resolve))
  await all.platform.write('hello')
  while (all.gateway.busy > 0) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(all.platform.sent.length, 0)
  all.platform.refuse = undefined
  assert.equal((await all.platform.waitForSent(1))[0]?.text, 'You said: hello')
})

test('/new begins a new conversation; a question to the person is answered by their next message', async () => {
  const script: Script = (request) => {
    if (isTitle(request)) return { text: 'T' }
    const messages = request.body.messages ?? []
    if (messages.at(-1)?.role === 'tool') return { text: `Chosen: ${JSON.stringify(messages.at(-1)?.content)}` }
    return lastUser(request) === 'ask me'
      ? { toolCalls: [{ name: 'clarify', arguments: { question: 'Which?', choices: ['red', 'blue'] } }] }
      : { text: `${messages.filter(({ role }) => role === 'user').length} messages` }
  }
  await using all = await open({ script })
  await all.platform.write('ask me')
  assert.match((await all.platform.waitForSent(1))[0]?.text ?? '', /Which\?\n1\. red\n2\. blue/)
  await all.platform.write('2')
  assert.match((await all.platform.waitForSent(2))[1]?.text ?? '', /user_response[^a-z]+blue/)
  await all.platform.write('/new')
  await all.platform.write('hi')
  const sent = await all.platform.waitForSent(4)
  const [answer, begun] = sent
    .slice(2)
    .map(({ text }) => text)
    .sort()
  assert.equal(answer, '1 messages')
  assert.match(
    begun ?? '',
    /^✨ A new conversation\. The last one is kept\.\nModel: custom\/scripted-model · context 128k/,
  )
})

test('the answer grows in its message, and the final text takes its place', async () => {
  await using all = await open({
    editing: true,
    config: 'streaming: {enabled: true, edit_interval: 0.02}',
    script: (request) =>
      isTitle(request) ? { text: 'T' } : { text: ['One ', 'two ', 'three ', 'four ', 'five.'], chunkDelayMs: 250 },
  })
  await all.platform.write('count')
  await all.platform.waitForText(/^One two three four five\.$/)
  assert.equal(all.platform.sent.length, 1, 'one message, edited')
  assert.match(all.platform.sent[0]?.text ?? '', /^One .*▉$/)
  assert.ok(all.platform.edits.length >= 2)
  assert.equal(all.platform.edits.at(-1)?.text, 'One two three four five.')
  const texts = all.platform.edits.map(({ text }) => text)
  assert.equal(new Set(texts).size, texts.length, 'no edit without a change')
})

test('tool calls are one message, what is said between them another, and the answer its own', async () => {
  await using all = await open({
    editing: true,
    config: 'streaming: {enabled: true, edit_interval: 0.01}',
    script: (request) => {
      if (isTitle(request)) return { text: 'T' }
      return (request.body.messages ?? []).at(-1)?.role === 'tool'
        ? { text: ['It says ', 'hello.'], chunkDelayMs: 40 }
        : {
            text: 'Let me look.',
            toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 0.1; echo hello' } }],
          }
    },
  })
  await all.platform.write('look')
  await all.platform.waitForText(/^It says hello\.$/)
  const texts = [...all.platform.sent, ...all.platform.edits].map(({ text }) => text)
  assert.ok(
    texts.some((text) => /^⚙️ terminal: "sleep 0\.1; echo hello"$/.test(text)),
    JSON.stringify(texts),
  )
  assert.ok(texts.includes('Let me look.'), JSON.stringify(texts))
  assert.equal(all.platform.sent.length, 3)
})
