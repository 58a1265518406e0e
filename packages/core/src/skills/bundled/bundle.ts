import { dirname } from 'node:path'
import { findFiles } from '../find-files.ts'

/** A skill of the bundle. */
export interface BundledSkill {
  readonly name: string
  readonly folder: string
  /** Relative to the skills of a home, e.g. `data/csv-wrangling`. */
  readonly place: string
}

/** What a bundle holds. */
export interface Bundle {
  readonly skills: readonly BundledSkill[]
  /** DESCRIPTION.md files, with their places. */
  readonly descriptions: readonly { readonly path: string; readonly place: string }[]
}

/** Reads a folder of bundled skills: names and places, no text. */
export async function readBundle(folder: string): Promise<Bundle> {
  const files = await findFiles(folder)
  return {
    skills: files.flatMap(({ kind, path, folders }) => {
      const name = folders.at(-1)
      return kind === 'skill' && name !== undefined ? [{ name, folder: dirname(path), place: folders.join('/') }] : []
    }),
    descriptions: files.flatMap(({ kind, path, folders }) => {
      return kind === 'category' && folders.length > 0 ? [{ path, place: folders.join('/') }] : []
    }),
  }
}
