import { z } from 'zod'
import type { Home } from '../../../config/home.ts'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { textSetting, yesOrNo } from '../setting-kinds.ts'
import { parseSettings, readSettingsFile, withoutBlanks } from '../settings-file.ts'

export interface SupermemorySettings {
  readonly apiKey: string | undefined
  readonly baseUrl: string
  readonly timeoutMs: number
  /** Where memories are kept unless something else is said. */
  readonly containerTag: string
  readonly autoRecall: boolean
  readonly autoCapture: boolean
  /** Whether short messages are kept too. */
  readonly capturesEverything: boolean
  readonly maxRecallResults: number
  /** Turns after which the profile comes with a message again. */
  readonly profileFrequency: number
  readonly searchMode: 'hybrid' | 'memories' | 'documents'
  /** Tells the service what is worth remembering. */
  readonly entityContext: string
  /** Containers that the tools may name, the usual one first; only that where there are no others. */
  readonly containers: readonly string[]
  /** What the model is told of them. */
  readonly containerInstructions: string
}

type SettingsStart = Pick<MemoryProviderStart, 'home' | 'environment'> &
  Partial<Pick<MemoryProviderStart, 'identity' | 'userId'>>

const between = (fallback: number, min: number, max: number) =>
  z.coerce
    .number()
    .default(fallback)
    .transform((value) => Math.min(Math.max(value, min), max))

const schema = z.looseObject({
  container_tag: textSetting,
  base_url: textSetting,
  api_timeout: between(5, 0.5, 15),
  auto_recall: yesOrNo.default(true),
  auto_capture: yesOrNo.default(true),
  capture_mode: z.enum(['all', 'everything']).default('all'),
  max_recall_results: between(10, 1, 20),
  profile_frequency: between(50, 1, 500),
  search_mode: z.enum(['hybrid', 'memories', 'documents']).default('hybrid'),
  entity_context: textSetting,
  enable_custom_container_tags: yesOrNo.default(false),
  custom_containers: z.array(z.string()).default([]),
  custom_container_instructions: z.string().trim().default(''),
})

const defaultUrl = 'https://api.supermemory.ai'
const defaultTag = 'hermes'
/** The service's limits. */
const maxEntityContextChars = 1500
const maxTagChars = 100

const defaultEntityContext = `A conversation between a person and their assistant.
Keep what will matter in later conversations: lasting facts about the person, preferences, routines, tools, projects that go on, and what they ask to be remembered.
Leave out passing wishes, single tasks, what the assistant did and how far it got. If in doubt, leave it out.`

/** Settings of `supermemory.json`; the container's tag of the environment goes before. */
export async function readSupermemorySettings(start: SettingsStart): Promise<SupermemorySettings> {
  const { home, environment } = start
  const path = supermemoryPath(home)
  const own = parseSettings(schema, withoutBlanks((await readSettingsFile(path)) ?? {}), path)
  const variable = (name: string) => environment[name]?.trim() || undefined
  const template = variable('SUPERMEMORY_CONTAINER_TAG') ?? own.container_tag ?? defaultTag
  const containerTag = containerTagOf(
    template.replaceAll('{identity}', start.identity ?? 'default').replaceAll('{user}', start.userId ?? ''),
  )
  const custom = own.enable_custom_container_tags ? own.custom_containers.map(containerTagOf) : []
  return {
    apiKey: variable('SUPERMEMORY_API_KEY'),
    baseUrl: own.base_url ?? variable('SUPERMEMORY_BASE_URL') ?? defaultUrl,
    timeoutMs: own.api_timeout * 1000,
    containerTag,
    autoRecall: own.auto_recall,
    autoCapture: own.auto_capture,
    capturesEverything: own.capture_mode === 'everything',
    maxRecallResults: Math.round(own.max_recall_results),
    profileFrequency: Math.round(own.profile_frequency),
    searchMode: own.search_mode,
    entityContext: (own.entity_context ?? defaultEntityContext).slice(0, maxEntityContextChars),
    containers: [...new Set([containerTag, ...custom])],
    containerInstructions: own.custom_container_instructions,
  }
}

export function supermemoryPath(home: Home): string {
  return home.path('supermemory.json')
}

/** A name as upstream makes a container's tag of it: letters, digits and single underscores. */
export function containerTagOf(name: string): string {
  const tag = name.replaceAll(/[^a-zA-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return tag.slice(0, maxTagChars) || defaultTag
}
