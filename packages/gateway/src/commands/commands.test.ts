import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { isRunning } from '@hermes/core/terminals/process-identity.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, Script } from '@hermes/testing/scripted-model/answer.ts'
import { openTestGateway } from '../test-gateway.ts'

async function open({
  script = echo,
  config = '',
  home = {},
  environment = 'TEST_HOME_CHANNEL=1\n',
  commandStart,
}: {
  script?: Script
  config?: string
  home?: Readonly<Record<string, string>>
  environment?: string
  commandStart?: string
} = {}) {
  const all = await startScriptedAgent({
    script,
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: { ...home, '.env': `TEST_ALLOW_ALL_USERS=true\n${environment}` },
  })
  return openTestGateway(all, commandStart === undefined ? {} : { commandStart })
}

const isTitle = (request: RecordedRequest) => !request.body.tools

function saidTo(request: RecordedRequest): string[] {
  return (request.body.messages ?? [])
    .filter(({ role }) => role === 'user')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
}

/** Answers with all that the person has said. */
const echo: Script = (request) => ({ text: isTitle(request) ? 'A title' : saidTo(request).join(' | ') })

test('what nobody knows is told and never given to the model; paths and numbers are no commands', async () => {
  await using all = await open()
  assert.match(await all.say('/statsu'), /no command \/statsu\. Did you mean \/status\?/)
  assert.match(await all.say('/frobnicate@bot now'), /no command \/frobnicate\./)
  assert.match(await all.say('/start'), /^I am here\..*\/help/)
  assert.equal(all.all.model.requests.length, 0)
  assert.equal(await all.say('/home/x is my folder'), '/home/x is my folder')
  assert.equal(await all.say('/5 of it'), '/home/x is my folder | /5 of it')
  const long = `/${'a'.repeat(150)}`
  assert.ok(!(await all.say(long)).includes('no command'))
  await all.idle()
  assert.equal(await all.say('/stop@bot'), 'Nothing is running.')
})

test('where another sign stands for the slash, what nobody knows is told with it', async () => {
  await using all = await open({ commandStart: '!' })
  assert.equal(
    await all.say('/frobnicate'),
    'There is no command !frobnicate. !commands lists them; leave the "!" out to say it to the agent.',
  )
  assert.match(await all.say('/statsu'), /Did you mean !status\?/)
  await using slack = await open({ commandStart: '/hermes ' })
  assert.match(await slack.say('/frobnicate'), /^There is no command \/frobnicate\. \/hermes commands lists them/)
})

test('/retry answers the last message anew in its place, and /undo takes it back', async () => {
  await using all = await open()
  assert.equal(await all.say('/undo'), 'There is nothing to take back.')
  await all.say('one')
  await all.say('two')
  assert.equal(await all.say('/retry'), 'one | two')
  assert.match(await all.say('/undo'), /Taken back: two/)
  assert.equal(await all.say('three'), 'one | three')
})

test('a conversation is titled, branched, listed and gone back to; nobody sees those of others', async () => {
  await using all = await open()
  await all.say('one')
  assert.equal(await all.say('/title First talk'), 'Title: First talk')
  assert.match(await all.say('/branch Side talk'), /Now in "Side talk".*\/resume First talk/)
  assert.equal(await all.say('two'), 'one | two')
  assert.match(await all.say('/resume'), /Side talk {2}\(this one\)[^]*First talk/)
  assert.match(await all.say('/resume First talk'), /Now in "First talk", 2 messages/)
  assert.match(
    await all.say('/resume'),
    /First talk {2}\(this one\)[^]*Side talk|Side talk[^]*First talk {2}\(this one\)/,
  )
  assert.equal(await all.say('three'), 'one | three')
  const other = { source: { chatId: '8', userId: '8' } } as const
  assert.match(await all.say('/resume First talk', other), /No conversation of yours matches/)
  assert.equal(await all.say('/resume', other), 'No conversations yet.')
})

test('what /branch tells to write leads back, also where the branch has no name of its own', async () => {
  await using all = await open()
  await all.say('one')
  await all.say('/title Garden')
  const [, back = ''] = /Now in "Garden #2".*(\/resume \S+)/.exec(await all.say('/branch')) ?? []
  assert.match(await all.say(back), /Now in "Garden", 2 messages/)
})

