import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing'
import { fakeAgent, scriptedTurns } from '../fake-agent.ts'
import type { ReplOptions } from '../repl-options.ts'
import { startRepl } from '../repl.ts'

// The line editor of Node looks itself whether the terminal is a dumb one.
process.env['TERM'] = 'dumb'

interface Options extends Partial<Omit<ReplOptions, 'cli' | 'home'>> {
  readonly stdinIsTTY?: boolean
  readonly stdoutIsTTY?: boolean
  readonly settings?: Readonly<Record<string, unknown>>
}

/** Starts the REPL on streams that are no terminal that can be drawn on. */
async function start(script: Parameters<typeof scriptedTurns>[0], options: Options = {}) {
  const { stdinIsTTY = false, stdoutIsTTY = false } = options
  const home = await temporaryHome()
  const stdin = Object.assign(new PassThrough(), { isTTY: stdinIsTTY, ...(stdinIsTTY && { setRawMode() {} }) })
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: stdoutIsTTY })
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: false })
  const written = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const [name, stream] of Object.entries({ stdout, stderr })) {
    stream.on('data', (text: string) => {
      written[name as keyof typeof written] += text
      for (const watch of watchers) watch()
    })
  }
  const agent = await fakeAgent(home.dir, options.settings)
  const stop = new AbortController()
  const ended = startRepl({
    cli: { environment: { TERM: 'dumb', HOME: home.dir }, cwd: home.dir, stdin, stdout, stderr, signal: stop.signal },
    home: openHome({ HERMES_HOME: home.dir }),
    version: '1.2.3',
    cwd: home.dir,
    openAgent: async () => agent,
    openSession: async () => ({ ref: { id: 'session-1', source: 'cli' }, isResumed: false }),
    runTurn: scriptedTurns(script),
    turn: {},
    yolo: false,
    ...options,
  })
  return {
    stdin,
    written,
    ended,
    stop,
    async waitFor(stream: 'stdout' | 'stderr', wanted: RegExp) {
      await new Promise<void>((resolve) => {
        const watch = () => wanted.test(written[stream]) && (watchers.delete(watch), resolve())
        watchers.add(watch)
        watch()
      })
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ended.catch(() => undefined)
      await home[Symbol.asyncDispose]()
    },
  }
}

test(
  'a script’s lines are messages, one turn each, and their answers alone are on standard output',
  { timeout: 120_000 },
  async () => {
    await using repl = await start(async function* ({ request }) {
      yield { type: 'tool-start', callId: 'a', name: 'terminal', args: {}, preview: 'npm test' }
      yield { type: 'tool-end', callId: 'a', name: 'terminal', status: 'ok', durationMs: 1234, content: '{}' }
      yield { type: 'notice', level: 'info', code: 'x', message: 'take note' }
      yield { type: 'text-delta', text: `Answer to ${request.message.text}` }
    })
    repl.stdin.end('one\n\nsecond \\\nhalf\n')
    assert.equal(await repl.ended, 0)
    assert.equal(repl.written.stdout, 'Answer to one\nAnswer to second \nhalf\n')
    assert.match(repl.written.stderr, /terminal {2}npm test {2}✓ 1\.2s\ntake note\n/)
  },
)

test('a void beginning of an answer does not reach a program', { timeout: 120_000 }, async () => {
  await using repl = await start(async function* () {
    yield { type: 'text-delta', text: 'first try' }
    yield { type: 'answer-reset' }
    yield { type: 'answer-end', text: 'second \u001b[31mtry', toolCalls: 0 }
  })
  repl.stdin.end('hello\n')
  await repl.ended
  assert.equal(repl.written.stdout, 'second try\nfirst try\n')
})

test('commands work in a script; what they say of themselves is on standard error', { timeout: 120_000 }, async () => {
  await using repl = await start(async function* () {
    yield { type: 'text-delta', text: 'hi' }
  })
  repl.stdin.end('hello\n/title Greeting\n/title\n/nonsense\n/quit\nnever sent\n')
  assert.equal(await repl.ended, 0)
  assert.equal(repl.written.stdout, 'hi\nTitle: Greeting\nTitle: Greeting\n')
  assert.match(repl.written.stderr, /There is no command \/nonsense/)
})

test('nobody is asked in a script', { timeout: 120_000 }, async () => {
  await using repl = await start(async function* ({ request, signal }) {
    const question = {
      kind: 'approval',
      id: '1',
      subject: 'rm',
      reason: 'x',
      keys: [],
      choices: ['once', 'deny'],
    } as const
    yield { type: 'text-delta', text: JSON.stringify(await request.face.decide(question, signal)) }
  })
  repl.stdin.end('delete\nonce\n')
  await repl.ended
  assert.match(repl.written.stdout, /^\{"kind":"approval","choice":"unavailable"\}\n/)
})

