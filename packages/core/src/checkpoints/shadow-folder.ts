import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Home } from '../config/home.ts'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import { CheckpointError } from './checkpoint-store.ts'
import { excludedFiles } from './excluded-files.ts'
import { git } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'
import { ignoreMissing } from './real-folders.ts'

/** Where the checkpoints of a folder are, as upstream names it. `folder`: absolute, links followed. */
export function shadowDir(home: Home, folder: string): string {
  return home.path('checkpoints', createHash('sha256').update(folder).digest('hex').slice(0, 16))
}

/** The file that says which folder a repository is of; written last when one is made. */
const ownerFile = 'HERMES_WORKDIR'

export function hasShadow({ dir }: ShadowGit): boolean {
  return existsSync(join(dir, 'HEAD')) && existsSync(join(dir, ownerFile))
}

/** Makes the repository where it is missing or was left half made. The caller holds its lock. */
export async function prepareShadow(shadow: ShadowGit, signal: AbortSignal): Promise<void> {
  const { dir, folder } = shadow
  if (hasShadow(shadow)) {
    await clearStaleLocks(dir, signal)
    const owner = (await readFile(join(dir, ownerFile), 'utf8')).replace(/\n$/, '')
    if (owner !== folder) throw new CheckpointError('not-kept-here', `${dir} holds the checkpoints of ${owner}`)
    await keepBytes(dir)
    return
  }
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await clearStaleLocks(dir, signal)
  await git(shadow, { args: ['init', '--quiet', '--template='] }, signal)
  for (const [name, value] of [
    ['user.name', 'Hermes Checkpoint'],
    ['user.email', 'hermes@local'],
    ['commit.gpgSign', 'false'],
  ] as const) {
    await git(shadow, { args: ['config', '--local', name, value] }, signal)
  }
  await writeFileAtomic(join(dir, 'info', 'exclude'), `${excludedFiles.join('\n')}\n`)
  await keepBytes(dir)
  await writeFileAtomic(join(dir, ownerFile), `${folder}\n`)
}

/** What a project says of line ends, filters and encodings is not for us: bytes are kept as they are. */
async function keepBytes(dir: string): Promise<void> {
  const file = join(dir, 'info', 'attributes')
  if (existsSync(file)) return
  await writeFileAtomic(file, '* -text -eol -ident -filter -working-tree-encoding\n')
}

/** Beside the repository's own index, each call works on a copy, which a killed one leaves behind. */
export const indexCopyPrefix = 'index.hermes-'

/** Longest that git holds a lock on a reference, milliseconds: it is held for one small write. */
const refLockMs = 3_000
/** `index.lock` is held as long as files are being added. */
const indexLockMs = 5 * 60_000

/**
 * Takes away what a killed git left locked. The caller holds our lock, so that what is in use is another program's, and
 * that one is given its time.
 */
async function clearStaleLocks(dir: string, signal: AbortSignal): Promise<void> {
  const names = await filesIn(dir)
  const heads = await filesIn(join(dir, 'refs', 'heads'))
  for (const name of names) if (name.startsWith(indexCopyPrefix)) await rm(join(dir, name), { force: true })
  for (const name of ['HEAD', 'packed-refs', 'shallow', 'config']) {
    if (names.includes(`${name}.lock`)) await clearLock(join(dir, `${name}.lock`), refLockMs, signal)
  }
  for (const name of heads) {
    if (name.endsWith('.lock')) await clearLock(join(dir, 'refs', 'heads', name), refLockMs, signal)
  }
  const indexLock = join(dir, 'index.lock')
  if ((await ageMs(indexLock)) > indexLockMs) await rm(indexLock, { force: true })
}

async function clearLock(path: string, limitMs: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const age = await ageMs(path)
    if (age < 0) return
    if (age > limitMs) break
    await wait(50, undefined, { signal })
  }
  await rm(path, { force: true })
}

async function filesIn(path: string): Promise<readonly string[]> {
  return (await readdir(path).catch(ignoreMissing)) ?? []
}

/** How old a file is; below 0 when it is not there. */
async function ageMs(path: string): Promise<number> {
  const stats = await stat(path).catch(ignoreMissing)
  return stats ? Math.max(0, Date.now() - stats.mtimeMs) : -1
}
