import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../agent/context.ts'

/** The folder of the skills that come with Hermes: `HERMES_BUNDLED_SKILLS`, else `skills/` of the installation. */
export function bundledSkillsFolder(environment: Environment): string | undefined {
  return folderOf(environment['HERMES_BUNDLED_SKILLS'], 'skills')
}

/** The folder of the skills that come along but are installed only when asked for: `HERMES_OPTIONAL_SKILLS`, or none. */
export function optionalSkillsFolder(environment: Environment): string | undefined {
  return folderOf(environment['HERMES_OPTIONAL_SKILLS'], 'optional-skills')
}

function folderOf(named: string | undefined, name: string): string | undefined {
  if (named) return named
  const root = installationFolder()
  const folder = root === undefined ? undefined : join(root, name)
  return folder !== undefined && existsSync(folder) ? folder : undefined
}

/** Where the package lies that this file is part of, whether it runs from its sources or from the bundle. */
function installationFolder(): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && /"name":\s*"hermes-agent"/.test(readFileSync(manifest, 'utf8'))) return folder
  }
  return undefined
}
