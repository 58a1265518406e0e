import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import type { DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import type { TurnEvent } from '@hermes/core/agent/events.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { noUsage } from '@hermes/core/models/model.ts'
import { VirtualTerminal } from '@hermes/testing/pty/virtual-terminal.ts'
import { temporaryHome } from '@hermes/testing'
import { fakeAgent, scriptedTurns } from '../fake-agent.ts'
import type { ReplOptions } from '../repl-options.ts'
import { startRepl } from '../repl.ts'

type Script = Parameters<typeof scriptedTurns>[0]

const keys = {
  enter: '\r',
  altEnter: '\u001b\r',
  up: '\u001b[A',
  down: '\u001b[B',
  tab: '\t',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlJ: '\n',
} as const

interface Options extends Partial<Omit<ReplOptions, 'cli'>> {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
  readonly home?: never
  readonly files?: Readonly<Record<string, string>>
}

/** Starts the REPL on a terminal in memory. It is left, and its home removed, at the end. */
async function start(script: Script, options: Options = {}) {
  const home = await temporaryHome(options.files)
  const terminal = new VirtualTerminal(options.columns ?? 80, options.rows ?? 24)
  const stdout = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        terminal.write(chunk.toString())
        done()
      },
    }),
    { isTTY: true, columns: terminal.columns },
  )
  const stop = new AbortController()
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} })
  const agent = await fakeAgent(home.dir, options.settings)
  const ended = startRepl({
    cli: {
      environment: { TERM: 'xterm-256color', HOME: home.dir, ...options.environment },
      cwd: home.dir,
      stdin,
      stdout,
      stderr: stdout,
      signal: stop.signal,
    },
    home: openHome({ HERMES_HOME: home.dir }),
    version: '1.2.3',
    cwd: home.dir,
    openAgent: async () => agent,
    openSession: async () => ({ ref: { id: 'session-1', source: 'cli' }, isResumed: false }),
    runTurn: scriptedTurns(script),
    turn: {},
    yolo: false,
    terminal,
    ...options,
  })
  // What it rejects with is looked at later.
  ended.catch(() => undefined)
  const { screen } = terminal
  await screen.waitFor('❯')
  return {
    terminal,
    screen,
    agent,
    home,
    ended,
    stop,
    stdin,
    /** Types a text and Enter. */
    send(text: string) {
      terminal.typeText(text)
      terminal.type(keys.enter)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ended.catch(() => undefined)
      await home[Symbol.asyncDispose]()
    },
  }
}

async function* says(text: string): AsyncGenerator<TurnEvent> {
  yield { type: 'text-delta', text }
}

test('the prompt is there before the agent is, and what is entered meanwhile is sent when it is', async () => {
  const opening = Promise.withResolvers<void>()
  await using repl = await start(({ request }) => says(`You said ${request.message.text}.`), {
    openSession: async () => {
      await opening.promise
      return { ref: { id: 'session-1', source: 'cli' }, isResumed: false }
    },
  })
  assert.match(repl.screen.text(), /^Hermes Agent v1\.2\.3 · ~\n\/help for commands.*\n\n❯$/)
  await repl.screen.waitFor(() => repl.terminal.isTaken)
  repl.send('early')
  await repl.screen.waitFor('next: early')
  opening.resolve()
  await repl.screen.waitFor('You said early.')
})

test('an answer is drawn as Markdown while it comes, with a spinner until it is there', async () => {
  const more = Promise.withResolvers<void>()
  await using repl = await start(async function* () {
    yield { type: 'text-delta', text: '# Title\n\nSome **bo' }
    await more.promise
    yield { type: 'text-delta', text: 'ld** text.\n\n| a | b |\n|---|---|\n| 1 | 数据 |' }
  })
  repl.send('hello')
  const during = await repl.screen.waitFor('Some **bo')
  assert.match(during, /❯ hello\n\nTitle\n\nSome \*\*bo\n\n[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] answering · \ds · Ctrl-C stops\n❯/)
  more.resolve()
  const after = await repl.screen.waitFor('1.2k in, 34 out · context 12.8k of 128k (10%) · 4.2s')
  assert.match(after, /Some bold text\./)
  assert.match(after, /│ 1 │ 数据 │/)
  assert.doesNotMatch(after, /Ctrl-C stops/)
})

