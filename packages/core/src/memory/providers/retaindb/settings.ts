import { basename } from 'node:path'
import type { MemoryProviderStart } from '../../memory-provider.ts'

export const retainDbUrl = 'https://api.retaindb.com'

export interface RetainDbSettings {
  readonly apiKey: string | undefined
  readonly baseUrl: string
  /** Memories of one project are seen by no other. */
  readonly project: string
  readonly userId: string
  readonly agentId: string
}

type SettingsStart = Pick<MemoryProviderStart, 'home' | 'environment'> & Partial<Pick<MemoryProviderStart, 'userId'>>

/** Settings of RetainDB, from the environment. A profile of its own has a project of its own. */
export function retainDbSettings({ home, environment, userId }: SettingsStart): RetainDbSettings {
  const set = (name: string) => environment[name]?.trim() || undefined
  const folder = basename(home.dir)
  return {
    apiKey: set('RETAINDB_API_KEY')?.replace(/^Bearer\s+/i, ''),
    baseUrl: set('RETAINDB_BASE_URL') ?? retainDbUrl,
    project: set('RETAINDB_PROJECT') ?? (folder === '.hermes' || folder === '' ? 'default' : `hermes-${folder}`),
    userId: userId || 'default',
    agentId: 'hermes',
  }
}
