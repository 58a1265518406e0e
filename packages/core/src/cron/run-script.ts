import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, extname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { AgentContext } from '../agent/context.ts'
import { childEnvironment } from '../terminals/child-environment.ts'
import { createTail } from '../terminals/output-buffer.ts'
import { killGraceMs, signalGroup } from '../terminals/process-groups.ts'
import { settlesWithin } from '../terminals/settles-within.ts'
import { scriptPath } from './script-path.ts'

/** What a job's script came to; secrets redacted. */
export interface ScriptResult {
  readonly isOk: boolean
  readonly output: string
}

/** Characters of its output that the prompt gets. */
const maxOutputChars = 50_000

/** Programs for scripts, by the ending of their names; Python for all others. */
const interpreters: Readonly<Record<string, string>> = { '.sh': 'bash', '.bash': 'bash' }

/**
 * Runs a script of the home's `scripts/` in its folder, for as long as `cron.script_timeout_seconds` says. Its environment
 * is that of terminal commands. A failure is a result. When `signal` aborts, throws its reason.
 */
export async function runScript(
  script: string,
  { home, config, environment, redactor }: AgentContext,
  signal: AbortSignal,
): Promise<ScriptResult> {
  signal.throwIfAborted()
  const path = await scriptPath(script, home)
  const program = interpreters[extname(path).toLowerCase()] ?? 'python3'
  const seconds = config.cron.script_timeout_seconds
  const child = spawn(program, [path], {
    cwd: dirname(path),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: childEnvironment({ environment, passthrough: config.terminal.env_passthrough }),
  })
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const closed = new Promise((resolve) => child.once('close', resolve))
  const shown = (text: string) => redactor.redact(text.trim())
  try {
    if (!(await settlesWithin(ended, seconds * 1000, signal))) {
      return { isOk: false, output: shown(`It took longer than ${seconds} s and was stopped.\n${out()}\n${err()}`) }
    }
    const [code, killedBy] = await ended
    // What it left running would hold its output.
    await endGroup(child.pid)
    await settlesWithin(closed, killGraceMs)
    if (code === 0) return { isOk: true, output: shown(out()) }
    const how = killedBy ? `It was ended by ${killedBy}.` : `Exit code ${code}.`
    return { isOk: false, output: shown(`${how}\n${err()}\n${out()}`) }
  } catch (error) {
    signal.throwIfAborted()
    return {
      isOk: false,
      output: `${program} cannot be started: ${error instanceof Error ? error.message : String(error)}`,
    }
  } finally {
    await endGroup(child.pid)
    // Who left the group may hold them still.
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

/** Whatever the script has left running ends with it. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined || !signalGroup(pid, 'SIGTERM')) return
  for (let waited = 0; waited < killGraceMs && signalGroup(pid, 0); waited += 20) {
    await settlesWithin(new Promise(() => {}), 20)
  }
  signalGroup(pid, 'SIGKILL')
}

/** The text of a stream, its beginning and its end where it is long. */
function collect(stream: NodeJS.ReadableStream): () => string {
  const decoder = new StringDecoder('utf8')
  const half = maxOutputChars / 2
  const tail = createTail(half)
  let [head, length] = ['', 0]
  stream.on('data', (bytes: Buffer) => {
    const text = decoder.write(bytes)
    length += text.length
    const room = Math.max(0, half - head.length)
    head += text.slice(0, room)
    tail.push(text.slice(room))
  })
  return () => {
    const end = tail.read()
    return length <= maxOutputChars ? head + end : `${head}\n… [${length - maxOutputChars} characters] …\n${end}`
  }
}
