import type { Environment } from '../agent/context.ts'
import type { Config } from '../config/schema.ts'
import type { Home } from '../config/home.ts'

/** Whose skills are meant, and for which face. An agent's context with a platform is one. */
export interface SkillScope {
  readonly home: Home
  readonly config: Pick<Config, 'skills'>
  readonly environment: Environment
  /** The face's name (`cli`, `telegram` …), which may have skills of its own switched off. */
  readonly platform?: string
}

/** The folder that all changes go to. */
export function homeSkillsFolder(home: Home): string {
  return home.path('skills')
}
