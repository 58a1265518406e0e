import type { Checkpoint, Restored } from '@hermes/core/checkpoints/checkpoint-store.ts'
import { ago } from '@hermes/core/text/ago.ts'

/** Most lines of a patch that are shown. */
const maxPatchLines = 200

/** Checkpoints with their numbers, newest first. */
export function checkpointList(checkpoints: readonly Checkpoint[], folder: string, now: number): string {
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
