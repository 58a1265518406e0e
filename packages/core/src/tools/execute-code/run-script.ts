import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOutputBuffer } from '../../terminals/output-buffer.ts'
import { makeOwnFolder } from '../../terminals/own-folder.ts'
import { killGraceMs } from '../../terminals/process-groups.ts'
import { endGroup } from '../../terminals/run-in-group.ts'
import { settlesWithin } from '../../terminals/settles-within.ts'
import { createTextCleaner } from '../../terminals/text-cleaner.ts'
import type { ToolContext } from '../tool.ts'
import { nodeGuard, pythonGuard } from './guard.ts'
import { javascriptModule } from './javascript-module.ts'
import { killMarked } from './marked-processes.ts'
import { pythonModule } from './python-module.ts'
import { startRpcServer } from './rpc-server.ts'
import { createScriptCalls } from './script-calls.ts'
import type { ScriptLanguage } from './script-dangers.ts'
import { scriptEnvironment } from './script-environment.ts'
import type { ScriptTool } from './script-tools.ts'
import { noWall, wallModule } from './wall.ts'

/** Most characters that are kept of what a script prints, and of its errors. */
const maxOutputChars = 50_000
const maxErrorChars = 10_000

export interface Script {
  readonly code: string
  readonly language: ScriptLanguage
  readonly tools: readonly ScriptTool[]
  /** Whether it runs where it can do nothing but compute, print and call tools. */
  readonly isGuarded: boolean
}

export interface ScriptRun {
  /** `no-wall`: nothing of it has run, since this machine cannot hold it as `isGuarded` wants. */
  readonly status: 'success' | 'error' | 'timeout' | 'no-wall'
  readonly stdout: string
  readonly stderr: string
  readonly toolCalls: number
  readonly durationMs: number
  readonly error?: string
}

/**
 * Runs a script in a folder of its own, which is gone afterwards, in the session's directory, and answers its tool calls.
 * It is killed at the time limit and when `context.signal` aborts, whose reason is then thrown. What it started goes with
 * it: its process group and, on Linux, whatever else still has the environment that the script got.
 */
export async function runScript(script: Script, context: ToolContext): Promise<ScriptRun> {
  const { agent, signal } = context
  const { timeout, max_tool_calls: mostCalls } = agent.config.code_execution
  const startedAt = performance.now()
  const folder = await makeOwnFolder('script')
  const over = new AbortController()
  const ending = AbortSignal.any([signal, over.signal, AbortSignal.timeout(timeout * 1000)])
  const calls = createScriptCalls(script.tools, mostCalls, context, ending)
  try {
    await using server = await startRpcServer(join(folder, 'rpc.sock'), calls)
    const command = await prepare(script, folder)
    const env = {
      ...scriptEnvironment(agent.environment, agent.config.terminal.env_passthrough),
      HERMES_RPC_SOCKET: server.path,
      HERMES_RPC_TOKEN: server.token,
      PYTHONUNBUFFERED: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONIOENCODING: 'utf-8',
    }
    const ended = await runToEnd(command, { cwd: context.session.cwd(), env, signal: ending })
    // Behind the wall it could start nothing.
    if (!script.isGuarded) await killMarked(`HERMES_RPC_TOKEN=${server.token}`)
    signal.throwIfAborted()
    const { exitCode, stdout, stderr, failure } = ended
    const common = { stdout, stderr, toolCalls: calls.count, durationMs: performance.now() - startedAt }
    if (ending.aborted) {
      return { ...common, status: 'timeout', error: `The script did not end within ${timeout} seconds and was killed.` }
    }
    if (script.isGuarded && isWithoutWall(script, ended)) return { ...common, status: 'no-wall' }
    if (failure !== undefined) return { ...common, status: 'error', error: failure }
    return exitCode === 0
      ? { ...common, status: 'success' }
      : { ...common, status: 'error', error: `The script ended with exit code ${exitCode}.` }
  } finally {
    over.abort()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Command {
  readonly program: string
  readonly args: readonly string[]
}

/** Writes the script and the module that it calls tools by. */
async function prepare({ code, language, tools, isGuarded }: Script, folder: string): Promise<Command> {
  if (isGuarded) await writeFile(join(folder, 'wall.py'), wallModule)
  if (language === 'python') {
    await writeFile(join(folder, 'hermes_tools.py'), pythonModule(tools))
    await writeFile(join(folder, 'script.py'), code)
    await writeFile(join(folder, 'run.py'), pythonGuard)
    const args = isGuarded ? [...isolated, join(folder, 'run.py')] : [join(folder, 'script.py')]
    return { program: 'python3', args }
  }
  const library = join(folder, 'node_modules', 'hermes_tools')
  await mkdir(library, { recursive: true })
  await writeFile(join(library, 'package.json'), '{"name":"hermes_tools","type":"module","main":"index.js"}')
  await writeFile(join(library, 'index.js'), javascriptModule(tools))
  await writeFile(join(folder, 'script.mjs'), code)
  if (!isGuarded) return { program: process.execPath, args: [join(folder, 'script.mjs')] }
  const command = [process.execPath, ...nodeGuard(folder), join(folder, 'script.mjs')]
  return { program: 'python3', args: [...isolated, join(folder, 'wall.py'), ...command] }
}

/** Python without modules, start-up code and settings of this user and folder. */
const isolated = ['-I', '-u', '-B', '-X', 'utf8'] as const

/** The wall was not built, or there is no Python to build it around a script of another language. */
function isWithoutWall({ language }: Script, { exitCode, stderr, failure }: Ended): boolean {
  return failure === undefined ? exitCode === 1 && stderr.startsWith(noWall) : language !== 'python'
}

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** It could not be started. */
  readonly failure?: string
}

async function runToEnd({ program, args }: Command, { cwd, env, signal }: Place): Promise<Ended> {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const stdout = collect(child.stdout, maxOutputChars)
  const stderr = collect(child.stderr, maxErrorChars)
  const end = () => endGroup(child.pid)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const { exitCode, failure } = await new Promise<{ readonly exitCode: number; readonly failure?: string }>(
    (resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        resolve({ exitCode: -1, failure: notStarted(program, error) }),
      )
      child.once('exit', (code, reason) => resolve({ exitCode: code ?? (reason ? 128 : 1) }))
    },
  )
  signal.removeEventListener('abort', end)
  // What it left behind goes too, or it would hold the pipes open.
  endGroup(child.pid)
  await settlesWithin(Promise.all([stdout.ended, stderr.ended]), killGraceMs)
  // Who left the group may hold them still: that keeps neither the answer nor this process waiting.
  child.stdout.destroy()
  child.stderr.destroy()
  return { exitCode, stdout: stdout.read(), stderr: stderr.read(), ...(failure !== undefined && { failure }) }
}

function collect(stream: NodeJS.ReadableStream, maxChars: number) {
  const buffer = createOutputBuffer(maxChars)
  const cleaner = createTextCleaner()
  const ended = new Promise<void>((resolve) => {
    stream.on('data', (bytes: Buffer) => buffer.push(cleaner.push(bytes)))
    stream.once('close', () => {
      buffer.push(cleaner.end())
      resolve()
    })
  })
  return { ended, read: () => buffer.read().text }
}

function notStarted(program: string, { code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOENT'
    ? `${program} was not found. Install it, or write the script in JavaScript (language: javascript).`
    : `${program} could not be started: ${message}`
}