test('/steer reaches the running turn at its next step; what comes too late is asked afterwards', async () => {
  const script: Script = (request) => {
    if (isTitle(request)) return { text: 'T' }
    const isAfterTool = (request.body.messages ?? []).some(({ role }) => role === 'tool')
    return isAfterTool
      ? { text: saidTo(request).join(' | ') }
      : { toolCalls: [{ name: 'terminal', arguments: { command: 'until [ -e go ]; do sleep 0.05; done' } }] }
  }
  await using all = await open({ script })
  await all.platform.write('work')
  while (all.all.model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.match(await all.say('/steer in blue, please'), /Noted/)
  await all.all.put('go', '')
  assert.equal((await all.platform.waitForSent(2))[1]?.text, 'work | in blue, please')
  assert.equal(await all.say('/steer and now?'), 'work | in blue, please | and now?')
})

test('/stop in a chat ends what the same person asked for in its threads, and says which; not what others did', async () => {
  const script: Script = (request) => (isTitle(request) ? { text: 'T' } : { fault: { type: 'stall' } })
  await using all = await open({ script })
  const here = (source: object) => ({ source: { chatId: '5', chatType: 'group', ...source } }) as const
  const stop = (source: object = {}) => all.say('/stop', here(source))
  await all.platform.write('dig here', here({ threadId: 'a' }))
  await all.platform.write('dig there', here({ chatId: '51', chatType: 'thread', threadId: '51', parentId: '5' }))
  await all.platform.write('mine', here({ threadId: 'c', userId: '8' }))
  await all.platform.write('far away', here({ chatId: '6', threadId: 'a' }))
  while (all.all.model.requests.filter((one) => !isTitle(one)).length < 4) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(await stop({ userId: '9' }), 'Nothing is running.')
  assert.equal(await stop({ threadId: 'b' }), 'Nothing is running.')
  assert.equal(await stop(), '⏹ Stopped what you asked for in threads here: "dig here", "dig there"')
  assert.equal(await stop({ userId: '8' }), '⏹ Stopped what you asked for in a thread here: "mine"')
  assert.equal(await all.say('/stop', here({ chatId: '6', threadId: 'a' })), '⏹ Stopped.')
  await all.idle()
})

test('nobody piles up tasks or messages without bound, and is told what to do', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const script: Script = async () => {
    await held
    return { text: 'Done.' }
  }
  await using all = await open({ script, config: 'gateway: {max_background_tasks: 2}' })
  for (const task of ['one', 'two']) assert.match(await all.say(`/bg ${task}`), /Begun/)
  assert.match(
    await all.say('/bg three'),
    /^2 tasks run beside this conversation already.*max_background_tasks.*\/stop/,
  )
  assert.match(await all.say('/bg mine', { source: { chatId: '8', userId: '8' } }), /Begun/)
  await all.platform.write('hold')
  for (let n = 0; n < 20; n++) assert.match(await all.say(`/queue ${n}`), /Queued/)
  assert.match(await all.say('/queue more'), /^20 messages wait already/)
  await all.platform.write('/btw first')
  const before = all.platform.sent.length
  for (let n = 0; n < 20; n++) await all.platform.write(`/btw ${n}`)
  assert.equal(all.platform.sent.length, before)
  assert.match(await all.say('/btw more'), /^20 things wait here already: \/btw again/)
  assert.equal(
    await all.say('/stop'),
    '⏹ Stopped.\nWhat waited behind it is not answered either: "0", "1", "2" and 17 more',
  )
  release()
})

test('/stop and /new forget what waits, for good, and say so; it stays out of the conversation', async () => {
  const script: Script = (request) => {
    if (isTitle(request)) return { text: 'T' }
    return saidTo(request).at(-1) === 'hang' ? { fault: { type: 'stall' } } : { text: saidTo(request).join(' | ') }
  }
  for (const command of ['/stop', '/new']) {
    await using all = await open({ script, config: 'display: {busy_input_mode: queue}' })
    await all.platform.write('hang')
    while (all.all.model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await all.platform.write('waits')
    assert.match(await all.say('/queue this, too'), /Queued/)
    assert.match(await all.say('/steer and words for it'), /Noted/)
    const before = all.platform.sent.length
    await all.platform.write(command)
    const told = (await all.platform.waitForSent(before + 2)).slice(before).map(({ text }) => text ?? '')
    assert.ok(told.includes('/steer was stopped.'), told.join('\n'))
    assert.ok(
      told.some((text) => text.includes('is not answered either: "waits", "this, too"')),
      told.join('\n'),
    )
    await all.idle()
    await all.restart()
    await all.idle()
    assert.equal(all.platform.sent.length, before + 2)
    assert.equal(await all.say('and now'), command === '/new' ? 'and now' : 'hang\n\nand now')
  }
})

test('/queue waits for the turn to end, /background and /btw run beside it', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const script: Script = async (request) => {
    if (saidTo(request).at(-1) === 'hold') await held
    return { text: saidTo(request).join(' | ') || 'T' }
  }
  await using all = await open({ script })
  await all.platform.write('hold')
  assert.match(await all.say('/q afterwards'), /Queued/)
  assert.match(await all.say('/retry'), /has to wait/)
  assert.match(await all.say('/bg look it up'), /Begun beside/)
  assert.match((await all.platform.waitForSent(4))[3]?.text ?? '', /Done beside[^]*look it up/)
  assert.match(await all.say('/btw what is held?'), /^💬 hold\s+what is held\?$/)
  release()
  const texts = (await all.platform.waitForSent(7)).map(({ text }) => text)
  assert.deepEqual(texts.slice(5), ['hold', 'hold | afterwards'])
})

