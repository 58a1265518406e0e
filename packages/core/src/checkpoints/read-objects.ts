import { CheckpointError } from './checkpoint-store.ts'
import type { TreeEntry } from './commits.ts'
import { git } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'

/** Contents that are held at a time, bytes; a single one may be larger. */
const maxBatchBytes = 32 * 1024 * 1024
const maxBatchFiles = 500

/** Reads the contents of files, in order. */
export async function* readObjects<T extends { readonly entry: TreeEntry }>(
  shadow: ShadowGit,
  files: readonly T[],
  signal: AbortSignal,
): AsyncGenerator<readonly [T, Buffer]> {
  const sizes = await sizesOf(shadow, files, signal)
  let from = 0
  while (from < files.length) {
    let to = from
    let bytes = 0
    while (
      to < files.length &&
      to - from < maxBatchFiles &&
      (to === from || bytes + (sizes[to] ?? 0) <= maxBatchBytes)
    ) {
      bytes += sizes[to++] ?? 0
    }
    const batch = files.slice(from, to)
    const maxBytes = bytes + batch.length * 200
    const output = await git(
      shadow,
      { args: ['cat-file', '--batch'], input: idsOf(batch), maxBytes, isLong: true },
      signal,
    )
    let at = 0
    for (const [index, file] of batch.entries()) {
      const size = sizes[from + index] ?? 0
      // A line about it, the content, the end of a line.
      const start = output.indexOf(10, at) + 1
      yield [file, output.subarray(start, start + size)]
      at = start + size + 1
    }
    from = to
  }
}

async function sizesOf(shadow: ShadowGit, files: readonly { readonly entry: TreeEntry }[], signal: AbortSignal) {
  if (files.length === 0) return []
  const args = ['cat-file', '--batch-check=%(objecttype) %(objectsize)']
  const output = await git(shadow, { args, input: idsOf(files), isLong: true }, signal)
  return output
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const size = /^blob (\d+)$/.exec(line)?.[1]
      if (size === undefined) throw new CheckpointError('git', `${shadow.dir} is damaged: a file's content is missing`)
      return Number(size)
    })
}

function idsOf(files: readonly { readonly entry: TreeEntry }[]): string {
  return files.map(({ entry }) => `${entry.object}\n`).join('')
}
