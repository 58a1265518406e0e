import type { ToolHandle } from '@hermes/core/tools/tool-source.ts'
import assert from 'node:assert/strict'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { TurnEvent } from '@hermes/core/agent/events.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { noUsage } from '@hermes/core/models/model.ts'
import { temporaryHome } from '@hermes/testing'
import { openConversation } from './conversation.ts'
import type { fakeProcesses } from './fake-agent.ts'
import { fakeAgent, scriptedTurns } from './fake-agent.ts'
import type { View, ViewSettings } from './view.ts'

/** Records what a person would be shown. */
function recordingView() {
  const shown: string[] = []
  let settings: ViewSettings | undefined
  const view: View = {
    decide: nobody,
    configure: (changed) => (settings = changed),
    print: (text, tone = 'plain') => shown.push(tone === 'plain' ? text : `${tone}: ${text}`),
    showMessage: (text) => shown.push(`> ${text}`),
    showAnswer: (markdown) => shown.push(markdown),
    showToolCall: (name, preview) => shown.push(`${name} ${preview}`),
    showEvent(event) {
      if (event.type === 'turn-end') shown.push(`${event.status}: ${event.text}`)
      if (event.type === 'notice') shown.push(`${event.level}: ${event.message}`)
    },
    showWaiting() {},
    setBusy() {},
    clear: () => shown.splice(0),
  }
  return { view, shown, settings: () => settings }
}

async function open(
  options: {
    readonly script?: Parameters<typeof scriptedTurns>[0]
    readonly change?: (agent: AgentContext) => AgentContext
  } = {},
) {
  const home = await temporaryHome()
  const { view, shown, settings } = recordingView()
  const base = await fakeAgent(home.dir)
  const agent = options.change?.(base) ?? base
  const requests: TurnRequest[] = []
  const echo = async function* (text: string): AsyncGenerator<TurnEvent> {
    yield { type: 'text-delta', text: `<${text}>` }
  }
  const script = options.script ?? (({ request }) => echo(request.message.text))
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const conversation = await openConversation(
    {
      cli: { environment: {}, cwd: home.dir, ...streams, signal: new AbortController().signal },
      home: openHome({ HERMES_HOME: home.dir }),
      version: '1.2.3',
      cwd: home.dir,
      openAgent: async () => agent,
      openSession: async () => ({ ref: { id: 'session-1', source: 'cli' }, isResumed: false }),
      runTurn: scriptedTurns((turn) => {
        requests.push(turn.request)
        return script(turn)
      }),
      turn: { model: 'test/flag' },
      yolo: false,
    },
    agent,
    view,
  )
  return {
    conversation,
    agent,
    shown,
    settings,
    requests,
    home,
    /** Enters lines one after the other and resolves to what the last one showed. */
    async enter(...lines: readonly string[]): Promise<string> {
      for (const line of lines) {
        shown.length = 0
        conversation.submit(line)
        await conversation.idle()
      }
      return shown.join('\n')
    },
    async [Symbol.asyncDispose]() {
      await conversation.close(100)
      await home[Symbol.asyncDispose]()
    },
  }
}

test('messages become turns of one session, in order, with what the command line said', async () => {
  await using chat = await open()
  chat.conversation.submit('one')
  chat.conversation.enqueue('two')
  await chat.conversation.idle()
  assert.deepEqual(chat.shown, ['> one', 'completed: <one>', '> two', 'completed: <two>'])
  assert.deepEqual(
    chat.requests.map(({ session, model }) => [session.id, model]),
    [
      ['session-1', 'test/flag'],
      ['session-1', 'test/flag'],
    ],
  )
})

