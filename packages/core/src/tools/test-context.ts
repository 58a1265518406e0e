import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentContext, Environment } from '../agent/context.ts'
import { nobody } from '../agent/decision.ts'
import type { Decide } from '../agent/decision.ts'
import { systemClock } from '../agent/clock.ts'
import { createCommandAllowlist } from '../security/commands/allowlist.ts'
import { silentLogger } from '../log/logger.ts'
import { openMemoryFiles } from '../memory/memory-files.ts'
import { createRedactor } from '../security/redact.ts'
import { createFileReads } from './file-reads.ts'
import type { TodoItem } from './todo-item.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'

/** What tests of tools work with: a folder of their own, and a tool's context in it. */
export interface TestContext extends AsyncDisposable {
  /** The working directory, absolute; the Hermes home is beside it. */
  readonly dir: string
  readonly context: ToolContext
  path(...parts: string[]): string
  /** Checks the arguments by the tool's schema and runs it, as the agent does. */
  run<Args>(tool: Tool<Args>, args: unknown): Promise<TestResult>
}

/** A result and what its JSON says. */
export interface TestResult extends ToolResult {
  // The JSON of many tools, each with its own shape; tests look at single values of it.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export interface TestContextOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Values that the redactor knows, by the names `A`, `B` … */
  readonly secrets?: readonly string[]
  readonly environment?: Environment
  readonly decide?: Decide
  readonly tools?: ToolContext['tools']
  readonly signal?: AbortSignal
}

/** Makes a context with some files in its working directory. */
export async function testContext(options: TestContextOptions = {}): Promise<TestContext> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-tools-')))
  const [dir, homeDir] = [join(root, 'work'), join(root, 'hermes')]
  await mkdir(dir)
  await mkdir(homeDir, { mode: 0o700 })
  for (const [name, content] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), content)
  }
  const home = { dir: homeDir, path: (...parts: string[]) => join(homeDir, ...parts) }
  const agent = {
    home,
    config: {
      file_read_max_chars: 100_000,
      memory: { memory_enabled: true, user_profile_enabled: true },
      approvals: { mode: 'manual', timeout: 60, trust_containers: false },
    },
    clock: systemClock(''),
    environment: { PATH: process.env['PATH'], HOME: join(root, 'ann'), ...options.environment },
    log: silentLogger,
    redactor: createRedactor({ enabled: true, known: named(options.secrets ?? []) }),
    memory: openMemoryFiles(home, { memoryChars: 2_200, userChars: 1_375 }),
    // Tools use no other part of it here.
  } as unknown as AgentContext
  const todos: readonly TodoItem[] = []
  const session = {
    sessionId: 'test',
    cwd: () => dir,
    todos,
    fileReads: createFileReads(),
    approved: new Set<string>(),
    allowlist: createCommandAllowlist([]),
    yolo: false,
  }
  const context: ToolContext = {
    agent,
    // As above.
    session: session as unknown as ToolContext['session'],
    callId: 'call_test',
    turn: testTurn('test'),
    call: () => Promise.reject(new Error('this test calls no other tool')),
    tools: options.tools ?? new Map(),
    decide: options.decide ?? nobody,
    progress: () => {},
    signal: options.signal ?? new AbortController().signal,
  }
  return {
    dir,
    context,
    path: (...parts) => join(dir, ...parts),
    async run(tool, args) {
      const result = await tool.run(tool.input.parse(args), context)
      return { ...result, json: JSON.parse(result.content) }
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

/** A turn of which tests' tools use nothing but its request. */
export function testTurn(sessionId: string): ToolContext['turn'] {
  const request = {
    session: { id: sessionId, source: 'cli' },
    message: { text: 'test' },
    face: { name: 'cli', decide: nobody },
  }
  // As above.
  return { request, model: {} as ToolContext['turn']['model'] }
}

function named(values: readonly string[]) {
  return values.map((value, index) => ({ name: String.fromCodePoint(65 + index), value }))
}
