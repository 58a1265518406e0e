import { readFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import type { Environment } from '../../agent/context.ts'
import { runInGroup } from '../../terminals/run-in-group.ts'

export type LintResult = { readonly status: 'ok' } | { readonly status: 'error'; readonly output: string }

const timeoutMs = 10_000
const maxOutputChars = 4_000

/** A program that says whether a file can be parsed, and changes nothing. */
interface Checker {
  readonly command: string
  readonly args: (path: string) => readonly string[]
}

const node = (...args: string[]): Checker => ({
  command: process.execPath,
  args: (path) => ['--no-warnings', ...args, path],
})

/** Only what cannot be parsed is an error; syntax that Node knows and does not run is none. */
const stripTypes = `const {stripTypeScriptTypes:strip}=require('node:module'),{readFileSync}=require('node:fs')
try{strip(readFileSync(process.argv[1],'utf8'),{mode:'transform'})}
catch(error){if(error.code!=='ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'){process.stderr.write(error.message);process.exit(1)}}`
const compilePython = 'import sys;p=sys.argv[1];compile(open(p,"rb").read(),p,"exec")'

const checkers: Readonly<Record<string, Checker>> = {
  '.js': node('--check'),
  '.mjs': node('--check'),
  '.cjs': node('--check'),
  '.ts': node('-e', stripTypes),
  '.mts': node('-e', stripTypes),
  '.cts': node('-e', stripTypes),
  '.py': { command: 'python3', args: (path) => ['-I', '-c', compilePython, path] },
  '.go': { command: 'gofmt', args: (path) => ['-e', '-l', path] },
  '.rs': { command: 'rustfmt', args: (path) => ['--quiet', '--emit', 'stdout', '--edition', '2021', path] },
  '.sh': { command: 'bash', args: (path) => ['-n', path] },
}

/**
 * Looks whether a file that was edited can still be parsed. Undefined where there is no checker for it on this machine,
 * or it did not answer in time. Never throws.
 */
export async function lint(
  path: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<LintResult | undefined> {
  const extension = extname(path).toLowerCase()
  if (extension === '.json') return lintJson(path)
  const checker = checkers[extension]
  return checker && run(checker, path, environment, signal)
}

async function lintJson(path: string): Promise<LintResult | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
    // Many programs allow comments in their settings.
    if (/^\s*\/[/*]/m.test(text)) return undefined
    JSON.parse(text)
    return { status: 'ok' }
  } catch (error) {
    return error instanceof SyntaxError ? { status: 'error', output: error.message } : undefined
  }
}

async function run(
  { command, args }: Checker,
  path: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<LintResult | undefined> {
  // What checks a file needs none of the person's keys.
  const env = { PATH: environment['PATH'], HOME: environment['HOME'], LANG: 'C.UTF-8' }
  const limits = { timeoutMs, maxChars: 1024 * 1024 }
  const run = { program: command, args: args(path), cwd: dirname(path), env, ...limits }
  const outcome = await runInGroup(run, signal).catch(() => undefined)
  // Only an exit code of the checker's own is its judgement; a missing program or a time-out is none.
  if (outcome?.end !== 'exited' || outcome.code > 128) return undefined
  if (outcome.code === 0) return { status: 'ok' }
  return { status: 'error', output: outcome.stderr.trim().slice(0, maxOutputChars).toWellFormed() }
}
