import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Environment } from '../agent/context.ts'
import type { Home } from '../config/home.ts'
import type { SkillMetadata, SkillVariable } from './metadata.ts'

/** What a skill needs and this machine does not have. */
export interface MissingNeeds {
  /** Not set, and not optional. */
  readonly variables: readonly SkillVariable[]
  readonly commands: readonly string[]
  readonly credentialFiles: readonly string[]
}

export interface ReadinessSources {
  readonly home: Home
  readonly environment: Environment
}

/** Looks for the variables, programs and files that a skill asks for. Runs nothing. */
export async function missingNeeds(metadata: SkillMetadata, sources: ReadinessSources): Promise<MissingNeeds> {
  const { home, environment } = sources
  const lost = async (names: readonly string[], isThere: (name: string) => Promise<boolean>) => {
    const there = await Promise.all(names.map(isThere))
    return names.filter((_, index) => !there[index])
  }
  return {
    variables: metadata.variables.filter(({ name, optional }) => !optional && !environment[name]),
    commands: await lost(metadata.commands, (name) => isOnPath(name, environment['PATH'] ?? '')),
    credentialFiles: await lost(metadata.credentialFiles, (path) => isAccessible(home.path(path), constants.R_OK)),
  }
}

async function isOnPath(command: string, path: string): Promise<boolean> {
  if (!/^[\w.+-]+$/.test(command)) return false
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const found = await Promise.all(folders.map((folder) => isAccessible(join(folder, command), constants.X_OK)))
  return found.includes(true)
}

async function isAccessible(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