test('a failed turn is the exit code of a script', { timeout: 120_000 }, async () => {
  await using repl = await start(async function* () {}, {
    async *runTurn() {
      const failure = { code: 'auth', message: 'The key was refused.' }
      const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
      yield { type: 'turn-end', seq: 1, status: 'failed', text: '', failure, usage, modelCalls: 1, durationMs: 1 }
    },
  })
  repl.stdin.end('hello\n')
  assert.equal(await repl.ended, 1)
  assert.equal(repl.written.stdout, '')
  assert.match(repl.written.stderr, /The key was refused\./)
})

test('at a dumb terminal answers appear as they come, without any escape sequence', { timeout: 120_000 }, async () => {
  const more = Promise.withResolvers<void>()
  await using repl = await start(
    async function* () {
      yield { type: 'text-delta', text: 'be\u001b[31mgin' }
      await more.promise
      yield { type: 'text-delta', text: ' end' }
    },
    { stdinIsTTY: true, stdoutIsTTY: true },
  )
  await repl.waitFor('stdout', /> $/)
  repl.stdin.write('hello\r')
  await repl.waitFor('stdout', /begin$/)
  more.resolve()
  await repl.waitFor('stdout', /begin end\n> $/)
  repl.stdin.write('/quit\r')
  assert.equal(await repl.ended, 0)
  assert.equal(repl.written.stdout.includes('\u001b'), false)
  assert.match(repl.written.stderr, /Go on with this session: hermes --resume session-1/)
})

test('the end of the input leaves the prompt on a line of its own', { timeout: 120_000 }, async () => {
  await using repl = await start(
    async function* () {
      yield { type: 'text-delta', text: 'well' }
    },
    { stdinIsTTY: true, stdoutIsTTY: true },
  )
  await repl.waitFor('stdout', /> $/)
  repl.stdin.write('hello\r')
  await repl.waitFor('stdout', /well\n> $/)
  repl.stdin.write('\u0004')
  assert.equal(await repl.ended, 0)
  assert.match(repl.written.stderr, /\nGo on with this session: hermes --resume session-1\n$/)
})

test('at a dumb terminal consent is asked for on a line, and Ctrl-C stops the turn', { timeout: 120_000 }, async () => {
  await using repl = await start(
    async function* ({ request, signal, stopped }) {
      if (request.message.text === 'wait') {
        yield { type: 'text-delta', text: 'waiting' }
        await stopped
        return
      }
      const question = {
        kind: 'approval',
        id: '1',
        subject: 'rm -rf x',
        reason: 'recursive delete',
        keys: [],
        choices: ['once', 'deny'],
      } as const
      const answer = await request.face.decide(question, signal)
      yield { type: 'decision-result', id: '1', answer }
    },
    { stdinIsTTY: true, stdoutIsTTY: true },
  )
  await repl.waitFor('stdout', /> $/)
  repl.stdin.write('delete\r')
  await repl.waitFor('stderr', /Allow this\? recursive delete\n {4}rm -rf x\n\[o\]nce, \[d\]eny \(deny\): $/)
  repl.stdin.write('o\r')
  await repl.waitFor('stderr', /Allowed once\./)
  await repl.waitFor('stdout', /> $/)
  repl.stdin.write('wait\r')
  await repl.waitFor('stdout', /waiting$/)
  repl.stdin.write('\u0003')
  await repl.waitFor('stderr', /Interrupted\./)
  repl.stdin.write('\u0003')
  assert.equal(await repl.ended, 0)
})

test('a secret typed at a dumb terminal is not echoed', { timeout: 120_000 }, async () => {
  const taken: unknown[] = []
  await using repl = await start(
    async function* ({ request, signal }) {
      taken.push(await request.face.decide({ kind: 'secret', id: '1', prompt: 'Password' }, signal))
      yield { type: 'text-delta', text: 'thanks' }
    },
    { stdinIsTTY: true, stdoutIsTTY: true },
  )
  await repl.waitFor('stdout', /> $/)
  repl.stdin.write('sudo\r')
  await repl.waitFor('stderr', /Password \(not shown\): $/)
  repl.stdin.write('hunter2\r')
  await repl.waitFor('stdout', /thanks\n> $/)
  assert.deepEqual(taken, [{ kind: 'secret', value: 'hunter2', outcome: 'answered' }])
  assert.doesNotMatch(repl.written.stdout + repl.written.stderr, /hunter/)
})
