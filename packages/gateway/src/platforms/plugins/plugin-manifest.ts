import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'

/**
 * Upstream's `plugin.yaml`, with what a platform adds: `provides_platforms` names it, `main` is the module that makes it.
 * Other keys are other plugins' business.
 */
const manifest = lazily(() =>
  z.looseObject({
    name: z.string().optional(),
    version: z.coerce.string().optional(),
    manifest_version: z.number().max(1, 'is of a newer kind than this Hermes knows').optional(),
    provides_platforms: z
      .array(z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, 'is not a name of lower-case letters, digits and _'))
      .default([]),
    /** Beginnings of its variables, e.g. `LINE` of `LINE_TOKEN`. */
    variable_prefixes: z.array(z.string()).default([]),
    main: z.string().default('index.js'),
  }),
)

/** A plugin as its folder describes it. */
export interface PluginManifest {
  readonly name: string
  /** Absolute. */
  readonly folder: string
  readonly main: string
  readonly platforms: readonly string[]
  readonly variablePrefixes: readonly string[]
}

/** Reads the description in a folder; undefined where there is none. Throws an error that says what is wrong in it. */
export async function readPluginManifest(folder: string): Promise<PluginManifest | undefined> {
  const text = (await readIfThere(join(folder, 'plugin.yaml'))) ?? (await readIfThere(join(folder, 'plugin.yml')))
  if (text === undefined) return undefined
  const { parse } = await import('yaml')
  const parsed = manifest().safeParse(parse(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`plugin.yaml: ${issue?.path.join('.')} ${issue?.message}`)
  }
  const { name = basename(folder), main, provides_platforms: platforms, variable_prefixes } = parsed.data
  return { name, folder, main, platforms, variablePrefixes: variable_prefixes }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      return undefined
    }
    throw error
  }
}
