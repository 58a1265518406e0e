import { hiddenKeyLine } from '../read-lines.ts'
import type { Edit, TextContent } from './text-content.ts'
import { diffOfEdits } from './unified-diff.ts'

/** Longest diff of one file in a result, characters. */
const maxDiffChars = 20_000

/** The unified diff of some edits of a file; empty where nothing changes. */
export function fileDiff(path: string, content: TextContent, edits: readonly Edit[]): string {
  const hunks = content.outward(diffOfEdits(content.text, edits))
  const shown = content.text.includes('PRIVATE KEY') ? withoutKeyLines(hunks) : hunks
  return hunks === '' ? '' : bounded(`--- a/${named(path)}\n+++ b/${named(path)}\n${shown}`)
}

/** The unified diff of a file that is new. */
export function newFileDiff(path: string, text: string): string {
  const hunks = diffOfEdits('', [{ start: 0, end: 0, text }])
  return hunks === '' ? '' : bounded(`--- /dev/null\n+++ b/${named(path)}\n${hunks}`)
}

/** Behind `a/` and `b/`, as git writes them. */
function named(path: string): string {
  return path.replace(/^\/+/, '')
}

function withoutKeyLines(hunks: string): string {
  return hunks.replaceAll(/^([ +-])\s*[A-Za-z0-9+/=]{40,}$/gm, (_, sign: string) => sign + hiddenKeyLine)
}

function bounded(diff: string): string {
  if (diff.length <= maxDiffChars) return diff
  const end = diff.lastIndexOf('\n', maxDiffChars) + 1
  const left = diff.slice(end).split('\n').length - 1
  return `${diff.slice(0, end)}[${left} more lines of this diff are left out]\n`
}
