import { homedir } from 'node:os'
import { basename, resolve } from 'node:path'
import { readFolder } from '../../guard/read-folder.ts'
import { bundleName, checkedBundle } from '../bundle.ts'
import { HubError } from '../hub-error.ts'
import type { SkillSource, SourceContext } from '../source.ts'

/** A folder of this machine: `./x`, `/x`, `~/x` or `local:x`. Whose it is nobody knows, so it is looked through like any other. */
export function local({ environment, cwd }: SourceContext): SkillSource {
  return {
    name: 'local',
    accepts: (identifier) => /^(?:\.{0,2}\/|\.{1,2}$|~\/|local:)/.test(identifier),
    async fetch(identifier) {
      const home = environment['HOME'] || homedir()
      const folder = resolve(cwd, identifier.replace(/^local:/, '').replace(/^~(?=\/)/, home))
      const found = await readFolder(folder).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error)
          throw new HubError('not-found', `There is no folder ${folder}.`, { cause: error })
        throw error
      })
      const link = found.find((file) => file.link)
      if (link)
        throw new HubError('invalid', `${folder} holds a link (${link.path}); skills with links are not installed.`)
      const kept = found.filter(
        ({ path }) => !/(?:^|\/)(?:\.git|node_modules|__pycache__|\.DS_Store)(?:\/|$)/.test(path),
      )
      const large = kept.find(({ bytes }) => bytes === undefined)
      if (large)
        throw new HubError('too-large', `${large.path} is ${large.size} bytes large; that is no part of a skill.`)
      return checkedBundle({
        name: bundleName(basename(folder)),
        identifier: folder,
        source: 'local',
        trust: 'community',
        files: new Map(kept.map(({ path, bytes }) => [path, bytes ?? new Uint8Array()])),
        metadata: {},
      })
    },
  }
}
