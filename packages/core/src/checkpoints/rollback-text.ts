import { ago } from '../text/ago.ts'
import type { Checkpoint, Restored } from './checkpoint-store.ts'

/** Most lines of a patch that are shown. */
const maxPatchLines = 200

/** Checkpoints with their numbers, newest first. */
export function checkpointList(
  checkpoints: readonly Checkpoint[],
  { folder, now }: { readonly folder: string; readonly now: number },
): string {
  const rows = checkpoints.map((one, index) => {
    const facts = [one.shortHash, ago(now - one.takenAt.getTime()), changesText(one)]
    return `${String(index + 1).padStart(3)}. ${one.reason}\n     ${facts.filter(Boolean).join(' · ')}`
  })
  return [
    `Checkpoints of ${folder}:`,
    ...rows,
    '',
    'Go back to one: /rollback N. One file alone: /rollback N FILE. What has changed since: /rollback diff N',
  ].join('\n')
}

/** The one of a list that is meant by its number in it, or by its id. */
export function chooseCheckpoint(wanted: string, checkpoints: readonly Checkpoint[]): Checkpoint | undefined {
  const numbered = /^\d{1,4}$/.test(wanted) ? checkpoints[Number(wanted) - 1] : undefined
  if (numbered) return numbered
  return /^[0-9a-f]{4,64}$/i.test(wanted)
    ? checkpoints.find(({ hash }) => hash.startsWith(wanted.toLowerCase()))
    : undefined
}

function changesText({ filesChanged, insertions, deletions }: Checkpoint): string {
  if (filesChanged === 0) return ''
  return `${filesChanged === 1 ? '1 file' : `${filesChanged} files`} changed before it (+${insertions} −${deletions})`
}

export function diffText(summary: string, patch: string): string {
  if (patch.trim() === '') return 'Nothing has changed since.'
  const lines = patch.split('\n')
  const rest = lines.length - maxPatchLines
  const shown = rest > 0 ? [...lines.slice(0, maxPatchLines), `… ${rest} more lines`] : lines
  return `${summary}\n\n${shown.join('\n')}`
}

/** What a restore has done, in one line. */
export function restoredText(
  { restored, removed, kept }: Restored,
  { shortHash, reason }: Pick<Checkpoint, 'shortHash' | 'reason'>,
): string {
  const parts = [
    `${filesText(restored.length)} restored`,
    ...(removed.length > 0 ? [`${filesText(removed.length)} removed`] : []),
    ...(kept.length > 0 ? [`${filesText(kept.length)} made since kept`] : []),
  ]
  return `${parts.join(', ')}: back at ${shortHash} (${reason}).`
}

function filesText(count: number): string {
  return count === 1 ? '1 file' : `${count} files`
}
