import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentContext } from '../agent/context.ts'
import { nobody } from '../agent/decision.ts'
import type { Decide } from '../agent/decision.ts'
import { createRedactor } from '../security/redact.ts'
import { testTurn } from '../tools/test-context.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import type { SkillScope } from './skill-scope.ts'

/** A home with skills in it, and tools that work on it: for tests. */
export interface SkillTestContext extends AsyncDisposable {
  readonly dir: string
  readonly scope: SkillScope
  path(...parts: string[]): string
  read(...parts: string[]): Promise<string>
  // The JSON of tools, each with its own shape; tests look at single values of it.
  // oxlint-disable-next-line typescript/no-explicit-any
  run<Args>(tool: Tool<Args>, args: unknown): Promise<any>
}

export interface SkillTestOptions {
  /** Files under the home. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly skills?: Partial<SkillScope['config']['skills']>
  readonly environment?: Readonly<Record<string, string>>
  readonly decide?: Decide
}

export async function skillTestContext(options: SkillTestOptions = {}): Promise<SkillTestContext> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'hermes-skills-')))
  const path = (...parts: string[]) => join(dir, ...parts)
  for (const [name, content] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), content)
  }
  const scope: SkillScope = {
    home: { dir, path },
    config: {
      skills: {
        external_dirs: [],
        disabled: [],
        platform_disabled: {},
        config: {},
        creation_nudge_interval: 10,
        ...options.skills,
      },
    },
    environment: { HOME: dir, PATH: process.env['PATH'], ...options.environment },
  }
  const agent = {
    ...scope,
    clock: { now: () => Date.UTC(2026, 0, 2), timeZone: 'UTC' },
    redactor: createRedactor({ enabled: true, known: [] }),
    sessions: { get: async () => ({ source: 'cli' }) },
    // The tools of skills use no other part of it.
  } as unknown as AgentContext
  const context: ToolContext = {
    agent,
    // As above.
    session: { sessionId: 'session-1' } as unknown as ToolContext['session'],
    callId: 'call_1',
    turn: testTurn('test'),
    call: () => Promise.reject(new Error('this test calls no other tool')),
    tools: new Map(),
    decide: options.decide ?? nobody,
    progress: () => {},
    signal: new AbortController().signal,
  }
  return {
    dir,
    scope,
    path,
    read: (...parts) => readFile(path(...parts), 'utf8'),
    run: async (tool, args) => JSON.parse((await tool.run(tool.input.parse(args), context)).content),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}
