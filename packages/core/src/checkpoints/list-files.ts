import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { CheckpointError } from './checkpoint-store.ts'
import { excludedFiles, literalPattern } from './excluded-files.ts'
import { git, records } from './shadow-git.ts'
import type { WorkTreeSources } from './work-tree.ts'

/** Repositories inside the folder that are looked into. */
const maxNested = 200

export interface ListedFiles {
  /** Files to be kept; some may have gone. */
  readonly present: readonly string[]
  /** Entries of the index that stand for no file: other repositories. */
  readonly stale: readonly string[]
}

/**
 * The files of a folder that are worth keeping: not those that its `.gitignore` files name, unless they were kept
 * before. Repositories inside it (submodules, too) are folders like others, each with its own `.gitignore` files.
 */
export async function listFiles(index: string, sources: WorkTreeSources, signal: AbortSignal): Promise<ListedFiles> {
  const { shadow, limits, skipped, files } = sources
  const excludes = [...excludedFiles, ...skipped.map((path) => `/${literalPattern(path)}/`)]
  const ours = excludes.map((pattern) => `--exclude=${pattern}`)
  const maxRecords = limits.maxFiles
  const present = new Set<string>()
  const stale: string[] = []
  for (const entry of records(await git(shadow, { args: ['ls-files', '-z', '--stage'], index }, signal))) {
    const path = entry.slice(entry.indexOf('\t') + 1)
    if (entry.startsWith('160000 ')) stale.push(path)
    else present.add(path)
  }
  const others = ['ls-files', '-z', '--others', '--exclude-per-directory=.gitignore']
  /** `from`: the repository whose files are listed, relative with a slash at its end; empty for the folder itself. */
  const pending = ['']
  for (let nested = 0; nested < pending.length; nested++) {
    const from = pending[nested] ?? ''
    if (nested > maxNested) throw tooMany(shadow.folder, `more than ${maxNested} repositories inside it`)
    // Without an index, what is listed does not depend on what was kept before.
    const place = { folder: join(shadow.folder, from), index: `${index}.none`, maxRecords }
    const listed = await git(shadow, { args: [...others, ...ours], ...place }, signal).catch((error: unknown) => {
      if (!isTooMany(error)) throw error
      throw tooMany(shadow.folder, `more than ${maxRecords.toLocaleString('en')} files`)
    })
    for (const path of records(listed)) {
      if (path.endsWith('/')) pending.push(from + path)
      else present.add(from + path)
    }
    if (present.size >= maxRecords) {
      throw tooMany(shadow.folder, `${maxRecords.toLocaleString('en')} files or more`)
    }
  }
  for (const path of await asked(files, ours, { index, sources }, signal)) present.add(path)
  return { present: [...present], stale }
}

/** Those of `files` that only the project ignores. */
async function asked(
  files: readonly string[],
  ours: readonly string[],
  { index, sources: { shadow } }: { index: string; sources: WorkTreeSources },
  signal: AbortSignal,
): Promise<string[]> {
  const there: string[] = []
  for (const path of files) {
    const stats = await lstat(join(shadow.folder, path)).catch(() => undefined)
    if (stats?.isFile() || stats?.isSymbolicLink()) there.push(`:(literal)${path}`)
  }
  if (there.length === 0) return []
  const args = ['ls-files', '-z', '--others', ...ours, '--', ...there]
  const listed = records(await git(shadow, { args, index: `${index}.none` }, signal))
  return listed.filter((path) => !path.endsWith('/'))
}

function isTooMany(error: unknown): boolean {
  return error instanceof CheckpointError && error.code === 'too-many-files'
}

function tooMany(folder: string, what: string): CheckpointError {
  return new CheckpointError('too-many-files', `${folder} has ${what}`)
}