test('settings hold from the next turn on and stay: model for the chat, the others in config.yaml', async () => {
  await using all = await open({ config: 'display: {tool_progress_command: true}', environment: '' })
  assert.match(await all.say('hello'), /\/sethome makes it this chat/)
  await all.platform.waitForSent(2)
  assert.match(await all.say('/model scripted-model-2 --anyway'), /scripted-model-2/)
  assert.equal(await all.say('/reasoning high'), 'Reasoning: high')
  assert.equal(await all.say('/fast fast'), 'Tier: fast (where the model has one; it costs more)')
  assert.equal(await all.say('/verbose new'), 'Tool calls on test: new')
  assert.match(await all.say('/sethome'), /home of test/)
  assert.match(await all.say('/voice tts'), /Voice: all/)
  assert.match(await all.say('/personality nobody-knows-it'), /There is no personality/)
  assert.match(await all.say('/personality pirate'), /Personality: pirate/)
  assert.match(await all.say('/voice off'), /Voice: off/)
  await all.say('again')
  const request = all.all.model.requests.findLast((one) => !isTitle(one))
  assert.equal(request?.body['model'], 'scripted-model-2')
  assert.match(JSON.stringify(request?.body.messages?.[0]), /pirate|matey|Arr/i)
  const file = await readFile(all.all.home.path('config.yaml'), 'utf8')
  assert.match(file, /TEST_HOME_CHANNEL: "?7"?/)
  assert.match(file, /reasoning_effort: high/)
  assert.match(file, /service_tier: fast/)
  assert.deepEqual(JSON.parse(await readFile(all.all.home.path('gateway_voice_mode.json'), 'utf8')), { '7': 'off' })
  await all.restart()
  await all.say('and again')
  assert.equal(all.all.model.requests.findLast((one) => !isTitle(one))?.body['model'], 'scripted-model-2')
  await all.say('/new')
  await all.say('anew')
  assert.equal(all.all.model.requests.findLast((one) => !isTitle(one))?.body['model'], 'scripted-model')
})

test('/model --global is for every chat without a model of its own, from its next turn on, and says so', async () => {
  await using all = await open()
  assert.match(
    await all.say('/model scripted-model-2 --anyway --global'),
    /all conversations .* their next turn on\.$/m,
  )
  assert.match(await readFile(all.all.home.path('config.yaml'), 'utf8'), /default: scripted-model-2/)
})

test('/yolo is for one conversation', async () => {
  await using all = await open()
  assert.match(await all.say('/yolo'), /run here without asking/)
  assert.match(await all.say('/yolo'), /asked about again/)
  assert.match(await all.say('/yolo off'), /asked about again/)
  assert.match(await all.say('/yolo on'), /run here without asking/)
  assert.match(await all.say('/yolo on'), /run here without asking/)
  assert.match(await all.say('/yolo never'), /on\|off.*Nothing was changed/)
})

