import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MemoryProviderError } from './memory-provider-error.ts'
import type { MemoryProvider, MemoryProviderKind, MemoryProviderStart } from './memory-provider.ts'

/** What the service that a provider asks does wrong from now on; every request meets it. */
export type ServiceFault =
  /** It says no: the key is wrong (401), too many requests (429), it is broken (500). */
  | { readonly type: 'status'; readonly status: 401 | 429 | 500 }
  /** It takes the request and never answers. */
  | { readonly type: 'hang' }
  /** It answers 200 with what is no JSON. */
  | { readonly type: 'garbage' }
  /** It breaks the connection. */
  | { readonly type: 'drop' }

/** A provider that can be used, with the stand-in of the service that it asks. Disposed of by who made it. */
export interface MemoryBed {
  readonly start: MemoryProviderStart
  /** Absent where the provider asks nobody: its data is on this machine. */
  readonly misbehave?: (fault: ServiceFault) => void
}

export interface MemoryProviderContract {
  readonly kind: MemoryProviderKind
  /** A new bed for each test; what it opens is closed by `t.after`. */
  readonly bed: (t: TestContext) => Promise<MemoryBed>
  /** Keys that must not be in any error. */
  readonly secrets?: readonly string[]
  /** A start at which a required setting is missing; absent where nothing is needed. */
  readonly unconfigured?: (t: TestContext) => Promise<MemoryProviderStart>
  /** Arguments with which each tool answers without an error, by its name. Tools without some are not called. */
  readonly goodCalls?: Readonly<Record<string, unknown>>
}

/** Longest that anything may take against a stand-in on this machine, ms. */
const limitMs = 30_000

/** After an abort, no later than this, ms. */
const abortLimitMs = 15_000

const turn = { sessionId: 's1', user: 'My cat is called Mira.', assistant: 'A fine name for a cat.' }

const conversation = [
  { role: 'user', content: turn.user },
  { role: 'assistant', content: turn.assistant, toolCalls: [] },
] as const

