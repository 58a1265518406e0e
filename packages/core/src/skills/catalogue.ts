import type { WatchPath } from '../storage/file-memo.ts'
import { readCatalogueCache, writeCatalogueCache } from './catalogue-cache.ts'
import type { CachedFile } from './catalogue-cache.ts'
import { externalFolders } from './external-folders.ts'
import type { FileFacts, SkillFacts } from './file-facts.ts'
import { findFiles } from './find-files.ts'
import type { FoundFile } from './find-files.ts'
import type { SkillConditions } from './metadata.ts'
import { homeSkillsFolder } from './skill-scope.ts'
import type { SkillScope } from './skill-scope.ts'

/** A skill as lists show it. */
export interface SkillEntry {
  /** Its folder's name, which it is called by. */
  readonly name: string
  /** The name that its SKILL.md gives. */
  readonly title: string
  readonly description: string
  /** The folders above it, `general` where there are none. */
  readonly category: string
  readonly folder: string
  /** Its SKILL.md. */
  readonly path: string
  /** `home`: may be changed; `external`: only read. */
  readonly place: 'home' | 'external'
  readonly platforms: readonly string[]
  readonly conditions: SkillConditions
  readonly tags: readonly string[]
}

export interface SkillCatalogue {
  /** By name; of several with one name the first root's. */
  readonly skills: readonly SkillEntry[]
  /** Descriptions by category, where there are any. */
  readonly categories: ReadonlyMap<string, string>
}

/** Most skills that are taken into account. */
const maxSkills = 2_000

/**
 * All skills of the home and of the external folders, whether switched on or not. Files that have not changed since the
 * last time (size and time) are not read: their facts are kept in `cache/skills.json`. `watch`: told of every path that it
 * depends on.
 */
export async function loadCatalogue(scope: SkillScope, watch?: WatchPath): Promise<SkillCatalogue> {
  const roots = [homeSkillsFolder(scope.home), ...externalFolders(scope)]
  const [known, ...found] = await Promise.all([
    readCatalogueCache(scope.home),
    ...roots.map((root) => findFiles(root, watch)),
  ])
  const files = new Map<string, CachedFile>()
  const skills = new Map<string, SkillEntry>()
  const categories = new Map<string, string>()
  for (const [index, ofRoot] of found.entries()) {
    for (const file of ofRoot) {
      const facts = await factsOf(file, known)
      files.set(file.path, { modifiedMs: file.modifiedMs, size: file.size, facts })
      if (facts.kind === 'category') {
        const name = file.folders.join('/')
        if (name !== '' && facts.description !== '' && !categories.has(name)) categories.set(name, facts.description)
        continue
      }
      const entry = entryOf(file, facts, index === 0 ? 'home' : 'external')
      if (entry && !skills.has(entry.name) && skills.size < maxSkills) skills.set(entry.name, entry)
    }
  }
  if (hasChanged(known, files)) await writeCatalogueCache(scope.home, files)
  return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), categories }
}

async function factsOf(file: FoundFile, known: ReadonlyMap<string, CachedFile>): Promise<FileFacts> {
  const cached = known.get(file.path)
  const isSame = cached && cached.modifiedMs === file.modifiedMs && cached.size === file.size
  if (isSame && cached.facts.kind === file.kind) return cached.facts
  const { readFacts } = await import('./read-facts.ts')
  return readFacts(file)
}

function entryOf(file: FoundFile, facts: SkillFacts, place: SkillEntry['place']): SkillEntry | undefined {
  const name = file.folders.at(-1)
  // A SKILL.md in the root itself belongs to no skill.
  if (name === undefined) return undefined
  const { title, description, platforms, conditions, tags } = facts
  const category = file.folders.slice(0, -1).join('/') || 'general'
  const folder = file.path.slice(0, -'/SKILL.md'.length)
  return {
    name,
    title: title || name,
    description,
    category,
    folder,
    path: file.path,
    place,
    platforms,
    conditions,
    tags,
  }
}

function hasChanged(known: ReadonlyMap<string, CachedFile>, files: ReadonlyMap<string, CachedFile>): boolean {
  if (known.size !== files.size) return true
  return [...files].some(([path, { facts }]) => known.get(path)?.facts !== facts)
}