test('Enter sends; Alt+Enter, Ctrl+J and a backslash at the end begin a new line', async () => {
  await using repl = await start(({ request }) => says(JSON.stringify(request.message.text)))
  await repl.screen.waitFor(() => repl.terminal.isTaken)
  repl.terminal.typeText('one')
  repl.terminal.type(keys.altEnter)
  repl.terminal.typeText('two')
  repl.terminal.type(keys.ctrlJ)
  repl.terminal.typeText('three\\')
  repl.terminal.type(keys.enter)
  repl.terminal.typeText('four')
  await repl.screen.waitFor(/❯ one\n {2}two\n {2}three\n {2}four/)
  repl.terminal.type(keys.enter)
  await repl.screen.waitFor('"one\\ntwo\\nthree\\nfour"')
})

test('pasted text is not sent by its line breaks', async () => {
  await using repl = await start(({ request }) => says(JSON.stringify(request.message.text)))
  await repl.screen.waitFor(() => repl.terminal.isTaken)
  repl.terminal.type('\u001b[200~first\r\nsecond\u001b[201~')
  await repl.screen.waitFor(/❯ first\n {2}second/)
  repl.terminal.type(keys.enter)
  await repl.screen.waitFor('"first\\nsecond"')
})

test('the input history comes from the file, newest first, and goes back to it', async () => {
  const history = '\n# 2026-01-02 03:04:05.678901\n+older\n\n# 2026-01-02 03:05:00.000001\n+from upstream\n'
  await using repl = await start(({ request }) => says(`<${request.message.text}>`), {
    files: { '.hermes_history': history },
  })
  repl.send('/status')
  await repl.screen.waitFor('Idle.')
  repl.terminal.type(keys.up, keys.up)
  await repl.screen.waitFor(/❯ from upstream$/)
  repl.terminal.type(keys.up)
  await repl.screen.waitFor(/❯ older$/)
  repl.terminal.type(keys.down, keys.enter)
  await repl.screen.waitFor('<from upstream>')
  repl.terminal.type(keys.ctrlD)
  assert.equal(await repl.ended, 0)
  assert.match(await readFile(repl.home.path('.hermes_history'), 'utf8'), /\+\/status\n\n# .*\n\+from upstream\n$/)
})

test('an input history that cannot be read does not keep the chat from beginning', async () => {
  await using repl = await start(({ request }) => says(`<${request.message.text}>`), {
    files: { '.hermes_history/odd': 'a folder in its place' },
  })
  repl.send('hello')
  await repl.screen.waitFor('<hello>')
  repl.terminal.type(keys.up)
  await repl.screen.waitFor(/❯ hello$/)
  repl.terminal.type(keys.ctrlC, keys.ctrlD)
  assert.equal(await repl.ended, 0)
})

test('what is typed after going back in the history comes at the end of the line', async () => {
  await using repl = await start(({ request }) => says(`<${request.message.text}>`))
  repl.send('first')
  await repl.screen.waitFor('<first>')
  repl.send('second')
  await repl.screen.waitFor('<second>')
  repl.terminal.type(keys.up, keys.up)
  repl.terminal.typeText(' again')
  repl.terminal.type(keys.enter)
  await repl.screen.waitFor('<first again>')
})

test('tool calls are one line each, with their outcome, and with their output in verbose mode', async () => {
  await using repl = await start(async function* () {
    yield { type: 'tool-start', callId: 'a', name: 'terminal', args: {}, preview: 'npm test\u001b[2J' }
    yield {
      type: 'tool-end',
      callId: 'a',
      name: 'terminal',
      status: 'ok',
      durationMs: 1234,
      content: '{"output":"all \\u001b[31mgreen","exit_code":0}',
    }
    yield { type: 'tool-start', callId: 'b', name: 'read_file', args: {}, preview: '/nowhere' }
    yield {
      type: 'tool-end',
      callId: 'b',
      name: 'read_file',
      status: 'error',
      durationMs: 3,
      content: '{"error":"No such file"}',
    }
    yield { type: 'text-delta', text: 'Done.' }
  })
  repl.send('go')
  const seen = await repl.screen.waitFor('4.2s')
  assert.match(
    seen,
    /┊ terminal {2}npm test {2}✓ 1\.2s\n┊ read_file {2}\/nowhere {2}✗ 0\.0s\n┊ {3}No such file\n\nDone\./,
  )
  assert.doesNotMatch(seen, /all green/)
  repl.send('/verbose')
  await repl.screen.waitFor('Tool calls: verbose')
  repl.send('again')
  await repl.screen.waitFor(/✓ 1\.2s\n┊ {3}all green\n/)
})

test('what a tool changed in files is shown', async () => {
  await using repl = await start(async function* () {
    const diff = '--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-const a = 1\n+const a = 2\n'
    yield { type: 'tool-start', callId: 'a', name: 'patch', args: {}, preview: 'x.ts' }
    yield {
      type: 'tool-end',
      callId: 'a',
      name: 'patch',
      status: 'ok',
      durationMs: 20,
      content: JSON.stringify({ diff }),
    }
  })
  repl.send('go')
  await repl.screen.waitFor(/┊ patch {2}x\.ts {2}✓ 0\.0s\n[^]*┊ {3}-const a = 1\n┊ {3}\+const a = 2\n/)
})

test('Ctrl-C stops the turn and keeps the session', async () => {
  await using repl = await start(async function* ({ request, stopped }) {
    yield { type: 'text-delta', text: `${request.message.text}: working` }
    if (request.message.text === 'long') await stopped
  })
  repl.send('long')
  await repl.screen.waitFor('long: working')
  repl.terminal.type(keys.ctrlC)
  await repl.screen.waitFor('Interrupted.')
  repl.send('short')
  await repl.screen.waitFor('short: working')
  assert.equal((await repl.agent.sessions.messages('session-1')).length, 4)
})

test('a second Ctrl-C ends the program when a turn does not stop', async () => {
  await using repl = await start(async function* () {
    yield { type: 'text-delta', text: 'stuck' }
    await new Promise(() => {})
  })
  repl.send('hang')
  await repl.screen.waitFor('stuck')
  repl.terminal.type(keys.ctrlC, keys.ctrlC)
  assert.equal(await repl.ended, 130)
  assert.equal(repl.terminal.isTaken, false)
})

test('Ctrl-C stops one turn after the other, however quickly they follow', async () => {
  await using repl = await start(async function* ({ request, stopped }) {
    yield { type: 'text-delta', text: `${request.message.text}: working` }
    if (request.message.text !== 'last') await stopped
  })
  for (const text of ['first', 'second']) {
    repl.send(text)
    await repl.screen.waitFor(`${text}: working`)
    repl.terminal.type(keys.ctrlC)
    await repl.screen.waitFor(new RegExp(`${text}: working[^]*Interrupted\\.`))
  }
  repl.send('last')
  await repl.screen.waitFor('last: working')
})

test('while nothing runs Ctrl-C clears the input, then leaves', async () => {
  await using repl = await start(() => says('hi'))
  await repl.screen.waitFor(() => repl.terminal.isTaken)
  repl.terminal.typeText('draft')
  await repl.screen.waitFor('❯ draft')
  repl.terminal.type(keys.ctrlC)
  await repl.screen.waitFor(/❯$/)
  repl.terminal.type(keys.ctrlC)
  assert.equal(await repl.ended, 0)
})

test('what is entered during a turn interrupts it and is sent next', async () => {
  await using repl = await start(async function* ({ request, stopped }) {
    yield { type: 'text-delta', text: `<${request.message.text}>` }
    if (request.message.text === 'one') await stopped
  })
  repl.send('one')
  await repl.screen.waitFor('<one>')
  repl.send('two')
  const seen = await repl.screen.waitFor('<two>')
  assert.match(seen, /<one>\n\nInterrupted\.[^]*❯ two/)
})

test('with busy_input_mode queue it waits for the end of the turn', async () => {
  const more = Promise.withResolvers<void>()
  await using repl = await start(
    async function* ({ request }) {
      if (request.message.text === 'one') await more.promise
      yield { type: 'text-delta', text: `<${request.message.text}>` }
    },
    { settings: { display: { busy_input_mode: 'queue' } } },
  )
  repl.send('one')
  await repl.screen.waitFor('waiting for the model')
  repl.send('two')
  await repl.screen.waitFor('next: two')
  repl.send('/queue three')
  await repl.screen.waitFor('next: three')
  more.resolve()
  const seen = await repl.screen.waitFor('<three>')
  assert.match(seen, /<one>[^]*<two>[^]*<three>/)
  assert.doesNotMatch(seen, /Interrupted/)
})

test('commands run during a turn where they can, and never interrupt it', async () => {
  const more = Promise.withResolvers<void>()
  await using repl = await start(async function* () {
    await more.promise
    yield { type: 'text-delta', text: 'answer' }
  })
  repl.send('one')
  await repl.screen.waitFor('waiting for the model')
  repl.send('/status')
  await repl.screen.waitFor('A turn is running; 0 messages wait.')
  repl.send('/undo')
  await repl.screen.waitFor('/undo has to wait until the turn has ended (Ctrl-C stops it).')
  more.resolve()
  const seen = await repl.screen.waitFor('4.2s')
  assert.doesNotMatch(seen, /Interrupted/)
})

async function* asks(request: DecisionRequest, decide: (request: DecisionRequest) => Promise<DecisionAnswer>) {
  yield { type: 'decision-request', request } as const
  const answer = await decide(request)
  yield { type: 'decision-result', id: request.id, answer } as const
  yield { type: 'text-delta', text: JSON.stringify(answer) } as const
}

const approval: DecisionRequest = {
  kind: 'approval',
  id: '1',
  subject: 'rm -rf build\u202e\u001b[2J',
  reason: 'recursive delete',
  keys: ['rm'],
  choices: ['once', 'session', 'deny'],
}

for (const [how, typed, choice] of [
  ['by its letter', ['s'], 'session'],
  ['by arrows and Enter', [keys.up, keys.up, keys.enter], 'once'],
  ['with Enter on what is selected at first', [keys.enter], 'deny'],
  ['with Escape', [keys.escape], 'deny'],
  ['with Ctrl-C', [keys.ctrlC], 'deny'],
  ['by a letter of a choice that is not offered, then d', ['a', 'd'], 'deny'],
] as const) {
  test(`consent is asked for and given or denied ${how}`, async () => {
    await using repl = await start(({ request, signal }) => asks(approval, (one) => request.face.decide(one, signal)))
    repl.send('delete it')
    const asked = await repl.screen.waitFor(/denied in \d+s/)
    assert.match(asked, /Allow this\? recursive delete\n {4}rm -rf build\\u\{202e\}\\u\{1b\}\[2J\n/)
    assert.match(asked, /\[o\] Allow once\n {4}\[s\] Allow for this session\n {2}❯ \[d\] Deny/)
    assert.doesNotMatch(asked, /Always/)
    repl.terminal.type(...typed)
    await repl.screen.waitFor(JSON.stringify({ kind: 'approval', choice }))
  })
}

test('no consent in time is a denial', async () => {
  await using repl = await start(({ request, signal }) => asks(approval, (one) => request.face.decide(one, signal)), {
    settings: { approvals: { timeout: 1 } },
  })
  repl.send('delete it')
  await repl.screen.waitFor('Denied: no answer in time.')
})

test('keys that were meant for the prompt do not give consent', async () => {
  const ask = Promise.withResolvers<void>()
  await using repl = await start(async function* ({ request, signal }) {
    await ask.promise
    yield* asks(approval, (one) => request.face.decide(one, signal))
  })
  repl.send('delete it')
  await repl.screen.waitFor('waiting for the model')
  repl.terminal.typeText('and al')
  ask.resolve()
  await repl.screen.waitFor('you were typing: stop for a moment to answer')
  repl.terminal.typeText('so')
  await repl.screen.waitFor(/denied in \d+s/)
  repl.terminal.type('d')
  const seen = await repl.screen.waitFor('"choice":"deny"')
  assert.match(seen, /❯ and al$/)
})

test('a question is answered by a choice or by a text of one’s own', async () => {
  const question: DecisionRequest = { kind: 'clarify', id: '1', question: 'Which one?', choices: ['red', 'blue'] }
  await using repl = await start(({ request, signal }) => asks(question, (one) => request.face.decide(one, signal)))
  repl.send('paint')
  await repl.screen.waitFor(/Which one\?\n {2}❯ 1\. red\n {4}2\. blue\n {4}another answer/)
  repl.terminal.type(keys.down, keys.enter)
  await repl.screen.waitFor('{"kind":"clarify","answer":"blue","outcome":"answered"}')
  repl.send('paint')
  await repl.screen.waitFor(/❯ 1\. red/)
  repl.terminal.typeText('grün')
  await repl.screen.waitFor(/❯ grün/)
  repl.terminal.type(keys.enter)
  await repl.screen.waitFor('"answer":"grün"')
})

test('a secret is taken and never shown', async () => {
  const question: DecisionRequest = { kind: 'secret', id: '1', prompt: 'Password for sudo' }
  const taken: unknown[] = []
  await using repl = await start(async function* ({ request, signal }) {
    taken.push(await request.face.decide(question, signal))
    yield { type: 'text-delta', text: 'thanks' }
  })
  repl.send('sudo')
  await repl.screen.waitFor('Password for sudo')
  repl.terminal.typeText('hunter2x')
  repl.terminal.type('\u007f', keys.enter)
  await repl.screen.waitFor('thanks')
  assert.deepEqual(taken, [{ kind: 'secret', value: 'hunter2', outcome: 'answered' }])
  assert.doesNotMatch(repl.terminal.written, /hunter/)
})

test('commands are completed by Tab, with their arguments', async () => {
  await using repl = await start(() => says('ok'))
  await repl.agent.sessions.create({ id: 'old-1', source: 'cli' })
  await repl.agent.sessions.append('old-1', { role: 'user', content: 'about cats' })
  await repl.agent.sessions.rename('old-1', 'Cats')
  repl.send('/status')
  await repl.screen.waitFor('Idle.')
  repl.terminal.typeText('/res')
  await repl.screen.waitFor(/\/resume +Go on with an earlier session/)
  repl.terminal.type(keys.tab)
  await repl.screen.waitFor(/❯ \/resume$/)
  repl.terminal.typeText('C')
  await repl.screen.waitFor(/Cats +about cats/)
  repl.terminal.type(keys.tab)
  await repl.screen.waitFor(/❯ \/resume Cats$/)
  repl.terminal.type(keys.enter)
  await repl.screen.waitFor('Resumed "Cats": 1 messages of yours, 1 in all.')
})

test('references are completed by Tab; Enter sends what was typed', async () => {
  await using repl = await start(() => says('ok'))
  repl.send('/status')
  await repl.screen.waitFor('Idle.')
  repl.terminal.typeText('compare @st')
  await repl.screen.waitFor(/@staged +changes that are staged/)
  repl.terminal.type(keys.tab)
  await repl.screen.waitFor(/❯ compare @staged$/)
  repl.terminal.typeText('with @di')
  await repl.screen.waitFor(/@diff +changes that are not staged/)
  repl.terminal.type(keys.enter)
  await repl.screen.waitFor(/❯ compare @staged with @di\n[^]*ok/)
})

test('a command is found by a beginning that only it has; others are told what is near', async () => {
  await using repl = await start(() => says('ok'))
  repl.send('/stat')
  await repl.screen.waitFor('Idle.')
  repl.send('/modle')
  await repl.screen.waitFor('There is no command /modle. Did you mean /model')
  repl.send('/usr/bin/env is a path')
  await repl.screen.waitFor('❯ /usr/bin/env is a path')
})

test('what is on the screen is right after the terminal changed its size', async () => {
  await using repl = await start(() =>
    says('A paragraph of some length that has to be wrapped anew when the terminal gets narrower.'),
  )
  repl.send('hello')
  await repl.screen.waitFor('4.2s')
  repl.terminal.resize(40, 20)
  await repl.screen.waitFor(
    /❯ hello\n\nA paragraph of some length that has to\nbe wrapped anew when the terminal gets\nnarrower\.\n[^]*❯$/,
  )
  repl.terminal.typeText('still here')
  await repl.screen.waitFor(/❯ still here$/)
})

for (const [columns, rows] of [
  [12, 5],
  [3, 2],
  [1, 1],
] as const) {
  test(`a terminal of ${columns} × ${rows} is no reason to fail`, async () => {
    const done = Promise.withResolvers<void>()
    let asked = false
    await using repl = await start(
      async function* ({ request, signal }) {
        yield { type: 'text-delta', text: '# Title\n\n| a | b |\n|---|---|\n| 数据库 | 2 |\n\n- an item' }
        const answer = request.face.decide(approval, signal)
        asked = true
        yield { type: 'decision-result', id: '1', answer: await answer }
        done.resolve()
      },
      { columns, rows },
    )
    repl.send('hi')
    await repl.screen.waitFor(() => asked)
    repl.terminal.resize(columns + 1, rows + 1)
    repl.terminal.type(keys.escape)
    await done.promise
    repl.terminal.resize(80, 24)
    await repl.screen.waitFor(/Denied\.[^]*❯$/)
  })
}

test('without colours no style is written, only cursor movement', async () => {
  await using repl = await start(() => says('# Title\n\n**bold** `code`\n\n| a |\n|---|\n| 1 |'), {
    environment: { NO_COLOR: '1' },
  })
  repl.send('hello')
  await repl.screen.waitFor('4.2s')
  // oxlint-disable-next-line no-control-regex -- styles are escape sequences
  assert.doesNotMatch(repl.terminal.written, /\u001b\[[\d;]*m/)
  assert.equal(repl.screen.isStyled(), false)
})

test('escape sequences of a model do nothing', async () => {
  await using repl = await start(async function* () {
    yield { type: 'text-delta', text: 'safe \u001b' }
    yield { type: 'text-delta', text: '[2J\u001b]0;owned\u0007text' }
    yield { type: 'notice', level: 'info', code: 'x', message: 'notice\u001b[1A!' }
  })
  repl.send('hello')
  await repl.screen.waitFor('4.2s')
  assert.match(repl.screen.text(), /safe text[^]*notice!/)
  assert.doesNotMatch(repl.terminal.written, /owned|\[2J/)
})

test('an answer that broke off is taken back before it begins again', async () => {
  await using repl = await start(async function* () {
    yield { type: 'text-delta', text: 'first try' }
    yield { type: 'answer-reset' }
    yield { type: 'text-delta', text: 'second try' }
  })
  repl.send('hello')
  const seen = await repl.screen.waitFor('4.2s')
  assert.match(seen, /second try/)
  assert.doesNotMatch(seen, /first try/)
})

test('reasoning is shown where it is wanted', async () => {
  const script: Script = async function* () {
    yield { type: 'reasoning-delta', text: 'Let me think' }
    yield { type: 'reasoning-delta', text: ' about it.' }
    yield { type: 'text-delta', text: 'Answer.' }
  }
  await using shown = await start(script, { settings: { display: { show_reasoning: true } } })
  shown.send('hello')
  await shown.screen.waitFor(/Let me think about it\.\n\nAnswer\.[^]*4\.2s/)
  await using hidden = await start(script)
  hidden.send('hello')
  assert.doesNotMatch(await hidden.screen.waitFor('4.2s'), /think about/)
})

test('a failed turn says why', async () => {
  await using repl = await start(() => says(''), {
    async *runTurn() {
      yield { type: 'turn-start', seq: 1, sessionId: 'session-1', model: 'm', provider: 'p' }
      const failure = { code: 'auth', message: 'The key was refused. Set OPENAI_API_KEY.' }
      yield {
        type: 'turn-end',
        seq: 2,
        status: 'failed',
        text: '',
        failure,
        usage: noUsage,
        modelCalls: 1,
        durationMs: 10,
      }
    },
  })
  repl.send('hello')
  await repl.screen.waitFor('The key was refused. Set OPENAI_API_KEY.')
})

test('leaving says how to go on, ends the session and gives the terminal back', async () => {
  await using repl = await start(() => says('hi'))
  repl.send('hello')
  await repl.screen.waitFor('4.2s')
  repl.send('/quit')
  assert.equal(await repl.ended, 0)
  assert.match(await repl.screen.waitFor('hermes --resume'), /Go on with this session: hermes --resume session-1$/)
  assert.equal(repl.terminal.isTaken, false)
})

test('a session without messages is not spoken of', async () => {
  await using repl = await start(() => says('hi'))
  repl.send('/quit')
  assert.equal(await repl.ended, 0)
  assert.doesNotMatch(repl.screen.text(), /--resume/)
})

test('a signal to stop gives the terminal back', async () => {
  await using repl = await start(async function* ({ stopped }) {
    yield { type: 'text-delta', text: 'working' }
    await stopped
  })
  repl.send('hello')
  await repl.screen.waitFor('working')
  repl.stop.abort()
  assert.equal(await repl.ended, 130)
  assert.equal(repl.terminal.isTaken, false)
})

test('an agent that cannot be opened ends the program with its reason and gives the terminal back', async () => {
  const opening = Promise.withResolvers<void>()
  const reason = new Error('config.yaml is broken')
  await using repl = await start(() => says('hi'), {
    async openAgent() {
      await opening.promise
      throw reason
    },
  })
  opening.resolve()
  await assert.rejects(repl.ended, reason)
  assert.equal(repl.terminal.isTaken, false)
})

test('a resumed session is shown as it was', async () => {
  const home = await temporaryHome()
  await writeFile(home.path('.hermes_history'), '')
  const agent = await fakeAgent(home.dir)
  await agent.sessions.create({ id: 'old-1', source: 'cli' })
  await agent.sessions.append('old-1', { role: 'user', content: 'list the files' })
  const call = { id: 'c1', name: 'terminal', arguments: '{"command":"ls -l"}' }
  await agent.sessions.append('old-1', { role: 'assistant', content: 'Looking.', toolCalls: [call] })
  await agent.sessions.append('old-1', {
    role: 'tool',
    toolCallId: 'c1',
    toolName: 'terminal',
    content: '{"output":""}',
  })
  await agent.sessions.append('old-1', { role: 'assistant', content: 'It is **empty**.', toolCalls: [] })
  await using repl = await start(() => says('hi'), {
    openAgent: async () => agent,
    openSession: async () => ({ ref: { id: 'old-1', source: 'cli' }, isResumed: true }),
  })
  const seen = await repl.screen.waitFor('Resumed old-1: 1 messages of yours, 4 in all.')
  assert.match(seen, /❯ list the files\n\nLooking\.\n\n┊ terminal {2}ls -l {2}·\n\nIt is empty\./)
  await home[Symbol.asyncDispose]()
})

test('the first message of the command line is sent at once', async () => {
  await using repl = await start(({ request }) => says(`<${request.message.text}>`), {
    firstMessage: { text: 'from the flags' },
  })
  await repl.screen.waitFor('<from the flags>')
})