test('a skill that is called shows what was typed, by the command or the folder’s name', async () => {
  await using chat = await open()
  const folder = join(chat.home.dir, 'skills', 'tables')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'SKILL.md'), '---\nname: csv-tool\ndescription: Tables\n---\n\nLook at the columns.\n')
  await chat.enter('/csv-tool clean a.csv', '/tables')
  assert.match(chat.requests[0]?.message.text ?? '', /Look at the columns\.[^]*clean a\.csv$/)
  assert.match(chat.requests[1]?.message.text ?? '', /Look at the columns\./)
  assert.equal(chat.shown[0], '> /tables')
  assert.equal((await chat.enter('/undo')).split('\n')[0], 'dim: Taken back: /tables')
})

test('a notice that only informs is shown once, a warning every time', async () => {
  await using chat = await open({
    async *script() {
      yield { type: 'notice', level: 'info', code: 'model', message: 'The offline model answers.' }
      yield { type: 'notice', level: 'warning', code: 'retry', message: 'Trying again.' }
    },
  })
  assert.match(await chat.enter('one'), /^> one\ninfo: The offline model answers\.\nwarning: Trying again\.\n/)
  assert.match(await chat.enter('two'), /^> two\nwarning: Trying again\.\n/)
})

test('a turn that throws is told, and the next one runs', async () => {
  let calls = 0
  await using chat = await open({
    async *script() {
      calls += 1
      if (calls === 1) throw new Error('it broke')
      yield { type: 'text-delta', text: 'fine' }
    },
  })
  assert.equal(await chat.enter('one'), '> one\nerror: it broke')
  assert.equal(await chat.enter('two'), '> two\ncompleted: fine')
})

test('/new ends the session and goes on in another', async () => {
  await using chat = await open()
  await chat.enter('one', '/new', 'two')
  assert.equal((await chat.agent.sessions.get('session-1'))?.endReason, 'new_session')
  assert.match(chat.conversation.session.id, /^\d{8}_\d{6}_[0-9a-f]{6}$/)
  assert.equal(chat.requests[1]?.session.id, chat.conversation.session.id)
})

test('/resume goes back to a session by title, id or number, and opens it again', async () => {
  await using chat = await open()
  await chat.enter('about cats', '/title Cats', '/new', 'about dogs')
  const dogs = chat.conversation.session.id
  assert.match(await chat.enter('/resume cats and more'), /No session matches "cats and more"/)
  assert.match(
    await chat.enter('/resume Cats'),
    /^> about cats\n<about cats>\ndim: Resumed "Cats": 1 messages of yours, 2 in all\.$/,
  )
  assert.equal(chat.conversation.session.id, 'session-1')
  assert.equal((await chat.agent.sessions.get('session-1'))?.endedAt, undefined)
  assert.equal((await chat.agent.sessions.get(dogs))?.endReason, 'resumed_other')
  const listed = await chat.enter('/sessions')
  const number = / (\d+)\. about dogs/.exec(listed)?.[1]
  assert.match(listed, /Cats {2}\(this one\)/)
  await chat.enter(`/resume ${number}`)
  assert.equal(chat.conversation.session.id, dogs)
})

test('/title before the first message waits for it', async () => {
  await using chat = await open()
  assert.match(await chat.enter('/title'), /no title yet/)
  await chat.enter('/title Plans', 'hello')
  assert.equal(await chat.enter('/title'), 'Title: Plans')
  await chat.enter('/new', 'other')
  assert.match(await chat.enter('/title Plans'), /^warning: .*(already|use)/i)
})

test('/retry sends the last message again in place of its answer', async () => {
  await using chat = await open()
  assert.match(await chat.enter('/retry'), /no message/)
  await chat.enter('one', 'two', '/retry')
  const stored = await chat.agent.sessions.messages('session-1')
  assert.deepEqual(
    stored.map(({ message }) => message.content),
    ['one', '<one>', 'two', '<two>'],
  )
  assert.equal(chat.requests.length, 3)
})

test('/undo takes the last exchange back', async () => {
  await using chat = await open()
  assert.match(await chat.enter('one', 'two', '/undo'), /^dim: Taken back: two/)
  const stored = await chat.agent.sessions.messages('session-1')
  assert.deepEqual(
    stored.map(({ message }) => message.content),
    ['one', '<one>'],
  )
})