/** What every memory provider does. */
export function memoryProviderContract(name: string, contract: MemoryProviderContract): void {
  const { kind, bed, unconfigured, secrets = [], goodCalls = {} } = contract

  const opened = async (t: TestContext) => {
    const made = await bed(t)
    const provider = await kind.open(made.start)
    t.after(() => provider.close?.(AbortSignal.timeout(limitMs)).catch(() => undefined))
    return { ...made, provider }
  }

  test(`${name}: says what it is and what it asks of people`, () => {
    assert.match(kind.name, /^[a-z][a-z0-9-]*$/)
    assert.ok(kind.summary.length > 10 && kind.summary.length <= 120 && !kind.summary.includes('\n'))
    const keys = kind.fields.map(({ key }) => key)
    assert.equal(new Set(keys).size, keys.length)
    for (const field of kind.fields) {
      assert.ok(field.description.length > 0, field.key)
      if (field.isSecret) assert.match(field.variable ?? '', /^[A-Z][A-Z0-9_]*$/, `${field.key} is kept in .env`)
      if (field.choices && field.default !== undefined) assert.ok(field.choices.includes(field.default), field.key)
    }
    const keepsOwn = kind.fields.some(({ variable }) => variable === undefined)
    if (keepsOwn)
      assert.ok(kind.configPath !== undefined || 'saveSettings' in kind, 'answers without a variable need a file')
  })

  test(`${name}: is available when it is set up`, async (t) => {
    const { start } = await bed(t)
    assert.equal(await kind.available(start), true)
  })

  if (unconfigured) {
    test(`${name}: says what is missing when it is not set up`, async (t) => {
      const missing = await kind.available(await unconfigured(t))
      assert.ok(typeof missing === 'string' && missing.length > 10, String(missing))
    })
  }

  test(`${name}: has tools that a model can be given`, async (t) => {
    const { provider } = await opened(t)
    assert.equal(provider.name, kind.name)
    const names = provider.tools.map((tool) => tool.name)
    assert.equal(new Set(names).size, names.length)
    for (const tool of provider.tools) {
      assert.match(tool.name, /^[a-z][a-z0-9_]{0,63}$/)
      assert.ok(tool.description.length > 10, tool.name)
      assert.equal(tool.parameters['type'], 'object', tool.name)
      assert.doesNotThrow(() => JSON.stringify(tool.parameters))
    }
    for (const called of Object.keys(goodCalls)) assert.ok(names.includes(called), called)
  })

  test(`${name}: its part of the prompt is the same all session and short`, async (t) => {
    const { provider } = await opened(t)
    const block = provider.promptBlock?.() ?? ''
    assert.ok(block.length <= 4_000)
    await provider.keepTurn?.(turn, AbortSignal.timeout(limitMs))
    assert.equal(provider.promptBlock?.() ?? '', block)
  })

  test(`${name}: answers good calls with one JSON object without an error`, async (t) => {
    const { provider } = await opened(t)
    for (const [called, args] of Object.entries(goodCalls)) {
      const answer = await toolOf(provider, called).run(args, AbortSignal.timeout(limitMs))
      assert.equal(objectIn(answer)['error'], undefined, `${called}: ${answer}`)
    }
  })

  test(`${name}: says what is wrong with bad arguments`, async (t) => {
    const { provider } = await opened(t)
    for (const tool of provider.tools) {
      // Of no tool's form; an empty object may be all that a tool needs.
      for (const args of ['nonsense', 7, null, ['x']]) await failsWell(tool.run(args, AbortSignal.timeout(limitMs)))
    }
  })

  test(`${name}: keeps a turn, a note, a delegation and a session, recalls, and closes`, async (t) => {
    const { provider } = await opened(t)
    const signal = AbortSignal.timeout(limitMs)
    await provider.keepTurn?.(turn, signal)
    await provider.keepNote?.({ action: 'add', target: 'user', content: 'Has a cat named Mira.' }, signal)
    await provider.keepNote?.({ action: 'replace', target: 'memory', content: 'Tests run with npm test.' }, signal)
    await provider.keepDelegation?.({ task: 'count', result: '7 files', childSessionId: 's2' }, signal)
    assert.equal(typeof ((await provider.recall?.('What is my cat called?', signal)) ?? ''), 'string')
    assert.equal(typeof ((await provider.recall?.('', signal)) ?? ''), 'string')
    assert.equal(typeof ((await provider.beforeCompression?.(conversation, signal)) ?? ''), 'string')
    await provider.keepSession?.(conversation, signal)
    await provider.keepSession?.([], signal)
    await provider.close?.(signal)
    await provider.close?.(signal)
  })

  test(`${name}: an aborted signal ends a call at once, with its reason`, async (t) => {
    const { provider } = await opened(t)
    if (!provider.recall) return
    const reason = new DOMException('Cancelled.', 'AbortError')
    await assert.rejects(within(provider.recall('cat', AbortSignal.abort(reason)), abortLimitMs), reason)
  })

  test(`${name}: a service that hangs is left when the signal aborts`, async (t) => {
    const { provider, misbehave } = await opened(t)
    if (!misbehave) return t.skip('asks no service')
    misbehave({ type: 'hang' })
    const reason = new DOMException('Took too long.', 'TimeoutError')
    for (const call of callsOf(provider, goodCalls)) {
      const abort = new AbortController()
      const running = call(abort.signal)
      setImmediate(() => abort.abort(reason))
      await within(
        running.then(
          () => undefined,
          (error: unknown) => assert.ok(error === reason || error instanceof MemoryProviderError, String(error)),
        ),
        abortLimitMs,
      )
    }
    await within(
      (provider.close?.(AbortSignal.timeout(100)) ?? Promise.resolve()).catch(() => undefined),
      abortLimitMs,
    )
  })

  const faults: readonly (readonly [what: string, fault: ServiceFault])[] = [
    ['401', { type: 'status', status: 401 }],
    ['429', { type: 'status', status: 429 }],
    ['500', { type: 'status', status: 500 }],
    ['what is no JSON', { type: 'garbage' }],
    ['a broken connection', { type: 'drop' }],
  ]
  for (const [what, fault] of faults) {
    test(`${name}: a service that answers ${what} is a typed failure that shows no key`, async (t) => {
      const { provider, misbehave } = await opened(t)
      if (!misbehave) return t.skip('asks no service')
      misbehave(fault)
      for (const call of callsOf(provider, goodCalls)) {
        // Providers may queue or bound what they send: a call that resolves is no fault, an untyped failure is one.
        const failure = await within(
          call(AbortSignal.timeout(limitMs)).then(
            (answer) => (typeof answer === 'string' ? answer : ''),
            (error: unknown) => {
              assert.ok(error instanceof MemoryProviderError, `${String(error)} is no MemoryProviderError`)
              if (fault.type === 'status' && fault.status === 401) assert.equal(error.code, 'refused')
              return `${error.message} ${JSON.stringify(error)}`
            },
          ),
          limitMs + abortLimitMs,
        )
        for (const secret of secrets) assert.ok(!failure.includes(secret), failure)
      }
      if (provider.recall) {
        await assert.rejects(
          provider.recall('What is my cat called?', AbortSignal.timeout(limitMs)),
          MemoryProviderError,
          'recall tells that the service failed',
        )
      }
    })
  }

  test(`${name}: hermes memory status tells whether the service answers`, async (t) => {
    const { start, misbehave } = await bed(t)
    if (!kind.check) return t.skip('has nothing to ask')
    assert.ok((await kind.check(start, AbortSignal.timeout(limitMs))).length > 0)
    if (!misbehave) return
    misbehave({ type: 'status', status: 401 })
    await assert.rejects(kind.check(start, AbortSignal.timeout(limitMs)), MemoryProviderError)
  })
}

/** Everything of a provider that may ask its service. */
function callsOf(
  provider: MemoryProvider,
  goodCalls: Readonly<Record<string, unknown>>,
): readonly ((signal: AbortSignal) => Promise<unknown>)[] {
  const given = async (value: Promise<unknown> | undefined) => value
  return [
    (signal) => given(provider.recall?.('What is my cat called?', signal)),
    (signal) => given(provider.keepTurn?.(turn, signal)),
    (signal) => given(provider.keepNote?.({ action: 'add', target: 'user', content: 'Has a cat.' }, signal)),
    (signal) => given(provider.keepSession?.(conversation, signal)),
    (signal) => given(provider.beforeCompression?.(conversation, signal)),
    ...Object.entries(goodCalls).map(
      ([called, args]) =>
        (signal: AbortSignal) =>
          toolOf(provider, called).run(args, signal),
    ),
  ]
}

function toolOf(provider: MemoryProvider, name: string): MemoryProvider['tools'][number] {
  const tool = provider.tools.find((each) => each.name === name)
  assert.ok(tool, name)
  return tool
}

/** A bad call is answered with an object that has `error`, or throws a `MemoryProviderError`. */
async function failsWell(running: Promise<string>): Promise<void> {
  let answer: string
  try {
    answer = await running
  } catch (error) {
    assert.ok(error instanceof MemoryProviderError, String(error))
    return
  }
  const { error } = objectIn(answer)
  assert.ok(typeof error === 'string' && error.length > 0, answer)
}

function objectIn(answer: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(answer)
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), answer)
  return { ...value }
}

/** Fails where something takes longer than it may. */
async function within<Value>(running: Promise<Value>, ms: number): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`took longer than ${ms} ms`)), ms)
  try {
    return await Promise.race([running, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
