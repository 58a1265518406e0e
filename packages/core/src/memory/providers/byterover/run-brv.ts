import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { delimiter, dirname } from 'node:path'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { childEnvironment } from '../../../terminals/child-environment.ts'
import { endGroup } from '../../../terminals/run-in-group.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import { findBrv } from './find-brv.ts'

export const notInstalled =
  'The program brv is not installed. Install it with `npm install -g byterover-cli` or from https://byterover.dev.'

/** Most output that is kept, characters; what comes after it is dropped. */
const maxOutputChars = 200_000

/** How long what it printed may take to arrive after its end. */
const drainMs = 300

export interface BrvCall {
  readonly args: readonly string[]
  readonly timeoutMs: number
}

/** Runs `brv` and resolves to what it printed. Throws `MemoryProviderError`, or the reason of the signal. */
export type RunBrv = (call: BrvCall, signal: AbortSignal) => Promise<string>

/** `brv` of a profile: its tree is in the home folder, and of the secrets it gets its own key alone. */
export function createBrv({ home, environment }: Pick<MemoryProviderStart, 'home' | 'environment'>): RunBrv {
  const key = environment['BRV_API_KEY'] || undefined
  let found: string | undefined
  return async ({ args, timeoutMs }, signal) => {
    signal.throwIfAborted()
    const path = (found ??= await findBrv(environment))
    if (path === undefined) throw new MemoryProviderError('unconfigured', notInstalled)
    const cwd = home.path('byterover')
    await mkdir(cwd, { recursive: true, mode: 0o700 })
    const env = childEnvironment({ environment, passthrough: ['BRV_API_KEY'] })
    // What stands beside it is found by it: installers put its Node there.
    env['PATH'] = `${dirname(path)}${delimiter}${env['PATH'] ?? ''}`
    const timeout = AbortSignal.timeout(timeoutMs)
    const ended = await run({ path, args, cwd, env }, AbortSignal.any([signal, timeout]))
    signal.throwIfAborted()
    if (timeout.aborted) {
      throw new MemoryProviderError('unreachable', `brv ${args[0]} took longer than ${timeoutMs / 1000} s.`)
    }
    if (ended.code === 0) return ended.output.trim()
    // A program that is gone is looked for anew.
    if (ended.code === undefined) found = undefined
    const said = firstWords(ended.errors) || firstWords(ended.output) || `it ended with code ${ended.code}`
    throw new MemoryProviderError('refused', `brv ${args[0]} failed: ${key ? said.replaceAll(key, '***') : said}`)
  }
}

interface Program {
  readonly path: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

interface Ended {
  readonly output: string
  readonly errors: string
  /** Undefined where a signal ended it, or it could not be started. */
  readonly code: number | undefined
}

/** Runs a program to its end; told to stop, it ends soon. Never throws. */
function run({ path, args, cwd, env }: Program, signal: AbortSignal): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  let [output, errors] = ['', '']
  const child = spawn(path, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const keep = (text: string, more: string) =>
    text.length < maxOutputChars ? (text + more).slice(0, maxOutputChars) : text
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output = keep(output, text)))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = keep(errors, text)))
  let draining: NodeJS.Timeout | undefined
  const stop = () => {
    endGroup(child.pid)
    end(undefined)
  }
  const end = (code: number | undefined) => {
    clearTimeout(draining)
    signal.removeEventListener('abort', stop)
    child.stdout.destroy()
    child.stderr.destroy()
    resolve({ output, errors, code })
  }
  child.on('error', (error) => {
    errors = keep(errors, error.message)
    end(undefined)
  })
  // Its background service may go on and hold the pipes: their end is not waited for long.
  child.on('exit', (code) => (draining = setTimeout(() => end(code ?? undefined), drainMs)))
  child.on('close', (code) => end(code ?? undefined))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return promise
}

/** What a program says is wrong, on one line; oclif puts `›   Error:` before it. */
function firstWords(text: string): string {
  return text
    .replaceAll(/^\s*[›»]?\s*(?:Error:)?\s*/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
    .toWellFormed()
}
