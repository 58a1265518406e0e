import type { RestoreRequest } from './checkpoint-store.ts'
import { modeIn } from './checkpoint-notes.ts'
import type { CheckpointNotes } from './checkpoint-notes.ts'
import { compareTrees, treeOf } from './commits.ts'
import type { WantedFile } from './restore-files.ts'
import type { ShadowGit } from './shadow-git.ts'
import type { WorkTree } from './work-tree.ts'

/** How a folder differs from one of its checkpoints. */
export interface Differences {
  /** Files to bring back. */
  readonly wanted: readonly WantedFile[]
  /** Files that were made since. */
  readonly created: readonly string[]
}

export interface Sides {
  readonly shadow: ShadowGit
  /** The checkpoint, by its full id. */
  readonly hash: string
  readonly notes: CheckpointNotes | undefined
  /** The folder now. */
  readonly work: WorkTree
  readonly request: RestoreRequest
}

/** What must be brought back, and what was made since. */
export async function differences(
  { shadow, hash, work, notes, request }: Sides,
  signal: AbortSignal,
): Promise<Differences> {
  const isAsked = ({ path }: { readonly path: string }) =>
    request.path === undefined || path === request.path || path.startsWith(`${request.path}/`)
  const changes = (await compareTrees(shadow, work.tree, await treeOf(shadow, hash, signal), signal)).filter(isAsked)
  const modeOf = notes && modeIn(notes)
  const notKept = new Set(notes?.leftOut)
  // Upstream keeps no files of repositories inside the folder: they are not new for that.
  const repositories = changes.flatMap(({ path, to }) => (to.mode === 0o160000 ? [`${path}/`] : []))
  const isNew = (path: string) => !notKept.has(path) && !repositories.some((one) => path.startsWith(one))
  const wanted: WantedFile[] = []
  const created: string[] = []
  for (const { path, to } of changes) {
    const isProgram = (to.mode & 0o100) !== 0
    if (to.mode === 0o100644 || to.mode === 0o100755 || to.mode === 0o120000) {
      wanted.push({ path, entry: to, mode: modeOf?.(path, isProgram), isModeOnly: false })
    } else if (to.mode === 0 && isNew(path)) created.push(path)
  }
  if (modeOf) wanted.push(...changedModes({ work, modeOf, changes }).filter(isAsked))
  return { wanted, created }
}

/** Files whose content is the same and whose permission bits are not. */
function changedModes(sides: {
  readonly work: WorkTree
  readonly modeOf: ReturnType<typeof modeIn>
  readonly changes: readonly { readonly path: string }[]
}): WantedFile[] {
  const differing = new Set(sides.changes.map(({ path }) => path))
  const found: WantedFile[] = []
  for (const [path, mode] of sides.work.modes) {
    const then = sides.modeOf(path, (mode & 0o100) !== 0)
    if (mode === then || differing.has(path)) continue
    found.push({ path, entry: { mode, object: '' }, mode: then, isModeOnly: true })
  }
  return found
}
