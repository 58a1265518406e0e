import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { splitFrontmatter } from '../../skills/frontmatter.ts'
import { findProjectRoot, foldersUpward } from './project-root.ts'
import type { ProjectRoot } from './project-root.ts'
import { readContextFile } from './read-context-file.ts'
import type { ContextFileOutcome, ContextFileRules } from './read-context-file.ts'
import { shorten } from './shorten.ts'

/** Most characters of one source. */
const maxChars = 20_000

/** Rule files of one folder that are read. */
const maxRuleFiles = 100

/** A project's own notes for the agent. */
export interface ProjectFile {
  /** As it is called in the project. */
  readonly name: string
  readonly text: string
}

export interface ProjectContext {
  readonly files: readonly ProjectFile[]
  /** What was left out and why, for people. */
  readonly problems: readonly string[]
}

/**
 * The notes that a project has for agents, by the first of these that is there and not empty: `.hermes.md` or
 * `HERMES.md` in `cwd` or above it, up to the top of the repository; `AGENTS.md`; `CLAUDE.md`; Cursor's rules, in `cwd`
 * alone. One that must be left out is told, and no other stands in for it.
 */
export async function projectContext(cwd: string, rules: ContextFileRules): Promise<ProjectContext> {
  const project = await findProjectRoot(cwd, rules.watch)
  return (
    (await hermesFile(project, rules)) ??
    (await firstOf(['AGENTS.md', 'agents.md'], project, rules)) ??
    (await firstOf(['CLAUDE.md', 'claude.md'], project, rules)) ??
    (await cursorRules(project, rules)) ?? { files: [], problems: [] }
  )
}

async function hermesFile({ folder, gitRoot }: ProjectRoot, rules: ContextFileRules) {
  for (const place of foldersUpward(folder, gitRoot)) {
    for (const name of ['.hermes.md', 'HERMES.md']) {
      // Outside a repository the way up ends at folders like /tmp, where anybody can put a file.
      const mustBeOwn = gitRoot === undefined && place !== folder
      const outcome = await readContextFile({ path: join(place, name), root: gitRoot ?? place, mustBeOwn }, rules)
      const found = outcome && contextOf(name, withoutFrontmatter(outcome))
      if (found) return found
    }
  }
  return undefined
}

async function firstOf(names: readonly string[], project: ProjectRoot, rules: ContextFileRules) {
  for (const name of names) {
    const outcome = await readIn(project, name, rules)
    if (outcome) return contextOf(name, outcome)
  }
  return undefined
}

/** `.cursorrules` and `.cursor/rules/*.mdc` are one source. */
async function cursorRules(project: ProjectRoot, rules: ContextFileRules): Promise<ProjectContext | undefined> {
  const folder = join(project.folder, '.cursor', 'rules')
  rules.watch?.(folder)
  const entries = await namesIn(folder)
  const ruleFiles = entries.filter((name) => name.endsWith('.mdc')).sort()
  const names = ['.cursorrules', ...ruleFiles.slice(0, maxRuleFiles).map((name) => `.cursor/rules/${name}`)]
  const files: ProjectFile[] = []
  const problems: string[] = []
  let left = maxChars
  for (const name of names) {
    const outcome = await readIn(project, name, rules)
    if (outcome?.type === 'problem') problems.push(outcome.problem)
    if (outcome?.type !== 'text') continue
    if (left <= 0) {
      problems.push(`${join(project.folder, name)} finds no room: Cursor's rules have more than ${maxChars} characters`)
      continue
    }
    files.push({ name, text: shorten(outcome.text, { maxChars: left, name }) })
    left -= outcome.text.length
  }
  return files.length + problems.length > 0 ? { files, problems } : undefined
}

function readIn({ folder, gitRoot }: ProjectRoot, name: string, rules: ContextFileRules) {
  return readContextFile({ path: join(folder, name), root: gitRoot ?? folder }, rules)
}

/** Undefined when nothing is left of it. */
function contextOf(name: string, outcome: ContextFileOutcome): ProjectContext | undefined {
  if (outcome.type === 'problem') return { files: [], problems: [outcome.problem] }
  if (outcome.text === '') return undefined
  return { files: [{ name, text: shorten(outcome.text, { maxChars, name }) }], problems: [] }
}

function withoutFrontmatter(outcome: ContextFileOutcome): ContextFileOutcome {
  if (outcome.type !== 'text') return outcome
  const parts = splitFrontmatter(outcome.text)
  return parts ? { type: 'text', text: parts.body.trim() } : outcome
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}
