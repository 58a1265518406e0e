import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nobody, type Decide } from '../agent/decision.ts'
import { createSessionScopes } from '../agent/session-scopes.ts'
import { systemClock } from '../agent/clock.ts'
import type { AgentContext, Environment } from '../agent/context.ts'
import { configSchema } from '../config/schema.ts'
import { silentLogger } from '../log/logger.ts'
import { createRedactor } from '../security/redact.ts'
import { testTurn } from './test-context.ts'
import type { TestResult } from './test-context.ts'
import type { Tool, ToolContext } from './tool.ts'

export interface TestSessionOptions {
  /** What `config.yaml` would say. */
  readonly settings?: object
  readonly environment?: Environment
  readonly decide?: Decide
  readonly signal?: AbortSignal
}

/** A session with a real terminal in a folder of its own, for tests of the tools that use it. */
export interface TestSession extends AsyncDisposable {
  readonly dir: string
  readonly context: ToolContext
  /** What people saw while tools ran. */
  readonly progress: string[]
  run<Args>(tool: Tool<Args>, args: unknown): Promise<TestResult>
}

/** The redactor knows the secret `hunter2-hunter2`. */
export async function testSession(options: TestSessionOptions = {}): Promise<TestSession> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-session-')))
  const dir = join(root, 'work')
  await mkdir(dir)
  const home = { dir: join(root, 'hermes'), path: (...parts: string[]) => join(root, 'hermes', ...parts) }
  const shared = {
    home,
    config: configSchema.parse(options.settings ?? {}),
    environment: { PATH: process.env['PATH'], HOME: root, SHLVL: '1', ...options.environment },
    log: silentLogger,
    clock: systemClock('Europe/Berlin'),
    redactor: createRedactor({ enabled: true, known: [{ name: 'WORD', value: 'hunter2-hunter2' }] }),
  }
  const scopes = createSessionScopes({ ...shared, cwd: dir })
  const progress: string[] = []
  const context: ToolContext = {
    // These tools use no other part of it.
    agent: { ...shared, scopes } as unknown as AgentContext,
    session: scopes.get('test'),
    callId: 'call_test',
    turn: testTurn('test'),
    call: () => Promise.reject(new Error('this test calls no other tool')),
    tools: new Map(),
    decide: options.decide ?? nobody,
    progress: (text) => progress.push(text),
    signal: options.signal ?? new AbortController().signal,
  }
  return {
    dir,
    context,
    progress,
    async run(tool, args) {
      const result = await tool.run(tool.input.parse(args), context)
      return { ...result, json: JSON.parse(result.content) }
    },
    async [Symbol.asyncDispose]() {
      await scopes[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}