test('/model changes the model of the turns to come, if there is such a model', async () => {
  await using chat = await open()
  assert.match(await chat.enter('/model'), /^Model: test\/flag · context 128k tokens/)
  assert.match(await chat.enter('/model wrong/one'), /^warning: There is no model "wrong\/one"/)
  assert.match(await chat.enter('/model test/other'), /^Model: test\/other/)
  await chat.enter('hello')
  assert.equal(chat.requests[0]?.model, 'test/other')
})

test('/model --global changes the configured model, and nothing else in the file', async () => {
  await using chat = await open()
  await writeFile(
    chat.home.path('config.yaml'),
    '# mine\nmodel:\n  default: old # the old one\nagent:\n  max_turns: 7\n',
  )
  assert.match(await chat.enter('/model wrong/one --global'), /^warning: There is no model/)
  assert.match(await chat.enter('/model test/other --global'), /^dim: Saved to .*config\.yaml\.\nModel: test\/other/)
  const config = await readFile(chat.home.path('config.yaml'), 'utf8')
  assert.match(
    config,
    /^# mine\nmodel:\n {2}default: other # the old one\n {2}provider: test\nagent:\n {2}max_turns: 7\n$/,
  )
})

test('/yolo is for this session and the ones after it, until it is called again', async () => {
  await using chat = await open()
  const isYolo = () => chat.agent.scopes.get(chat.conversation.session.id).yolo
  assert.match(await chat.enter('/yolo'), /^warning: /)
  assert.equal(isYolo(), true)
  await chat.enter('/new')
  assert.equal(isYolo(), true)
  assert.match(await chat.enter('/yolo'), /^ok: /)
  assert.match(await chat.enter('/yolo off'), /^ok: /)
  assert.equal(isYolo(), false)
  assert.match(await chat.enter('/yolo never'), /Nothing was changed/)
  assert.equal(isYolo(), false)
})

test('/verbose goes through the modes, or takes one', async () => {
  await using chat = await open()
  const seen: unknown[] = [chat.settings()?.toolProgress]
  for (const line of ['/verbose', '/verbose', '/verbose', '/verbose', '/verbose new']) {
    await chat.enter(line)
    seen.push(chat.settings()?.toolProgress)
  }
  assert.deepEqual(seen, ['all', 'verbose', 'off', 'new', 'all', 'new'])
  assert.match(await chat.enter('/verbose loud'), /^warning: There is no mode "loud"/)
})

test('/tools lists tools by toolset, and switches toolsets off and on', async () => {
  const tool = (name: string, toolset: string): ToolHandle => ({
    name,
    toolset,
    concurrency: 'exclusive',
    schema: { name, description: `Does ${name}. And more.`, parameters: { type: 'object' } },
    open: () => Promise.reject(new Error('a list opens no tool')),
  })
  const all = [tool('read_file', 'file'), tool('terminal', 'terminal'), tool('memory', 'memory')]
  await using chat = await open({
    change: (agent) => ({
      ...agent,
      tools: {
        load: async (wanted) =>
          new Map(all.filter(({ toolset }) => wanted?.includes(toolset) ?? true).map((one) => [one.name, one])),
        survey: async () => [
          { name: 'terminal', toolset: 'terminal', description: 'Does terminal.' },
          { name: 'web_search', toolset: 'web', description: 'Searches.', missing: 'no key of a search service' },
        ],
      },
    }),
  })
  const listed = await chat.enter('/tools')
  assert.match(listed, /^file\n {2}read_file +Does read_file\.\nterminal\n/)
  assert.match(listed, /memory +Does memory\./)
  assert.match(listed, /\nNot usable now:\n {2}web_search +no key of a search service$/)
  assert.match(
    await chat.enter('/tools disable nothing'),
    /^warning: No such toolset: nothing\. There are: file, terminal, memory/,
  )
  assert.equal(await chat.enter('/tools disable terminal memory'), 'Toolsets: file')
  await chat.enter('hello')
  assert.deepEqual(chat.requests[0]?.toolsets, ['file'])
  assert.equal(await chat.enter('/tools enable terminal'), 'Toolsets: file, terminal')
})

