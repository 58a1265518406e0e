import { readFile } from 'node:fs/promises'
import { optionalSkillsFolder } from '../../bundled/bundled-folder.ts'
import { readBundle } from '../../bundled/bundle.ts'
import { readFacts } from '../../read-facts.ts'
import { findFiles } from '../../find-files.ts'
import { filesIn } from '../../store/folder-hash.ts'
import { bundleName, checkedBundle } from '../bundle.ts'
import { HubError } from '../hub-error.ts'
import { matching } from '../match.ts'
import type { SkillSource, SourceContext } from '../source.ts'

const prefix = 'official/'

/** Skills that come with Hermes but are installed only when asked for. Works without a network. */
export function official({ environment }: SourceContext): SkillSource {
  const folder = optionalSkillsFolder(environment)
  return {
    name: 'official',
    accepts: (identifier) => identifier.startsWith(prefix),
    async list(query, limit) {
      if (folder === undefined) return []
      const files = (await findFiles(folder)).filter(({ kind, folders }) => kind === 'skill' && folders.length > 0)
      const listings = await Promise.all(
        files.map(async (file) => {
          const { description } = await readFacts(file)
          const name = file.folders.at(-1) ?? ''
          return {
            name,
            description,
            identifier: prefix + file.folders.join('/'),
            source: 'official',
            trust: 'builtin' as const,
          }
        }),
      )
      return matching(listings, query, limit)
    },
    async fetch(identifier) {
      const { skills } = folder === undefined ? { skills: [] } : await readBundle(folder)
      const wanted = identifier.slice(prefix.length)
      const skill = skills.find(({ place }) => place === wanted) ?? skills.find(({ name }) => name === wanted)
      if (!skill) throw new HubError('not-found', `There is no official skill "${wanted}".`)
      const paths = await filesIn(skill.folder)
      const files = await Promise.all(
        paths.map(async (path) => [path, await readFile(`${skill.folder}/${path}`)] as const),
      )
      return checkedBundle({
        name: bundleName(skill.name),
        identifier: prefix + skill.place,
        source: 'official',
        trust: 'builtin',
        files: new Map(files),
        metadata: {},
      })
    },
  }
}
