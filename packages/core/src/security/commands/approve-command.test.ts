import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DecisionRequest } from '../../agent/decision.ts'
import { nobody, unanswered } from '../../agent/decision.ts'
import { silentLogger } from '../../log/logger.ts'
import { systemClock } from '../../agent/clock.ts'
import { testTurn } from '../../tools/test-context.ts'
import type { ToolContext } from '../../tools/tool.ts'
import { createRedactor } from '../redact.ts'
import { createCommandAllowlist } from './allowlist.ts'
import { approveCommand } from './approve-command.ts'

interface Options {
  readonly choice?: 'once' | 'session' | 'always' | 'deny' | 'timeout' | 'unavailable'
  readonly mode?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly allowed?: readonly string[]
  readonly decide?: ToolContext['decide']
  readonly timeout?: number
  readonly persist?: (key: string) => Promise<void>
}

function world({
  choice = 'deny',
  mode = 'manual',
  environment = {},
  allowed = [],
  timeout = 60,
  persist,
  decide,
}: Options) {
  const asked: DecisionRequest[] = []
  const abort = new AbortController()
  const session = {
    approved: new Set<string>(),
    allowlist: createCommandAllowlist(allowed, persist),
    yolo: false,
    cwd: () => '/work',
  }
  const context = {
    agent: {
      config: { approvals: { mode, timeout, trust_containers: false }, terminal: { backend: 'local' } },
      clock: systemClock(''),
      environment: { HOME: '/home/ann', ...environment },
      home: { dir: '/home/ann/.hermes', path: (...parts: string[]) => ['/home/ann/.hermes', ...parts].join('/') },
      redactor: createRedactor({ enabled: true, known: ['very-secret-value'] }),
      log: silentLogger,
    },
    session,
    turn: testTurn('test'),
    decide:
      decide ??
      (async (request: DecisionRequest) => {
        asked.push(request)
        return { kind: 'approval', choice } as const
      }),
    signal: abort.signal,
    // Approval uses no other part of it.
  } as unknown as ToolContext
  return {
    asked,
    abort,
    session,
    approve: (command: string) => approveCommand({ command, background: false }, context),
  }
}

test('a harmless command is not asked about', async () => {
  const { asked, approve } = world({})
  assert.deepEqual(await approve('ls -la && git status'), { allowed: true })
  assert.deepEqual(asked, [])
})

test('a dangerous command is asked about, with its reasons and without secrets', async () => {
  const { asked, approve } = world({ choice: 'once' })
  const consent = await approve('rm -rf x; echo very-secret-value; chmod 777 y')
  assert.equal(consent.allowed, true)
  assert.match(consent.allowed ? (consent.note ?? '') : '', /approved.*recursive delete, world\/other-writable/)
  const [question] = asked
  assert.ok(question?.kind === 'approval')
  assert.deepEqual(question.keys, ['recursive delete', 'world/other-writable permissions'])
  assert.equal(question.reason, 'recursive delete, world/other-writable permissions')
  assert.deepEqual(question.choices, ['once', 'session', 'always', 'deny'])
  assert.ok(!question.subject.includes('very-secret-value') && question.subject.startsWith('rm -rf x; echo '))
})

test('once holds once, session for the session, always for every session and is stored', async () => {
  const once = world({ choice: 'once' })
  await once.approve('rm -rf x')
  await once.approve('rm -rf x')
  assert.equal(once.asked.length, 2)

  const session = world({ choice: 'session' })
  await session.approve('rm -rf x')
  assert.deepEqual(await session.approve('rm -r other'), { allowed: true })
  assert.equal((await session.approve('git reset --hard')).allowed, true)
  assert.deepEqual(
    session.asked.map((question) => question.kind === 'approval' && question.keys),
    [['recursive delete'], ['git reset --hard']],
  )

  const stored: string[] = []
  const always = world({ choice: 'always', persist: async (key) => void stored.push(key) })
  await always.approve('rm -rf x')
  assert.deepEqual(await always.approve('rm -rf y'), { allowed: true })
  assert.deepEqual(stored, ['recursive delete'])
  assert.equal(always.session.approved.size, 0)
})

test('what was allowed for good before is not asked about; anything else with it is', async () => {
  const { asked, approve } = world({ allowed: ['recursive delete'] })
  assert.deepEqual(await approve('rm -rf x'), { allowed: true })
  await approve('rm -rf x && git push --force')
  assert.deepEqual(
    asked.map((question) => question.kind === 'approval' && question.keys),
    [['git force push']],
  )
})

for (const [choice, said] of [
  ['deny', /the user denied/],
  ['timeout', /nobody answered within 60 seconds/],
  ['unavailable', /nobody can be asked here/],
] as const) {
  test(`${choice} blocks, and tells the model not to try again`, async () => {
    const consent = await world({ choice }).approve('rm -rf x')
    assert.equal(consent.allowed, false)
    assert.match(consent.allowed ? '' : consent.message, said)
    assert.match(consent.allowed ? '' : consent.message, /Do not run it again/)
  })
}

test('where nobody can be asked, nothing dangerous runs', async () => {
  assert.equal((await world({ decide: nobody }).approve('rm -rf x')).allowed, false)
  assert.equal(
    (await world({ decide: async (request) => unanswered(request, 'timeout') }).approve('rm -rf x')).allowed,
    false,
  )
})

test('a face that never answers is a denial after the time limit, even if it ignores its signal', async () => {
  let ended = false
  const decide: ToolContext['decide'] = (_, signal) => {
    signal.addEventListener('abort', () => (ended = true))
    return new Promise(() => {})
  }
  const consent = await world({ decide, timeout: 0.01 }).approve('rm -rf x')
  assert.match(consent.allowed ? '' : consent.message, /nobody answered/)
  assert.equal(ended, true)
})

test('a turn that is cancelled while it asks passes its reason on', async () => {
  const { abort, approve } = world({ decide: () => new Promise(() => {}) })
  const approving = approve('rm -rf x')
  abort.abort(new Error('stop'))
  await assert.rejects(approving, { message: 'stop' })
})

test('yolo, the mode off and HERMES_YOLO_MODE ask nobody', async () => {
  for (const options of [{ mode: 'off' }, { environment: { HERMES_YOLO_MODE: '1' } }]) {
    const { asked, approve } = world(options)
    assert.deepEqual(await approve('rm -rf /'), { allowed: true })
    assert.deepEqual(asked, [])
  }
  const { session, approve } = world({})
  session.yolo = true
  assert.deepEqual(await approve('rm -rf /'), { allowed: true })
  assert.equal((await world({ environment: { HERMES_YOLO_MODE: '0' } }).approve('rm -rf /')).allowed, false)
})

test('what cannot be judged can be allowed, but not for good', async () => {
  const { asked, session, approve } = world({ choice: 'always' })
  const consent = await approve('$COMMAND --now')
  assert.ok(asked[0]?.kind === 'approval' && !asked[0].choices.includes('always'))
  // An answer that was not offered is none.
  assert.equal(consent.allowed, false)
  assert.equal(session.approved.size, 0)
})

test('an approval that cannot be stored holds for now, and says so', async () => {
  const { asked, approve } = world({ choice: 'always', persist: () => Promise.reject(new Error('read-only')) })
  const consent = await approve('rm -rf x')
  assert.match(consent.allowed ? (consent.note ?? '') : '', /could not be stored/)
  assert.deepEqual(await approve('rm -rf y'), { allowed: true })
  assert.equal(asked.length, 1)
})
