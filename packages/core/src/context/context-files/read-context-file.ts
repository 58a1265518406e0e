import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { FileSafetyError } from '../../security/file-safety-error.ts'
import { isWithin } from '../../security/file-safety-guard.ts'
import { checkRead, openChecked } from '../../security/file-safety.ts'
import type { CheckedPath } from '../../security/file-safety.ts'
import { scanKept } from '../../security/injection/scan-kept.ts'
import type { Redactor } from '../../security/redact.ts'
import type { WatchPath } from '../../storage/file-memo.ts'

/** What reading a file into the prompt depends on. An agent's context is one. */
export interface ContextFileRules {
  /** Told of every place that is looked at. */
  readonly watch?: WatchPath
  readonly home: Home
  readonly environment: Environment
  readonly redactor: Redactor
}

export interface ContextFileRequest {
  /** Absolute. */
  readonly path: string
  /** The folder that the file must really lie in: absolute, links followed. Anywhere when absent. */
  readonly root?: string
  /** Refuse a file of another person (root's are fine): for folders that the person did not choose. */
  readonly mustBeOwn?: boolean
}

/** `text`: secrets masked, trimmed, never empty. `problem`: why it is left out, for people. */
export type ContextFileOutcome =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'problem'; readonly problem: string }

/** A file larger than this is no context file, bytes. */
const maxFileBytes = 1024 * 1024

/**
 * Reads a file whose text goes into the prompt. Undefined when there is none, or nothing in it. What is protected, leads
 * out of its folder, is no text or tries to steer the agent is told and not given.
 */
export async function readContextFile(
  { path, root, mustBeOwn = false }: ContextFileRequest,
  { home, environment, redactor, watch }: ContextFileRules,
): Promise<ContextFileOutcome | undefined> {
  watch?.(path)
  if (!(await isThere(path))) return undefined
  try {
    const checked = await checkRead(path, { home, environment, cwd: home.dir })
    if (!checked.stats?.isFile()) return undefined
    if (root !== undefined && !isWithin(checked.path, root))
      return problem(`${path} leads out of the project, to ${checked.path}`)
    if (mustBeOwn && !isOwn(checked)) return problem(`${path} belongs to another user`)
    return await textOf(path, await readBytes(checked), { home, redactor })
  } catch (error) {
    if (error instanceof FileSafetyError) return problem(error.message)
    if (isSystemError(error)) return problem(`${path} cannot be read (${error.code})`)
    throw error
  }
}

async function textOf(
  path: string,
  bytes: Buffer,
  { home, redactor }: Pick<ContextFileRules, 'home' | 'redactor'>,
): Promise<ContextFileOutcome | undefined> {
  if (bytes.length > maxFileBytes) return problem(`${path} is larger than ${maxFileBytes} bytes`)
  if (bytes.includes(0)) return problem(`${path} is no text file`)
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim()
  if (text === '') return undefined
  const [found = []] = await scanKept([text], 'context', home)
  if (found.length > 0) return problem(`${path} holds text that tries to steer the agent (${found.join(', ')})`)
  return { type: 'text', text: redactor.redact(text) }
}

/** One byte more than is allowed tells that there is too much. */
async function readBytes(checked: CheckedPath): Promise<Buffer> {
  await using file = await openChecked(checked)
  const buffer = Buffer.alloc(Math.min(Number(checked.stats?.size ?? 0n), maxFileBytes) + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, null)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** Most places that are looked at have no such file, and this costs a tenth of judging the path. */
async function isThere(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK)
    return true
  } catch (error) {
    if (isSystemError(error)) return false
    throw error
  }
}

function isOwn({ stats }: CheckedPath): boolean {
  const own = process.getuid?.()
  return own === undefined || stats?.uid === 0n || stats?.uid === BigInt(own)
}

function problem(text: string): ContextFileOutcome {
  return { type: 'problem', problem: text }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error
}
