import { resolve } from 'node:path'
import { isKnown } from '../security/commands/fields.ts'
import { Inspector } from '../security/commands/inspector.ts'
import { ShellValues } from '../security/commands/shell-values.ts'
import type { Surroundings } from '../security/commands/shell-values.ts'

/** What a command line may do to files. */
export interface CommandChanges {
  /** Whether it may change or remove what is there. */
  readonly isDestructive: boolean
  /** Absolute paths that it names as written or removed, as far as its words tell. */
  readonly paths: readonly string[]
}

/** Commands of git that change the files of a work tree, and a removal of folders. */
const alsoDestructive =
  /(?:^|[;&|(`]|\bsudo\s)\s*git\b[^\n;|&]*\s(?:reset|clean|checkout|restore|switch|stash|merge|rebase|pull|apply|am|revert|cherry-pick|rm|mv)\b|(?:^|[\s;&|(`])rmdir\s/m
/** Longer ones are not read. */
const longestRead = 200_000

/** Reads a command line as the consent for commands does. What cannot be judged counts as destructive. */
export function commandChanges(command: string, place: Surroundings): CommandChanges {
  if (command.length > longestRead) return { isDestructive: true, paths: [] }
  const inspector = new Inspector(new ShellValues(place))
  inspector.text(command)
  const written = inspector.writes.filter(({ field }) => !/^\/dev\/|^-?$/.test(field.text))
  const paths = written.flatMap(({ field, directories }) =>
    isKnown(field.text) ? directories.filter(isKnown).map((folder) => resolve(folder, field.text)) : [],
  )
  const isDestructive = written.length > 0 || inspector.keys.size > 0 || alsoDestructive.test(command)
  return { isDestructive, paths: [...new Set(paths)] }
}
