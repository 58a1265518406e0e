import type { Danger } from '../consent/consent.ts'
import { Inspector, unjudged, unjudgedKeys } from './inspector.ts'
import { fileDangers } from './path-check.ts'
import { ShellValues, type Surroundings } from './shell-values.ts'

export interface CommandPlace extends Surroundings {
  /** Whether the command runs in the background. */
  readonly background?: boolean
}

const longestJudged = 200_000
// Characters that change how text looks, or look like nothing: what a person reads is not what runs.
const deceiving = /[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u00ad\u115f\u1160\u3164\uffa0\ue000-\ue002]/
// oxlint-disable-next-line no-control-regex
const control = /[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f]/

/** How shells are told that `*` means names that begin with a dot too. */
const hiddenNames = /dotglob|globdots|glob_dots|GLOBIGNORE/i

/**
 * The kinds of danger in a command line, as it would be read by bash, with all that it runs inside itself. Empty for a
 * harmless one. What cannot be judged is a danger too.
 */
export async function findDangers(command: string, place: CommandPlace): Promise<readonly Danger[]> {
  const keys = new Set<string>()
  if (deceiving.test(command) || control.test(command)) keys.add(unjudged.hidden)
  if (command.length > longestJudged) keys.add(unjudged.complexity)
  else {
    const inspector = new Inspector(new ShellValues(place))
    const background = place.background === true
    inspector.text(command, { input: { from: background ? 'agent' : 'none', pipe: [] }, background })
    for (const key of inspector.keys) keys.add(key)
    const files = { ...place, findsHidden: hiddenNames.test(command) }
    for (const key of await fileDangers(inspector.writes, inspector.reads, files)) keys.add(key)
  }
  return [...keys].map((key) => ({ key, permanent: !unjudgedKeys.has(key) }))
}
