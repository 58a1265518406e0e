import type { Restored } from './checkpoint-store.ts'
import type { Differences } from './differences.ts'
import { removeFiles, restoreFiles } from './restore-files.ts'
import { git, nulEnded, records } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'
import type { WorkTree } from './work-tree.ts'

export interface RestoreOrder extends Differences {
  readonly shadow: ShadowGit
  /** The folder now, which is in a checkpoint. */
  readonly work: WorkTree
  /** The files made since that may go. */
  readonly remove: readonly string[]
}

/** Makes the folder what it was, as far as nothing is lost by it that no checkpoint has. */
export async function restoreFolder(order: RestoreOrder, signal: AbortSignal): Promise<Omit<Restored, 'undo'>> {
  const { shadow, work, wanted, created } = order
  const isSaved = (path: string) => work.paths.has(path)
  const restore = (files: typeof wanted) => restoreFiles(files, { shadow, isSaved }, signal)
  // What the folder ignored then is none of its files; its rules of then are needed to tell.
  const rules = wanted.filter(({ path }) => /(?:^|\/)\.gitignore$/.test(path))
  // A rule file whose way is not free yet has another chance.
  const unread = await restore(rules)
  const ignored = await ignoredOf(shadow, created, signal)
  const allowed = new Set(order.remove)
  const going = created.filter((path) => allowed.has(path) && !ignored.has(path))
  const stuck = await removeFiles(going, shadow.folder)
  const failed = await restore(wanted.filter((file) => !rules.includes(file) || unread.has(file.path)))
  const gone = new Set(going.filter((path) => !stuck.has(path)))
  return {
    restored: wanted.map(({ path }) => path).filter((path) => !failed.has(path)),
    removed: [...gone],
    kept: created.filter((path) => !gone.has(path)),
    problems: [...stuck, ...failed].map(([path, problem]) => `${path}: ${problem}`),
  }
}

/** Those of `paths` that the folder's rules name now. */
async function ignoredOf(shadow: ShadowGit, paths: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const args = ['check-ignore', '-z', '--stdin', '--no-index']
  return new Set(records(await git(shadow, { args, input: nulEnded(paths), codes: [0, 1] }, signal)))
}
