import { basename } from 'node:path'
import { z } from 'zod'
import type { AgentContext } from '../agent/context.ts'
import { McpError } from './mcp-error.ts'

// https://google.github.io/osv.dev/post-v1-query/

const usualEndpoint = 'https://api.osv.dev/v1/query'
const timeoutMs = 10_000
const maxAnswerChars = 4 * 1024 * 1024

/** A package that a runner fetches and starts. */
export interface RunPackage {
  readonly ecosystem: 'npm' | 'PyPI'
  readonly name: string
  readonly version?: string
}

/** Options of the runners that take the next word for their value. */
const withValue: Readonly<Record<string, ReadonlySet<string>>> = {
  npx: new Set(['-c', '--call', '-w', '--workspace', '--registry', '--cache', '--userconfig', '--prefix']),
  uvx: new Set([
    '--python',
    '-p',
    '--with',
    '--index-url',
    '--default-index',
    '--index',
    '--directory',
    '--with-editable',
  ]),
  pipx: new Set(['--python', '--index-url', '--pip-args', '--suffix']),
}

const runners: Readonly<Record<string, { readonly kind: 'npx' | 'uvx' | 'pipx'; readonly words: readonly string[] }>> =
  {
    npx: { kind: 'npx', words: [] },
    bunx: { kind: 'npx', words: [] },
    pnpx: { kind: 'npx', words: [] },
    uvx: { kind: 'uvx', words: [] },
    'uv tool run': { kind: 'uvx', words: ['tool', 'run'] },
    'pipx run': { kind: 'pipx', words: ['run'] },
    'npm exec': { kind: 'npx', words: ['exec'] },
  }

/** The package that a command line fetches and runs; undefined where it does not. */
export function packageOf(command: string, args: readonly string[]): RunPackage | undefined {
  const program = basename(command).replace(/\.(?:cmd|exe)$/i, '')
  const found = Object.entries(runners).find(([name, { words }]) => {
    return name.split(' ')[0] === program && words.every((word, index) => args[index] === word)
  })
  if (!found) return undefined
  const [, { kind, words }] = found
  const named = kind === 'npx' ? new Set(['-p', '--package']) : new Set(kind === 'uvx' ? ['--from'] : ['--spec'])
  const spec = specIn(args.slice(words.length), named, withValue[kind] ?? new Set())
  if (spec === undefined) return undefined
  return kind === 'npx' ? npmPackage(spec) : pythonPackage(spec)
}

function specIn(args: readonly string[], named: ReadonlySet<string>, valued: ReadonlySet<string>): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const [name = '', value] = (args[at] ?? '').split(/=(.*)/s)
    if (named.has(name)) return value ?? args[at + 1]
    if (name === '--') return args[at + 1]
    if (!name.startsWith('-')) return args[at]
    if (value === undefined && valued.has(name)) at += 1
  }
  return undefined
}

function npmPackage(spec: string): RunPackage | undefined {
  const [, name, version] = /^((?:@[\w.~-]+\/)?[\w.~-]+)(?:@(.+))?$/.exec(spec) ?? []
  if (name === undefined) return undefined
  const isExact = version !== undefined && /^\d/.test(version)
  return { ecosystem: 'npm', name, ...(isExact && { version }) }
}

function pythonPackage(spec: string): RunPackage | undefined {
  const [, name, version] = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:(?:==|@)(.+))?$/.exec(spec) ?? []
  if (name === undefined) return undefined
  const isExact = version !== undefined && /^\d/.test(version)
  return { ecosystem: 'PyPI', name, ...(isExact && { version }) }
}

export interface MalwareCheck {
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  readonly agent: Pick<AgentContext, 'environment' | 'log'>
}

const answerSchema = z.looseObject({ vulns: z.array(z.looseObject({ id: z.string() })).default([]) })

/**
 * Looks a package up before it is fetched and run. Throws `McpError` with code `blocked` where it is known to be
 * malware. Where the list cannot be asked the package runs, and the log says so.
 */
export async function refuseMalware(
  { server, command, args, agent }: MalwareCheck,
  signal: AbortSignal,
): Promise<void> {
  const found = packageOf(command, args)
  if (!found) return
  const ids = await malwareOf(found, agent, signal)
  if (ids.length === 0) return
  const message = `The MCP server ${server} is not started: ${found.name} (${found.ecosystem}) is listed as malware (${ids.slice(0, 3).join(', ')}). Take it out: hermes mcp remove ${server}`
  throw new McpError('blocked', message)
}

async function malwareOf(
  { ecosystem, name, version }: RunPackage,
  { environment, log }: MalwareCheck['agent'],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const response = await fetch(environment['OSV_ENDPOINT'] || usualEndpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ package: { name, ecosystem }, ...(version !== undefined && { version }) }),
      signal: limited,
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const text = await response.text()
    if (text.length > maxAnswerChars) throw new Error('the answer is too long')
    const { vulns } = answerSchema.parse(JSON.parse(text))
    return vulns.map(({ id }) => id).filter((id) => id.startsWith('MAL-'))
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ package: name, error: String(error) }, 'the list of known malware cannot be asked')
    return []
  }
}
