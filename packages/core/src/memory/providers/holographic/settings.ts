import { isAbsolute } from 'node:path'
import { z } from 'zod'
import type { Home } from '../../../config/home.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import { usualMinTrust } from './tools.ts'

/** The form writes everything as text. */
const flag = z.union([z.boolean(), z.stringbool()])

const schema = z.looseObject({
  db_path: z.string().default(''),
  auto_extract: flag.default(false),
  default_trust: z.coerce.number().min(0).max(1).default(0.5),
  hrr_dim: z.coerce.number().int().min(64).max(8_192).default(1_024),
  min_trust_threshold: z.coerce.number().min(0).max(1).default(usualMinTrust),
  temporal_decay_half_life: z.coerce.number().min(0).default(0),
})

export interface FactSettings {
  readonly path: string
  readonly findsFacts: boolean
  readonly defaultTrust: number
  readonly dim: number
  readonly minTrust: number
  readonly halfLifeDays: number
}

/** Reads `plugins.hermes-memory-store`. Throws `MemoryProviderError` that names the wrong key. */
export function factSettings(settings: unknown, home: Home, userHome: string | undefined): FactSettings {
  const result = schema.safeParse(settings)
  if (!result.success) {
    const [issue] = result.error.issues
    const key = issue?.path.join('.')
    throw new MemoryProviderError('unconfigured', `plugins.hermes-memory-store.${key} is not right: ${issue?.message}`)
  }
  const { data } = result
  return {
    path: databasePath(data.db_path, home, userHome),
    findsFacts: data.auto_extract,
    defaultTrust: data.default_trust,
    dim: data.hrr_dim,
    minTrust: data.min_trust_threshold,
    halfLifeDays: data.temporal_decay_half_life,
  }
}

function databasePath(text: string, home: Home, userHome: string | undefined): string {
  const expanded = text
    .trim()
    .replace(/\$HERMES_HOME\b|\$\{HERMES_HOME\}/g, () => home.dir)
    .replace(/^~(?=\/|$)/, () => userHome ?? '~')
  if (expanded === '') return home.path('memory_store.db')
  return isAbsolute(expanded) ? expanded : home.path(expanded)
}
