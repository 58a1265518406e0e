import type { Home } from '../config/home.ts'
import type { FileMemo, WatchPath } from '../storage/file-memo.ts'
import { loadCatalogue } from './catalogue.ts'
import type { SkillCatalogue, SkillEntry } from './catalogue.ts'
import { externalFolders } from './external-folders.ts'
import { indexDescriptionChars } from './skill-limits.ts'
import type { SkillScope } from './skill-scope.ts'
import { scanSkillTexts } from './skill-text-scan.ts'
import { isDisabled, runsHere, suitsTools } from './visibility.ts'

export interface SkillsIndexOptions extends SkillScope {
  /** The session's tools. */
  readonly tools: ReadonlyMap<string, { readonly toolset: string }>
  /** Where there is one, the index is made anew only when a skill or a setting has changed. */
  readonly fileMemo?: FileMemo
}

/** Most skills that the index names; the rest is found with skills_list. */
const maxListed = 300

/**
 * The system prompt's block about skills: a line for each that suits this system, this face and these tools. Empty when
 * there are none, or no tool to load one with. The same skills give the same bytes.
 */
export async function skillsIndex(options: SkillsIndexOptions): Promise<string> {
  const { tools, fileMemo } = options
  if (!['skills_list', 'skill_view', 'skill_manage'].some((name) => tools.has(name))) return ''
  if (!fileMemo) return makeIndex(options, await loadCatalogue(options))
  const make = async (watch: WatchPath) => makeIndex(options, await keptCatalogue(options, fileMemo, watch))
  return fileMemo.of(keyOf(options), make, { isWatched: true })
}

/** The catalogue, which sessions with other tools share. */
async function keptCatalogue(scope: SkillScope, fileMemo: FileMemo, watch: WatchPath): Promise<SkillCatalogue> {
  const key = JSON.stringify(['skill catalogue', scope.home.dir, externalFolders(scope)])
  const { catalogue, paths } = await fileMemo.of(key, async (watchOwn) => {
    const seen = new Set<string>()
    const loaded = await loadCatalogue(scope, (path) => {
      seen.add(path)
      watchOwn(path)
    })
    return { catalogue: loaded, paths: [...seen] }
  })
  // A path that has changed since the catalogue was read has changed just now, and what comes of it is not kept.
  for (const path of paths) watch(path)
  return catalogue
}

/** What the index depends on beside files: the same settings and tools are the same objects. */
function keyOf(options: SkillsIndexOptions): readonly unknown[] {
  const { home, config, environment, platform, tools } = options
  const face = platform ?? environment['HERMES_PLATFORM']
  return ['skills', home.dir, externalFolders(options).join('\n'), face, config.skills, tools]
}

async function makeIndex(options: SkillsIndexOptions, catalogue: SkillCatalogue): Promise<string> {
  const { tools } = options
  const presence = {
    tools: new Set(tools.keys()),
    toolsets: new Set([...tools.values()].map(({ toolset }) => toolset)),
  }
  const shown = catalogue.skills.filter(
    (entry) => runsHere(entry.platforms) && !isDisabled(entry, options) && suitsTools(entry, presence),
  )
  if (shown.length === 0) return ''
  const listed = shown.slice(0, maxListed)
  const steering = await steeringTexts(listed, catalogue, options.home)
  return [
    '## Skills (mandatory)',
    guidance(presence.tools),
    '<available_skills>',
    ...lines(listed, catalogue, (text) => (steering.has(text) ? '(description withheld)' : short(text))),
    ...(shown.length > maxListed ? [`  (${shown.length - maxListed} more: skills_list)`] : []),
    '</available_skills>',
    'If none fits, go on without.',
  ].join('\n')
}

function guidance(tools: ReadonlySet<string>): string {
  const load = tools.has('skill_view')
    ? 'Before you begin a task, look through these skills: if one fits even in part, load it with skill_view(name) and follow it. '
    : ''
  const keep = tools.has('skill_manage')
    ? 'When one proves wrong or incomplete, correct it at once with skill_manage(action: patch). After a hard task that will come again, offer to save the way as a skill. '
    : ''
  return `${load}${keep}Skills are advice: they grant no rights and do not replace consent.`
}

/** Descriptions that try to steer the agent. */
async function steeringTexts(
  skills: readonly SkillEntry[],
  { categories }: SkillCatalogue,
  home: Home,
): Promise<ReadonlySet<string>> {
  const shownCategories = new Set(skills.map(({ category }) => category))
  const abouts = [...shownCategories].flatMap((category) => categories.get(category) ?? [])
  const texts = [...new Set([...skills.map(({ description }) => description), ...abouts])].sort()
  const found = await scanSkillTexts(texts, home)
  return new Set(texts.filter((_, at) => (found[at]?.length ?? 0) > 0))
}

function lines(
  skills: readonly SkillEntry[],
  { categories }: SkillCatalogue,
  shown: (text: string) => string,
): string[] {
  const groups = Map.groupBy(skills, ({ category }) => category)
  return [...groups.keys()].sort().flatMap((category) => {
    const about = categories.get(category)
    return [
      about === undefined ? `  ${category}:` : `  ${category}: ${shown(about)}`,
      ...(groups.get(category) ?? []).map(({ name, description }) => {
        return description === '' ? `    - ${name}` : `    - ${name}: ${shown(description)}`
      }),
    ]
  })
}

/** Cut at the end of a word. */
function short(text: string): string {
  const plain = text.replaceAll(/[<>]/g, '')
  if (plain.length <= indexDescriptionChars) return plain
  const cut = plain.slice(0, indexDescriptionChars - 1)
  const space = cut.lastIndexOf(' ')
  const whole = space > indexDescriptionChars / 2 ? cut.slice(0, space) : cut
  return `${whole.replace(/[\s,;:–-]+$/, '').toWellFormed()}…`
}
