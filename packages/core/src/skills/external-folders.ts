import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { SkillScope } from './skill-scope.ts'

/** The folders of `skills.external_dirs`, absolute; `~`, `$NAME` and `${NAME}` are replaced. Relative ones start at the home. */
export function externalFolders({ home, config, environment }: SkillScope): string[] {
  const user = environment['HOME'] || homedir()
  const folders = config.skills.external_dirs.flatMap((text) => {
    const expanded = text
      .trim()
      .replace(/^~(?=\/|$)/, user)
      .replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, bare?: string) => {
        return environment[braced ?? bare ?? ''] ?? whole
      })
    return expanded === '' ? [] : [resolve(home.dir, expanded)]
  })
  return [...new Set(folders)].filter((folder) => folder !== join(home.dir, 'skills'))
}
