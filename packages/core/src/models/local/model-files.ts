import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { ModelError } from '../model-error.ts'
import { modelFileVariable } from '../providers/in-process.ts'
import { similarNames } from '../similar-names.ts'

/** A model file of the home's `models` folder. */
export interface ModelFile {
  /** How it is referred to: its file name without `.gguf`. */
  readonly name: string
  readonly path: string
}

/** Where a home keeps model files. */
export function modelsFolder(home: Home): string {
  return home.path('models')
}

/** The model files of a home, by name. */
export async function modelFiles(home: Home | undefined): Promise<readonly ModelFile[]> {
  if (!home) return []
  const folder = modelsFolder(home)
  try {
    const names = await readdir(folder)
    return names
      .filter((name) => name.endsWith('.gguf'))
      .sort()
      .map((name) => ({ name: basename(name, '.gguf'), path: join(folder, name) }))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/**
 * The file that a name means: a path, or the name of a file of the home. Without a name, that of the environment, else
 * the only one of the home. Throws `ModelError`.
 */
export async function findModelFile(
  wanted: string | undefined,
  { home, environment }: { readonly home: Home | undefined; readonly environment: Environment },
): Promise<ModelFile> {
  const asked = wanted ?? (environment[modelFileVariable]?.trim() || undefined)
  if (asked === undefined) return onlyFile(await modelFiles(home))
  const path = asked.startsWith('~/') ? join(environment['HOME'] ?? homedir(), asked.slice(2)) : asked
  if (isAbsolute(path)) return { name: asked, path }
  const files = await modelFiles(home)
  const bare = basename(asked) === asked ? basename(asked, '.gguf') : asked
  const file = files.find(({ name }) => name === bare) ?? files.find(({ name }) => sameLetters(name, bare))
  if (file) return file
  // A name may also be a file's path inside the folder.
  const inside = home === undefined ? undefined : join(modelsFolder(home), asked)
  if (inside !== undefined && !asked.split('/').includes('..') && (await isFile(inside))) {
    return { name: asked, path: inside }
  }
  throw unknownFile(asked, files)
}

function onlyFile(files: readonly ModelFile[]): ModelFile {
  const [first, ...others] = files
  if (first && others.length === 0) return first
  const message = first
    ? `Name a model file: set model.default. There are: ${files.map(({ name }) => name).join(', ')}`
    : 'There is no model file yet. Fetch one with: hermes model local'
  throw new ModelError('not-configured', message)
}

function unknownFile(asked: string, files: readonly ModelFile[]): ModelError {
  const names = files.map(({ name }) => name)
  const similar = similarNames(asked, names)
  const there = similar.length > 0 ? ` Did you mean ${similar.join(' or ')}?` : ''
  const message = `There is no model file ${asked} in the models folder.${there} Name one of it, or a path that begins with /; fetch one with: hermes model local`
  return new ModelError('model-not-found', message)
}

function sameLetters(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false
}
