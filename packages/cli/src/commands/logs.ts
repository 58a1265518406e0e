import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureHome, openHome } from '@hermes/core/config/home.ts'
import type { Home } from '@hermes/core/config/home.ts'
import type { LogFilter } from '@hermes/core/log/log-filter.ts'
import type { Cli, Command, CommandInput } from '../command.ts'
import { CommandError, UsageError } from '../command.ts'
import { text, wholeNumber } from '../option-values.ts'
import { cleanText } from '../repl/clean-text.ts'
import { writeOut } from './sessions/write-out.ts'

const components = ['gateway', 'agent', 'tools', 'cli', 'cron', 'server'] as const
const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const
const usualLines = 50
/** Those that are written by themselves. */
const usualLogs: readonly string[] = ['agent', 'errors', 'gateway']

/** With filters, this many lines are looked through for each one shown. */
const lookedThrough = 20
const leastLookedThrough = 2_000

export const command: Command = {
  name: 'logs',
  summary: 'Show and follow the logs: agent, errors, gateway',
  positionals: '[agent|errors|gateway|list]',
  options: {
    lines: { type: 'string', short: 'n', value: 'N', description: `How many lines; ${usualLines} unless given` },
    follow: { type: 'boolean', short: 'f', description: 'Go on with what is added, until Ctrl-C' },
    level: { type: 'string', value: 'LEVEL', description: 'Of this importance or more', choices: levels },
    session: { type: 'string', value: 'ID', description: 'Only lines with this id of a session' },
    since: { type: 'string', value: 'TIME', description: 'Of the last 30s, 15m, 2h or 3d' },
    component: { type: 'string', value: 'NAME', description: 'Of one part of the program', choices: components },
  },
  examples: [
    'hermes logs errors',
    'hermes logs gateway -f',
    'hermes logs --level WARNING --since 1h --component tools',
  ],
  async run({ positionals, options }, cli) {
    const [name = 'agent'] = positionals
    const count = wholeNumber(options['lines'], '-n', 1) ?? usualLines
    // The configuration may be what is broken: it is not read.
    const home = openHome(cli.environment)
    if (name === 'list') return list(home, cli)
    const filter = filterOf(options, Date.now())
    const isFollowed = options['follow'] === true
    const { path, isThere } = await pathOf(name, home)
    if (!isThere) {
      if (!isFollowed) throw new CommandError(`There is no ${path} yet: nothing was written to it.`)
      cli.stderr.write(`There is no ${path} yet; it is waited for.\n`)
      ensureHome(home, cli.environment)
      await mkdir(home.path('logs'), { recursive: true, mode: 0o700 })
    }
    await show({ path, name, count: isThere ? count : 0, filter, isFollowed }, cli)
    return 0
  },
}

function filterOf(options: CommandInput['options'], now: number): LogFilter {
  // Others are refused with the command line.
  const level = levels.find((one) => one === options['level'])
  const component = components.find((one) => one === options['component'])
  const session = text(options['session'])
  const age = text(options['since'])
  return {
    ...(level && { level }),
    ...(component && { component }),
    ...(session !== undefined && { session }),
    ...(age !== undefined && { since: now - ageMs(age) }),
  }
}

function ageMs(age: string): number {
  const found = /^(\d{1,6})\s*([smhd])$/.exec(age.trim().toLowerCase())
  if (!found) throw new UsageError(`--since takes a time such as 30s, 15m, 2h or 3d; got "${age}"`)
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
  return Number(found[1]) * (units[found[2] ?? ''] ?? 0)
}

async function pathOf(name: string, home: Home): Promise<{ readonly path: string; readonly isThere: boolean }> {
  const names = await logNames(home)
  const path = home.path('logs', `${name}.log`)
  if (names.includes(name)) return { path, isThere: true }
  if (usualLogs.includes(name)) return { path, isThere: false }
  const known = new Set([...usualLogs, ...names, 'list'])
  throw new CommandError(`There is no log "${name}". There are: ${[...known].join(', ')}`)
}

interface Shown {
  readonly path: string
  readonly name: string
  /** 0: there is nothing yet. */
  readonly count: number
  readonly filter: LogFilter
  readonly isFollowed: boolean
}

async function show({ path, name, count, filter, isFollowed }: Shown, cli: Cli): Promise<void> {
  const { isWanted } = await import('@hermes/core/log/log-filter.ts')
  const { endOf, lastLines } = await import('@hermes/core/log/read-log.ts')
  const isFiltered = Object.keys(filter).length > 0
  const end = count === 0 ? { inode: 0, size: 0 } : await endOf(path)
  const scanned = isFiltered ? Math.max(lookedThrough * count, leastLookedThrough) : count
  const last = count === 0 ? [] : await lastLines(path, scanned, end)
  const lines = last.filter((line) => isWanted(line, filter)).slice(-count)
  if (cli.stderr.isTTY) cli.stderr.write(`${headerOf(name, filter, lines.length)}\n`)
  await writeOut(cli, lines.map((line) => `${cleanText(line)}\n`).join(''))
  if (!isFollowed) return
  const { followLines } = await import('@hermes/core/log/follow-log.ts')
  for await (const line of followLines(path, end, cli.signal)) {
    if (isWanted(line, filter)) await writeOut(cli, `${cleanText(line)}\n`)
  }
}

function headerOf(name: string, { level, component, session, since }: LogFilter, count: number): string {
  const parts = [
    level && `${level} and above`,
    component,
    session !== undefined && `session ${session}`,
    since !== undefined && `since ${new Date(since).toLocaleString('sv-SE')}`,
  ].filter(Boolean)
  return `── ${name}.log${parts.length > 0 ? `: ${parts.join(', ')}` : ''} (${count} lines) ──`
}

async function logNames(home: Home): Promise<readonly string[]> {
  const files = await readdir(home.path('logs')).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  return files.flatMap((file) => (file.endsWith('.log') ? file.slice(0, -'.log'.length) : [])).toSorted()
}

async function list(home: Home, cli: Cli): Promise<number> {
  const names = await logNames(home)
  if (names.length === 0) cli.stderr.write('There are no logs yet.\n')
  for (const name of names) {
    const path = join(home.path('logs'), `${name}.log`)
    const { size, mtimeMs } = await stat(path)
    const kib = `${Math.ceil(size / 1024)} KiB`
    await writeOut(cli, `${name.padEnd(16)} ${kib.padStart(10)}  ${ageText(Date.now() - mtimeMs)}\n`)
  }
  return 0
}

function ageText(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`
}