test('/usage and /status tell what was used and where it stands', async () => {
  await using chat = await open()
  const used = await chat.enter('one', 'two', '/usage')
  assert.match(used, /Model: test\/default\nContext: 12\.8k of 128k \(10%\)/)
  assert.match(used, /Since the start: 2 turns, 2 model calls, 2\.4k tokens in, 68 out/)
  assert.match(await chat.enter('/status'), /^Session: session-1, 4 messages\nModel: test\/default\n[^]*\nIdle\.$/)
})

test('/usage tells what the last turn and the session cost, and how that is known', async () => {
  const usage = { ...noUsage, inputTokens: 1000, outputTokens: 5 }
  const cost = { usd: 0.25, status: 'estimated', source: 'official_docs_snapshot', pricesAsOf: '2026-11-20' } as const
  await using chat = await open({
    async *script() {
      yield { type: 'usage', usage, cost, contextTokens: 10, contextLength: 100 }
      yield { type: 'usage', usage, cost, contextTokens: 10, contextLength: 100 }
    },
  })
  await chat.enter('one', 'two')
  const reported = { estimatedCostUsd: 0.75, actualCostUsd: 0.75, costStatus: 'actual' } as const
  await chat.agent.sessions.addUsage('session-1', { usage, model: 'm', ...reported })
  const used = await chat.enter('/usage')
  assert.match(used, /^Last turn: 3\.2k tokens in, 44 out · cost \$0\.50 \(estimated by list prices of 2026-11-20\)$/m)
  assert.match(used, /^Session: 1k tokens in, 5 out · cost \$0\.75 \(as the provider reports it\)$/m)
})

test('/usage tells what is left of the limits of keys', async () => {
  const limits = [{ name: 'requests', used: 0.25, limit: 20, remaining: 15 }]
  await using chat = await open({
    change: (agent) => ({
      ...agent,
      models: { ...agent.models, rateLimits: () => [{ provider: 'openai', toldAtMs: agent.clock.now(), limits }] },
    }),
  })
  assert.match(await chat.enter('/usage'), /\nLimits of openai:\n  requests  █████░{15}  25% used · 15 of 20 left$/)
})

test('/usage counts one of a kind as one, and /status names no model where none was found', async () => {
  await using chat = await open({
    async *script({ request }) {
      const { id } = request.session
      yield { type: 'turn-start', sessionId: id, provider: '', model: '' }
    },
  })
  assert.match(await chat.enter('one', '/usage'), /Since the start: 1 turn, 1 model call, /)
  assert.match(await chat.enter('/status'), /\nModel: test\/default\n/)
})

test('/save writes the conversation as JSON to the working directory', async () => {
  await using chat = await open()
  assert.match(await chat.enter('/save'), /nothing to save/)
  assert.match(await chat.enter('one', '/save'), /^Saved to .*hermes_conversation_\d{8}_\d{6}\.json$/)
  const [name = ''] = (await readdir(chat.home.dir)).filter((one) => one.startsWith('hermes_conversation_'))
  const saved: unknown = JSON.parse(await readFile(chat.home.path(name), 'utf8'))
  assert.deepEqual((saved as { messages: unknown }).messages, [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: '<one>' },
  ])
})

test('/history shows the conversation, /clear empties the screen and begins anew', async () => {
  await using chat = await open()
  assert.match(await chat.enter('/history'), /No messages yet/)
  assert.equal(await chat.enter('one', '/history'), '> one\n<one>')
  assert.equal(await chat.enter('/clear'), '')
  assert.notEqual(chat.conversation.session.id, 'session-1')
})

