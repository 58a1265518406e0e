import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import type { SkillBundle, SkillListing } from './bundle.ts'
import type { GitHub } from './github.ts'
import type { IndexCache } from './index-cache.ts'
import type { Web } from './web.ts'

/** A place that skills come from. */
export interface SkillSource {
  /** e.g. `github`; the value of `--source`. */
  readonly name: string
  /** Whether an identifier is one of its own. */
  accepts(identifier: string): boolean
  /**
   * What it offers: for a query what fits, best first; for `''` everything that it lists. Absent where it cannot be
   * searched. Throws `HubError`.
   */
  list?(query: string, limit: number, signal: AbortSignal): Promise<readonly SkillListing[]>
  /** One skill with all files. Throws `HubError`. */
  fetch(identifier: string, signal: AbortSignal): Promise<SkillBundle>
}

/** What sources work with. */
export interface SourceContext {
  readonly home: Home
  readonly environment: Environment
  /** Where relative paths start. */
  readonly cwd: string
  readonly web: Web
  readonly github: GitHub
  readonly cache: IndexCache
  readonly now: () => number
}
