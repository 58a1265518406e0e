import { createHttpClient } from '../../models/net/http-client.ts'
import type { SkillScope } from '../skill-scope.ts'
import { createGitHub } from './github.ts'
import { createIndexCache } from './index-cache.ts'
import type { SkillSource, SourceContext } from './source.ts'
import { sources } from './sources/registry.ts'
import { createWeb } from './web.ts'

/** The skills of others, for one home: what all operations on them work with. */
export interface Hub extends SourceContext {
  readonly scope: SkillScope
  /** Opens sources, in the order in which they are asked. */
  open(names?: readonly string[]): Promise<readonly SkillSource[]>
  /** What people should know beside results: an old list, a source that did not answer. */
  readonly notices: string[]
}

export interface HubOptions {
  readonly scope: SkillScope
  /** Where relative paths start. */
  readonly cwd: string
  readonly now?: () => number
}

/** Opens the hub of a home. Touches neither network nor disk until it is used. */
export function openHub({ scope, cwd, now = Date.now }: HubOptions): Hub {
  const { home, environment } = scope
  const notices: string[] = []
  const web = createWeb(createHttpClient(environment))
  const github = createGitHub({ environment, web, now })
  const cache = createIndexCache(home, now, (message) => notices.push(message))
  const context: SourceContext = { home, environment, cwd, web, github, cache, now }
  return {
    ...context,
    scope,
    notices,
    async open(names = Object.keys(sources)) {
      const loaders = names.flatMap((name) => sources[name] ?? [])
      return Promise.all(loaders.map((load) => load(context)))
    },
  }
}
