import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { endGroup } from '../terminals/run-in-group.ts'
import { CheckpointError } from './checkpoint-store.ts'

/** How a shadow repository is reached. */
export interface ShadowGit {
  /** The repository, outside of the folder. */
  readonly dir: string
  /** The folder whose files it keeps. */
  readonly folder: string
  /** Where programs are looked for. */
  readonly searchPath: string | undefined
  /** Most milliseconds of one call that reads; one that writes gets twice as long. */
  readonly timeoutMs: number
}

export interface GitCall {
  readonly args: readonly string[]
  /** The index file, where it is not the repository's own. */
  readonly index?: string
  /** The folder that counts as the work tree, when another one. */
  readonly folder?: string
  readonly input?: string | Uint8Array
  readonly environment?: Readonly<Record<string, string>>
  /** Most NUL-ended records of output: beyond them the call fails as `too-many-files`. */
  readonly maxRecords?: number
  /** Most bytes of output; beyond them it is cut where `cut` is set, else the call fails. Default 64 MiB. */
  readonly maxBytes?: number
  readonly cut?: boolean
  /** Exit codes that are answers. Default 0 alone. */
  readonly codes?: readonly number[]
  readonly isLong?: boolean
}

/**
 * Nothing of the person's git has a say here: no hooks, no filters, no settings of theirs or of the machine. Names that
 * git refuses for the sake of other systems are kept.
 */
const settings = Object.entries({
  'core.hooksPath': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.attributesFile': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.splitIndex': 'false',
  'core.autocrlf': 'false',
  'core.safecrlf': 'false',
  'core.fileMode': 'true',
  'core.symlinks': 'true',
  'core.ignoreCase': 'false',
  'core.precomposeUnicode': 'false',
  'core.protectNTFS': 'false',
  'core.protectHFS': 'false',
  'core.quotePath': 'false',
  'core.sparseCheckout': 'false',
  'core.logAllRefUpdates': 'false',
  'core.filesRefLockTimeout': '3000',
  'commit.gpgSign': 'false',
  'gc.auto': '0',
  'log.showRoot': 'false',
  'log.showSignature': 'false',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** Runs git and resolves to what it printed. */
export function git(shadow: ShadowGit, call: GitCall, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted()
  const limitMs = shadow.timeoutMs * (call.isLong ? 2 : 1)
  const timeout = AbortSignal.timeout(limitMs)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const folder = call.folder ?? shadow.folder
  const args = [`--git-dir=${shadow.dir}`, `--work-tree=${folder}`, '--no-pager', ...settings, ...call.args]
  const child = spawn('git', args, {
    cwd: folder,
    env: environmentOf(shadow, call),
    detached: true,
    stdio: 'pipe',
  })
  const waiting = { signal, timeout, limitMs, folder }
  const both = AbortSignal.any([signal, timeout])
  const stop = () => {
    // Told to, git takes its locks away.
    endGroup(child.pid)
    reject(failure(both.reason as Error, waiting))
  }
  both.addEventListener('abort', stop, { once: true })
  const output = collect(child.stdout, call, (error) => {
    endGroup(child.pid)
    if (error) reject(error)
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4_000)))
  // It may end before it has read everything; its exit code tells.
  child.stdin.on('error', (error) => (said += error.message)).end(call.input)
  child.on('error', (error) => reject(failure(error, waiting)))
  child.on('close', (code) => {
    both.removeEventListener('abort', stop)
    if (output.isCut || (code !== null && (call.codes ?? [0]).includes(code))) resolve(Buffer.concat(output.chunks))
    else reject(new CheckpointError('git', `git ${call.args[0]} failed: ${firstLine(said) || `code ${code}`}`))
  })
  return promise
}

function environmentOf({ searchPath, dir }: ShadowGit, { index, environment }: GitCall): NodeJS.ProcessEnv {
  return {
    ...(searchPath !== undefined && { PATH: searchPath }),
    HOME: dir,
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    ...(index !== undefined && { GIT_INDEX_FILE: index }),
    ...environment,
  }
}

/** Gathers output within the limits of the call. */
function collect(stream: NodeJS.ReadableStream, call: GitCall, stop: (error?: CheckpointError) => void) {
  const { maxRecords = Infinity, maxBytes = 64 * 1024 * 1024, cut = false } = call
  const output = { chunks: [] as Buffer[], isCut: false }
  let bytes = 0
  let records = 0
  stream.on('data', (chunk: Buffer) => {
    if (output.isCut) return
    bytes += chunk.length
    if (maxRecords !== Infinity) for (const byte of chunk) if (byte === 0) records++
    if (bytes > maxBytes && cut) {
      output.chunks.push(chunk.subarray(0, chunk.length - (bytes - maxBytes)))
      output.isCut = true
      stop()
    } else if (bytes > maxBytes || records > maxRecords) {
      stop(new CheckpointError('too-many-files', 'there are too many files'))
    } else output.chunks.push(chunk)
  })
  return output
}

interface Waiting {
  readonly signal: AbortSignal
  readonly timeout: AbortSignal
  readonly limitMs: number
  readonly folder: string
}

function failure(error: Error, { signal, timeout, limitMs, folder }: Waiting): unknown {
  if (signal.aborted) return signal.reason
  if (timeout.aborted) return new CheckpointError('timeout', `git took longer than ${limitMs / 1000} s`)
  if ('code' in error && error.code === 'ENOENT' && existsSync(folder)) {
    return new CheckpointError('no-git', 'git is needed for checkpoints and is not installed', { cause: error })
  }
  return new CheckpointError('git', `git cannot be run: ${error.message}`, { cause: error })
}

function firstLine(text: string): string {
  const line = text.split('\n').find((one) => /^(?:fatal|error):/.test(one)) ?? text.trim().split('\n')[0] ?? ''
  return line.replace(/^(?:fatal|error): /, '').slice(0, 300)
}

/** The NUL-ended records of an output. */
export function records(output: Buffer): string[] {
  const texts = output.toString('utf8').split('\0')
  texts.pop()
  return texts
}

/** Paths as git reads them. */
export function nulEnded(paths: Iterable<string>): string {
  let text = ''
  for (const path of paths) text += `${path}\0`
  return text
}
