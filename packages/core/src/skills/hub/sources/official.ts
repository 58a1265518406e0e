import { readFile } from 'node:fs/promises'
import { bundledSkillsFolder, optionalSkillsFolder } from '../../bundled/bundled-folder.ts'
import { readBundle } from '../../bundled/bundle.ts'
import { readFacts } from '../../read-facts.ts'
import { findFiles } from '../../find-files.ts'
import { filesIn } from '../../store/folder-hash.ts'
import { bundleName, checkedBundle } from '../bundle.ts'
import { HubError } from '../hub-error.ts'
import { matching } from '../match.ts'
import type { SkillSource, SourceContext } from '../source.ts'

const prefix = 'official/'

/** Skills that come with Hermes: those that every home gets, and those that are installed only when asked for. Works without a network. */
export function official({ environment }: SourceContext): SkillSource {
  const folders = [optionalSkillsFolder(environment), bundledSkillsFolder(environment)].filter(
    (folder) => folder !== undefined,
  )
  return {
    name: 'official',
    accepts: (identifier) => identifier.startsWith(prefix),
    async list(query, limit) {
      const found = (await Promise.all(folders.map((folder) => findFiles(folder)))).flat()
      const files = found.filter(({ kind, folders: path }) => kind === 'skill' && path.length > 0)
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
      const skills = (await Promise.all(folders.map((folder) => readBundle(folder)))).flatMap((bundle) => bundle.skills)
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
