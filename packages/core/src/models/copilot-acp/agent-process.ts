import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { childEnvironment } from '../../terminals/child-environment.ts'
import { killGraceMs, signalGroup } from '../../terminals/process-groups.ts'
import { ModelError } from '../model-error.ts'
import type { AcpDialect } from './dialect.ts'
import { linesOf } from './lines.ts'

/** The program while it runs, in a process group of its own. Disposing it ends the whole group. */
export interface AgentProcess extends AsyncDisposable {
  /** What it prints, line by line; over when it has ended. */
  readonly lines: AsyncGenerator<string>
  /** Resolves when the line is on its way, or nobody is there to read it. */
  send(line: string): Promise<void>
  /** Why there are no more lines. */
  ended(): Promise<ModelError>
}

/** What it may see of our keys: its own. */
const passthrough = ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN']

/** The most of its complaints that is kept: the end. */
const mostComplaints = 2000

/** Starts the program; when `signal` aborts its group is killed. Throws `not-configured` where there is no such program. */
export async function startAgent(dialect: AcpDialect, signal: AbortSignal): Promise<AgentProcess> {
  signal.throwIfAborted()
  const { command, args, folder, environment } = dialect
  const env = childEnvironment({ environment, passthrough })
  const child = spawn(command, [...args], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw notStarted(error, dialect)
  }
  const { pid = 0 } = child
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve()
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-mostComplaints)
  })
  // Writing to a program that has gone fails; that it has gone is seen where its lines end.
  child.stdin.on('error', (error) => (complaints ||= error.message))
  let killing: NodeJS.Timeout | undefined
  const end = (): void => {
    if (killing !== undefined) return
    signalGroup(pid, 'SIGTERM')
    killing = setTimeout(() => signalGroup(pid, 'SIGKILL'), killGraceMs)
  }
  // What it leaves behind may hold its output open.
  child.once('exit', end)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  return {
    lines: linesOf(child.stdout),
    send: (line) => new Promise((resolve) => child.stdin.write(`${line}\n`, () => resolve())),
    ended: async () => {
      end()
      await exited
      const said = complaints.trim().split('\n').at(-1)?.trim()
      const how = `${command} ended before it had answered (${child.signalCode ?? `exit code ${child.exitCode}`})`
      return new ModelError('server', `${how}${said ? `: ${said.slice(0, 300)}` : '.'}`)
    },
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', end)
      child.stdin.end()
      end()
      await exited
      clearTimeout(killing)
      // What it has started and left behind.
      signalGroup(pid, 'SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
    },
  }
}

function notStarted(error: unknown, { command, folder }: AcpDialect): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (code === undefined) return error
  if (!existsSync(folder)) {
    return new ModelError('not-configured', `GitHub Copilot cannot work in ${folder}: there is no such folder.`)
  }
  const advice =
    'Install it with "npm install -g @github/copilot" and sign in by running "copilot", or set COPILOT_CLI_PATH to where it is.'
  const what = code === 'ENOENT' ? 'is not installed' : `cannot be started (${code})`
  const message = `GitHub Copilot's command line (${command}) ${what}. ${advice}`
  return new ModelError('not-configured', message, { cause: error })
}