test('/help lists every command, and explains one', async () => {
  await using chat = await open()
  const listed = await chat.enter('/help')
  for (const { name } of chat.conversation.commands) assert.match(listed, new RegExp(`^ {2}/${name}\\b`, 'm'))
  assert.match(listed, /\n {2}Enter +send; while a turn runs, it is stopped first \(\/queue waits/)
  assert.match(await chat.enter('/help /new'), /^\/new {2}Start a new session\.\nAlso: \/reset$/)
})

test('a conversation that is compacted goes on in the new session, and its old name leads there', async () => {
  await using chat = await open({
    async *script({ request }) {
      const { id } = request.session
      if (request.message.text !== 'two') return
      const summary = { role: 'user', content: '[CONTEXT COMPACTION — REFERENCE ONLY]\nAll of it.' } as const
      const next = await chat.agent.sessions.compact(id, [summary, { role: 'user', content: 'two' }])
      const counts = { messagesBefore: 9, messagesAfter: 1, tokensBefore: 16_000, tokensAfter: 4_000 }
      yield {
        type: 'compaction',
        reason: 'threshold',
        fromSessionId: id,
        sessionId: next.id,
        method: 'summary',
        ...counts,
      }
    },
  })
  await chat.enter('/title cats', 'one', 'two', 'three')
  const ids = chat.requests.map(({ session }) => session.id)
  assert.deepEqual(ids.slice(0, 2), ['session-1', 'session-1'])
  assert.equal((await chat.agent.sessions.get(ids[2] ?? ''))?.parentId, 'session-1')
  assert.match(await chat.enter('/sessions'), /cats {2}\(this one\)/)
  assert.match(await chat.enter('/resume session-1'), /That is this session/)
  await chat.enter('/new', 'four')
  assert.match(await chat.enter('/resume session-1'), /A summary of what came before[^]*Resumed "cats #2"/)
  assert.match(await chat.enter('/undo'), /Taken back: three/)
})

test('aliases and unique beginnings work, ambiguous ones are told', async () => {
  await using chat = await open()
  assert.match(await chat.enter('/STATUS'), /^Session: /)
  assert.match(await chat.enter('/usa'), /Since the start/)
  assert.match(await chat.enter('/re'), /^warning: \/re may be \/new, \/resume, \/retry, \/reload-mcp\.$/)
  assert.match(await chat.enter('/xyzzy'), /^warning: There is no command \/xyzzy\. \/help lists them\.$/)
  chat.conversation.submit('/q')
  await chat.conversation.left
})

test('closing stops the turn, ends the session and says which can be resumed', async () => {
  await using chat = await open({
    async *script({ stopped }) {
      yield { type: 'text-delta', text: 'working' }
      await stopped
    },
  })
  chat.conversation.submit('one')
  chat.conversation.enqueue('never sent')
  await new Promise<void>((resolve) => setImmediate(resolve))
  assert.equal(await chat.conversation.close(), 'session-1')
  assert.equal(chat.requests.length, 1)
  const agent = await fakeAgent(chat.home.dir)
  assert.equal((await agent.sessions.get('session-1'))?.endReason, 'cli_close')
  await agent.sessions.close()
})

test('what background commands notify of is told to the agent between two turns', async () => {
  const more = Promise.withResolvers<void>()
  await using chat = await open({
    async *script({ request }) {
      if (request.message.text === 'one') await more.promise
      yield { type: 'text-delta', text: 'ok' }
    },
  })
  const background = chat.agent.scopes.get('session-1').processes as unknown as ReturnType<typeof fakeProcesses>
  const ended = { type: 'completion', processId: 'proc_1', command: 'make', exitCode: 2, output: 'no rule' } as const
  chat.conversation.submit('one')
  background.notify(ended)
  chat.conversation.enqueue('two')
  more.resolve()
  await chat.conversation.idle()
  background.notify({ ...ended, processId: 'proc_2' })
  await chat.conversation.idle()
  assert.deepEqual(
    chat.requests.map(({ message }) => message.text.split('\n')[0]),
    [
      'one',
      'two',
      '[Background process proc_1 (make) ended with exit code 2. The end of its output:',
      '[Background process proc_2 (make) ended with exit code 2. The end of its output:',
    ],
  )
})
