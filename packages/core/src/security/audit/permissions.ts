import type { Stats } from 'node:fs'
import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { managedBy } from '../../config/home.ts'
import type { AuditFinding, AuditSubject } from './finding.ts'

/** What holds secrets or conversations, in a home: files, folders with all that is in them, and `*` at the end of a name. */
const privateEntries = [
  '.env*',
  'auth.json*',
  '.anthropic_oauth.json*',
  'config.yaml*',
  'gateway.json',
  'state.db*',
  'hermes.db*',
  'response_store.db*',
  'webhook_subscriptions.json',
  'slack_tokens.json',
  'honcho.json',
  'mem0.json',
  'supermemory.json',
  'logs',
  'sessions',
  'memories',
  'mcp-tokens',
  'pairing',
  'platforms',
  'whatsapp',
  'matrix',
  'weixin',
  'state-snapshots',
  'checkpoints',
] as const

/** Findings told one by one; more of them are told as a number. */
const maxTold = 20
const maxEntries = 5_000

/** Whether others on this machine can read what is private. */
export async function checkPermissions(subject: AuditSubject): Promise<readonly AuditFinding[]> {
  const { home, environment, signal } = subject
  if (process.platform === 'win32') return []
  // Where something else manages the files, its group may see them.
  const forbidden = managedBy(home, environment) !== undefined || allowsGroup(environment) ? 0o007 : 0o077
  const top = await statOf(home.dir)
  if (!top) return []
  const isShut = (top.mode & forbidden) === 0
  const findings: AuditFinding[] = isShut ? [] : [openFolder(home.dir, top, forbidden)]
  const open: { path: string; stats: Stats }[] = []
  let left = maxEntries
  const visit = async (path: string): Promise<void> => {
    signal.throwIfAborted()
    const stats = await statOf(path)
    // Where a link leads is somebody else's affair; the file rules follow it.
    if (!stats || stats.isSymbolicLink() || left-- <= 0) return
    if ((stats.mode & forbidden) !== 0) open.push({ path, stats })
    if (stats.isDirectory()) for (const name of await namesIn(path)) await visit(join(path, name))
  }
  for (const name of await namesIn(home.dir)) if (isPrivate(name)) await visit(home.path(name))
  findings.push(...open.slice(0, maxTold).map(({ path, stats }) => openEntry(path, stats, { forbidden, isShut })))
  const rest = open.slice(maxTold)
  if (rest.length > 0) findings.push(openRest(rest, home.dir, { forbidden, isShut }))
  return findings
}

function allowsGroup(environment: AuditSubject['environment']): boolean {
  return (Number.parseInt(environment['HERMES_HOME_MODE']?.replace(/^0o/, '') || '700', 8) & 0o070) !== 0
}

function isPrivate(name: string): boolean {
  return privateEntries.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry))
}

interface Reach {
  readonly forbidden: number
  /** Nobody else gets into the home, so its files are out of reach. */
  readonly isShut: boolean
}

function openFolder(path: string, stats: Stats, forbidden: number): AuditFinding {
  return {
    id: 'home-open-to-others',
    severity: 'medium',
    where: path,
    problem: `Its mode is ${octal(stats)}: other people on this machine can look into it.`,
    remedy: `chmod 700 ${path}`,
    ...fixOf(path, stats, forbidden),
  }
}

function openEntry(path: string, stats: Stats, { forbidden, isShut }: Reach): AuditFinding {
  const isSecret = /\/(?:\.env|auth\.json|mcp-tokens|pairing|slack_tokens|\.anthropic_oauth)/.test(path)
  const writable = (stats.mode & forbidden & 0o022) !== 0
  return {
    id: 'file-open-to-others',
    severity: isShut ? 'low' : writable || isSecret ? 'high' : 'medium',
    where: path,
    problem: `Its mode is ${octal(stats)}: other people on this machine could ${writable ? 'change' : 'read'} it${isShut ? ', were the home folder opened to them' : ''}.`,
    remedy: `chmod ${stats.isDirectory() ? '700' : '600'} ${path}`,
    ...fixOf(path, stats, forbidden),
  }
}

function openRest(rest: readonly { path: string; stats: Stats }[], dir: string, reach: Reach): AuditFinding {
  return {
    id: 'file-open-to-others',
    severity: reach.isShut ? 'low' : 'medium',
    where: dir,
    problem: `${rest.length} more private files and folders in it are open to other people on this machine.`,
    remedy: `chmod -R go-rwx ${dir}`,
    fix: async () => {
      for (const { path, stats } of rest) if (isOwn(stats)) await shut(path, stats, reach.forbidden)
      return `closed ${rest.length} files and folders to others`
    },
  }
}

function fixOf(path: string, stats: Stats, forbidden: number): Pick<AuditFinding, 'fix'> {
  if (!isOwn(stats) || (!stats.isFile() && !stats.isDirectory())) return {}
  return {
    fix: async () => {
      const mode = await shut(path, stats, forbidden)
      return `set the mode of ${path} to ${mode.toString(8).padStart(3, '0')}`
    },
  }
}

function isOwn(stats: Stats): boolean {
  return stats.uid === process.getuid?.()
}

/** By an open handle, so that no link put there meanwhile is followed. */
async function shut(path: string, { ino, dev, mode }: Stats, forbidden: number): Promise<number> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const now = await file.stat()
  const wanted = mode & 0o777 & ~forbidden
  if (now.ino === ino && now.dev === dev) await file.chmod(wanted)
  return wanted
}

function octal({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(3, '0')
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
