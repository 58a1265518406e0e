import { getAt } from '../config/tree.ts'
import type { SkillMetadata } from './metadata.ts'
import type { SkillScope } from './skill-scope.ts'

/** The values of the settings that a skill declares: of `skills.config.<key>`, else its own default. */
export function skillSettings(
  { settings }: SkillMetadata,
  { config, environment }: SkillScope,
): Record<string, unknown> {
  return Object.fromEntries(
    settings.map(({ key, default: fallback }) => {
      const value = getAt(config.skills.config, key.split('.')) ?? config.skills.config[key] ?? fallback ?? null
      return [key, typeof value === 'string' ? expanded(value, environment) : value]
    }),
  )
}

/** `~` and variables of the environment, as in `skills.external_dirs`. */
function expanded(text: string, environment: SkillScope['environment']): string {
  return text
    .replace(/^~(?=\/|$)/, environment['HOME'] ?? '~')
    .replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, bare?: string) => {
      return environment[braced ?? bare ?? ''] ?? whole
    })
}
