import type { Clock } from '../agent/clock.ts'
import { CheckpointError } from './checkpoint-store.ts'
import type { Checkpoint } from './checkpoint-store.ts'
import { messageWithNotes } from './checkpoint-notes.ts'
import { git, records } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'
import type { WorkTree } from './work-tree.ts'

/** The newest checkpoint; undefined where there is none. */
export async function newest(shadow: ShadowGit, signal: AbortSignal): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']
  return text(await git(shadow, { args, codes: [0, 1] }, signal)) || undefined
}

/** Times that another program may come between while the newest checkpoint is moved on. */
const maxTries = 3

/** Makes the state a checkpoint. Undefined when the newest one is the same. */
export async function commit(
  shadow: ShadowGit,
  work: WorkTree,
  { reason, clock }: { readonly reason: string; readonly clock: Clock },
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    const parent = await newest(shadow, signal)
    if (parent !== undefined && (await treeOf(shadow, parent, signal)) === work.tree) return undefined
    const date = `@${Math.floor(clock.now() / 1000)} +0000`
    const environment = {
      GIT_AUTHOR_NAME: 'Hermes Checkpoint',
      GIT_AUTHOR_EMAIL: 'hermes@local',
      GIT_COMMITTER_NAME: 'Hermes Checkpoint',
      GIT_COMMITTER_EMAIL: 'hermes@local',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    }
    const args = ['commit-tree', work.tree, ...(parent === undefined ? [] : ['-p', parent]), '-F', '-']
    const hash = text(await git(shadow, { args, environment, input: messageWithNotes(reason, work) }, signal))
    try {
      await git(shadow, { args: ['update-ref', 'HEAD', hash, parent ?? '0'.repeat(40)], isLong: true }, signal)
      return hash
    } catch (error) {
      if (tries >= maxTries || !(error instanceof CheckpointError) || error.code !== 'git') throw error
    }
  }
}

export async function treeOf(shadow: ShadowGit, hash: string, signal: AbortSignal): Promise<string> {
  return text(await git(shadow, { args: ['rev-parse', '--verify', `${hash}^{tree}`] }, signal))
}

export async function messageOf(shadow: ShadowGit, hash: string, signal: AbortSignal): Promise<string> {
  return (await git(shadow, { args: ['log', '-1', '--format=%B', hash] }, signal)).toString('utf8')
}

/** The full id of a checkpoint of this folder. Throws `CheckpointError` where there is no such one. */
export async function resolveHash(shadow: ShadowGit, hash: string, signal: AbortSignal): Promise<string> {
  if (/^[0-9a-f]{4,64}$/i.test(hash)) {
    const args = ['rev-parse', '--verify', '--quiet', `${hash}^{commit}`]
    const full = text(await git(shadow, { args, codes: [0, 1, 128] }, signal))
    if (full !== '') return full
  }
  throw new CheckpointError('not-found', `There is no checkpoint ${hash} of ${shadow.folder}.`)
}

/** The newest checkpoints, newest first. */
export async function listCommits(
  shadow: ShadowGit,
  most: number,
  signal: AbortSignal,
): Promise<readonly Checkpoint[]> {
  if ((await newest(shadow, signal)) === undefined) return []
  const args = ['log', '-z', `--max-count=${most}`, '--format=%x01%H%x00%h%x00%ct%x00%s%x00', '--shortstat']
  const output = await git(shadow, { args: [...args, '--no-renames', 'HEAD'], isLong: true }, signal)
  return output.toString('utf8').split('\x01').slice(1).map(toCheckpoint)
}

function toCheckpoint(entry: string): Checkpoint {
  const [hash = '', shortHash = '', seconds = '0', reason = '', ...rest] = entry.split('\0')
  const counts = rest.join(' ')
  const count = (word: RegExp) => Number(word.exec(counts)?.[1] ?? 0)
  return {
    hash,
    shortHash,
    takenAt: new Date(Number(seconds) * 1000),
    reason,
    filesChanged: count(/(\d+) files? changed/),
    insertions: count(/(\d+) insertions?/),
    deletions: count(/(\d+) deletions?/),
  }
}

/** A path in which two trees differ. An absent side has mode 0. */
export interface TreeChange {
  readonly path: string
  readonly from: TreeEntry
  readonly to: TreeEntry
}

export interface TreeEntry {
  /** Git's mode: 0o100644, 0o100755, 0o120000 (link), 0o160000 (another repository), 0 (absent). */
  readonly mode: number
  readonly object: string
}

export async function compareTrees(
  shadow: ShadowGit,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<readonly TreeChange[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]
  const fields = records(await git(shadow, { args, isLong: true }, signal))
  const changes: TreeChange[] = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [fromMode = '', toMode = '', fromObject = '', toObject = ''] = fields[index]?.slice(1).split(' ') ?? []
    changes.push({
      path: fields[index + 1] ?? '',
      from: { mode: Number.parseInt(fromMode, 8), object: fromObject },
      to: { mode: Number.parseInt(toMode, 8), object: toObject },
    })
  }
  return changes
}

export function text(output: Buffer): string {
  return output.toString('utf8').trim()
}
