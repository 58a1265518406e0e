import type { SkillEntry } from './catalogue.ts'
import type { SkillScope } from './skill-scope.ts'

const systems: Readonly<Record<string, string>> = {
  macos: 'darwin',
  darwin: 'darwin',
  windows: 'win32',
  win32: 'win32',
}

/** Whether a skill for these systems (none: all) is for this one. */
export function runsHere(platforms: readonly string[], system: NodeJS.Platform = process.platform): boolean {
  return platforms.length === 0 || platforms.some((name) => (systems[name] ?? name) === system)
}

/** Whether a person switched the skill off: for this platform, or, where that has no list of its own, altogether. */
export function isDisabled({ name, title }: Pick<SkillEntry, 'name' | 'title'>, scope: SkillScope): boolean {
  const { disabled, platform_disabled } = scope.config.skills
  const platform = scope.platform ?? scope.environment['HERMES_PLATFORM']
  const off = (platform !== undefined && platform_disabled[platform]) || disabled
  return off.includes(name) || off.includes(title)
}

/** Which tools a session has. */
export interface ToolPresence {
  readonly tools: ReadonlySet<string>
  readonly toolsets: ReadonlySet<string>
}

/** Whether a skill is of use with these tools. */
export function suitsTools({ conditions }: Pick<SkillEntry, 'conditions'>, { tools, toolsets }: ToolPresence): boolean {
  const { requiresToolsets, requiresTools, fallbackForToolsets, fallbackForTools } = conditions
  return (
    requiresToolsets.every((name) => toolsets.has(name)) &&
    requiresTools.every((name) => tools.has(name)) &&
    !fallbackForToolsets.some((name) => toolsets.has(name)) &&
    !fallbackForTools.some((name) => tools.has(name))
  )
}
