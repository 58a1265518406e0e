import { z } from 'zod'
import type { Home } from '../../../config/home.ts'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { textSetting, yesOrNo } from '../setting-kinds.ts'
import { parseSettings, readSettingsFile, withoutBlanks } from '../settings-file.ts'

export interface Mem0Settings {
  /** Absent for a server of one's own that takes none. */
  readonly apiKey: string | undefined
  /** The service in the cloud, or the open-source server, which has paths and an authorization of its own. */
  readonly kind: 'cloud' | 'server'
  readonly baseUrl: string
  /** Whose memories they are, where the platform does not say who speaks. */
  readonly userId: string
  readonly agentId: string
  readonly rerank: boolean
}

type SettingsStart = Pick<MemoryProviderStart, 'home' | 'environment'>

const schema = z.looseObject({
  api_key: textSetting,
  host: textSetting,
  base_url: textSetting,
  user_id: textSetting,
  agent_id: textSetting,
  rerank: yesOrNo.default(true),
})

const cloudUrl = 'https://api.mem0.ai'

/** Settings of `mem0.json`, over the environment. */
export async function readMem0Settings({ home, environment }: SettingsStart): Promise<Mem0Settings> {
  const path = mem0Path(home)
  const own = parseSettings(schema, withoutBlanks((await readSettingsFile(path)) ?? {}), path)
  const variable = (name: string) => environment[name]?.trim() || undefined
  const host = own.host ?? variable('MEM0_HOST')
  return {
    apiKey: own.api_key ?? variable('MEM0_API_KEY'),
    kind: host === undefined ? 'cloud' : 'server',
    baseUrl: host ?? own.base_url ?? variable('MEM0_BASE_URL') ?? cloudUrl,
    userId: own.user_id ?? variable('MEM0_USER_ID') ?? 'hermes-user',
    agentId: own.agent_id ?? variable('MEM0_AGENT_ID') ?? 'hermes',
    rerank: own.rerank,
  }
}

export function mem0Path(home: Home): string {
  return home.path('mem0.json')
}