test('words behind a command that takes none are told to be left out', async () => {
  await using all = await open()
  await all.say('one')
  assert.match(await all.say('/undo the last two'), /Taken back: one[^]*\n\("the last two" was left out: \/undo takes/)
  assert.match(
    await all.say('/reset what is new?'),
    /A new conversation[^]*\n\("what is new\?" was left out: \/new takes/,
  )
  await all.say('two')
  const before = all.platform.sent.length
  await all.platform.write('/retry but shorter')
  const told = (await all.platform.waitForSent(before + 2)).slice(before).map(({ text }) => text)
  assert.deepEqual(told, ['("but shorter" was left out: /retry takes nothing behind it.)', 'two'])
  assert.doesNotMatch(await all.say('/stop please'), /left out/)
})

test('quick commands run or stand for others, and skills are commands', async () => {
  const skill = '---\nname: haiku\ndescription: Writes a haiku\n---\n# Haiku\nWrite one.\n'
  await using all = await open({
    config:
      'quick_commands: {start: {type: alias, target: profile}, up: {type: exec, command: echo it is up}, st: {type: alias, target: /status}, me: {type: alias, target: /me}}',
    home: { 'skills/poems/haiku/SKILL.md': skill },
  })
  assert.equal(await all.say('/up'), 'it is up')
  assert.match(await all.say('/start'), /^Profile: /)
  assert.match(await all.say('/st'), /^Session: none yet/)
  assert.match(await all.say('/me'), /leads to itself/)
  assert.match(await all.say('/haiku about rain'), /invoked the skill "haiku"[^]*about rain/)
  const before = all.platform.sent.length
  assert.match(await all.say('/commands 99'), /page (\d) of \1:/)
  await all.platform.waitForSent(before + 2)
  assert.match(all.platform.sent.at(-1)?.text ?? '', /\/haiku: Writes a haiku/)
  assert.match(await all.say('/help haiku'), /^\/haiku: Writes a haiku$/)
  assert.match(await all.say('/plan a party'), /a party[^]*\.hermes\/plans\/.*-a-party\.md/)
})

test('lists tell the beginning of what a skill is for, and help of one all of it', async () => {
  const long = `Does ${'this and '.repeat(20)}that`
  await using all = await open({
    home: { 'skills/x/busy/SKILL.md': `---\nname: busy\ndescription: ${long}\n---\nDo it.\n` },
  })
  await all.say('/help')
  await all.platform.waitForText(/\/busy: Does this and [^\n]{10,70}…/)
  assert.equal(await all.say('/help busy'), `/busy: ${long}`)
})

test('what was used is told', async () => {
  await using all = await open()
  assert.match(await all.say('/usage'), /not begun yet/)
  await all.say('hello')
  assert.match(await all.say('/usage'), /Messages: 2, tool calls: 0\nTokens: [^]*\nContext: about [\d.]+k? of 128k \(/i)
  assert.match(await all.say('/insights 7'), /The last 7 days: 1 conversations, 2 messages/)
  assert.match(await all.say('/insights 7 --source test'), /The last 7 days of test: 1 conversations/)
  assert.match(await all.say('/profile'), /Profile: default\nHome: \//)
  assert.match(await all.say('/compress'), /too little to compact/)
  assert.match(await all.say('/provider'), /Without a key: /)
  assert.match(await all.say('/help'), /\/background <task>: /)
})

test('a quick command that will not end is ended with all that it has started', async () => {
  const script = "trap '' TERM; (while :; do sleep 0.1; done) & echo $! > pid; yes"
  await using all = await open({ config: `quick_commands: {spin: {type: exec, command: ${JSON.stringify(script)}}}` })
  assert.match(await all.say('/spin'), /^\/spin printed more than \d+ characters and was ended\.$/)
  const pid = Number(await readFile(all.all.home.path('pid'), 'utf8'))
  for (let looks = 0; isRunning(pid); looks++) {
    assert.ok(looks < 600, 'it still runs')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})

test('help tells of one command, and arguments that a command does not have are told', async () => {
  await using all = await open({ config: 'quick_commands: {up: {type: exec, command: uptime}}' })
  assert.match(await all.say('/help bg'), /^\/background <task>: .*\nAlso: \/bg$/)
  assert.match(await all.say('/help /up'), /^\/up: a command of your own$/)
  assert.match(await all.say('/help frob'), /no command \/frob\. \/commands lists them/)
  assert.match(await all.say('/commands model'), /\/help model/)
  assert.equal(await all.say('/model x --provider frob'), 'There is no provider frob. /provider lists them.')
  assert.match(await all.say('/model x --frob'), /There is no --frob: \/model \[/)
  assert.equal(await all.say('/insights lately'), '/insights [days] [--source NAME]')
  assert.match(await all.say('/approve no'), /^\/approve \[all\].*Nothing was decided/)
})

test('lists in chats have no columns and no margins', async () => {
  await using all = await open()
  await all.say('hello')
  for (const name of ['/resume', '/personality']) assert.doesNotMatch(await all.say(name), /^ /m)
})
