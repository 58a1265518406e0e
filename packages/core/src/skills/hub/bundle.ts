import type { SkillTrust } from '../guard/policy.ts'
import { safeParts } from '../inside.ts'
import { SkillError } from '../skill-error.ts'
import { isSkillName, slashName } from '../skill-name.ts'
import { HubError } from './hub-error.ts'

/** A skill that a source offers. */
export interface SkillListing {
  readonly name: string
  readonly description: string
  /** What `install` takes. */
  readonly identifier: string
  readonly source: string
  readonly trust: SkillTrust
  /** Facts of the source: stars, installs, version. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** A skill with all its files, as it was fetched. */
export interface SkillBundle {
  readonly name: string
  readonly identifier: string
  readonly source: string
  readonly trust: SkillTrust
  /** By relative path; SKILL.md is among them. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Where exactly it came from: commit, address, version. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What is fetched at most: well above what the guard finds too large, so that it can say so. */
export const fetchLimits = { files: 200, bytes: 8 * 1024 * 1024 } as const

/** Checks names, paths and sizes of what came from outside. Throws `HubError`. */
export function checkedBundle(bundle: SkillBundle): SkillBundle {
  const { files, identifier } = bundle
  if (!isSkillName(bundle.name)) throw new HubError('invalid', `"${bundle.name}" cannot be the name of a skill.`)
  if (!files.has('SKILL.md')) throw new HubError('not-found', `${identifier} has no SKILL.md.`)
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  if (files.size > fetchLimits.files || bytes > fetchLimits.bytes) {
    throw new HubError('too-large', `${identifier} has ${files.size} files and ${bytes} bytes; that is no skill.`)
  }
  const folded = new Set<string>()
  for (const path of files.keys()) {
    checkPath(path, identifier)
    // Two names that differ in case are one on many systems: the second would replace the first after the scan.
    const key = path.normalize('NFC').toLowerCase()
    if (folded.has(key)) throw new HubError('invalid', `${identifier} has two files named ${path}.`)
    folded.add(key)
  }
  return bundle
}

/** A name for a skill from what its source calls it. */
export function bundleName(text: string): string {
  const last = text.split('/').findLast((part) => part !== '') ?? ''
  const lower = last.toLowerCase()
  return isSkillName(lower) ? lower : slashName(last)
}

function checkPath(path: string, identifier: string): void {
  try {
    safeParts(path)
  } catch (error) {
    if (error instanceof SkillError)
      throw new HubError('invalid', `${identifier} holds a file of a forbidden name: ${path.slice(0, 100)}`)
    throw error
  }
}
