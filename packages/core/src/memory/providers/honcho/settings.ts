import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { Home } from '../../../config/home.ts'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { textSetting, yesOrNo } from '../setting-kinds.ts'
import { mergeSettingsFile, parseSettings, readSettingsFile, withoutBlanks } from '../settings-file.ts'

export type RecallMode = 'hybrid' | 'context' | 'tools'
export type ReasoningLevel = (typeof reasoningLevels)[number]
export type SessionStrategy = 'per-directory' | 'per-session' | 'per-repo' | 'global'
/** `turn` and `async`: after each turn; `session`: at the end; a number: after so many turns. */
export type WriteFrequency = 'async' | 'turn' | 'session' | number

export const reasoningLevels = ['minimal', 'low', 'medium', 'high', 'max'] as const

/** Who learns of whom from a conversation. */
export interface Observation {
  readonly observe_me: boolean
  readonly observe_others: boolean
}

export interface HonchoSettings {
  readonly isEnabled: boolean
  readonly apiKey: string | undefined
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly workspace: string
  readonly peerName: string | undefined
  readonly aiPeer: string
  /** One person behind every account of every platform. */
  readonly isPeerPinned: boolean
  readonly peerAliases: Readonly<Record<string, string>>
  readonly runtimePeerPrefix: string
  readonly saveMessages: boolean
  readonly writeFrequency: WriteFrequency
  readonly recallMode: RecallMode
  readonly user: Observation
  readonly ai: Observation
  readonly sessionStrategy: SessionStrategy
  readonly hasSessionPeerPrefix: boolean
  /** Absolute folder to session name. */
  readonly sessions: Readonly<Record<string, string>>
  readonly contextTokens: number | undefined
  readonly contextCadence: number
  readonly recallsFirstTurnOnly: boolean
  readonly dialecticCadence: number
  readonly dialecticLevel: ReasoningLevel
  readonly dialecticLevelCap: ReasoningLevel
  readonly isDialecticDynamic: boolean
  readonly dialecticMaxChars: number
  readonly dialecticMaxInputChars: number
  readonly messageMaxChars: number
}

type SettingsStart = Pick<MemoryProviderStart, 'home' | 'environment' | 'settings'> &
  Partial<Pick<MemoryProviderStart, 'identity'>>

const text = textSetting.catch(undefined)
const whole = (fallback: number, min = 1) => z.coerce.number().int().min(min).catch(fallback)
const flag = (fallback: boolean) => yesOrNo.catch(fallback)
const observation = z
  .looseObject({ observeMe: z.boolean().optional(), observeOthers: z.boolean().optional() })
  .optional()
  .catch(undefined)

/** Unknown values fall back to what holds without them, as Honcho's other programs that share the file do. */
const schema = z.looseObject({
  enabled: z.boolean().optional().catch(undefined),
  apiKey: text,
  baseUrl: text,
  base_url: text,
  endpoint: z.looseObject({ baseUrl: text }).optional().catch(undefined),
  environment: text,
  timeout: z.coerce.number().positive().optional().catch(undefined),
  requestTimeout: z.coerce.number().positive().optional().catch(undefined),
  workspace: text,
  peerName: text,
  aiPeer: text,
  pinUserPeer: z.boolean().optional().catch(undefined),
  pinPeerName: z.boolean().optional().catch(undefined),
  userPeerAliases: z.record(z.string(), z.string()).catch({}),
  runtimePeerPrefix: z.string().catch(''),
  saveMessages: flag(true),
  writeFrequency: z.union([z.enum(['async', 'turn', 'session']), z.coerce.number().int().min(1)]).catch('async'),
  recallMode: z
    .union([z.enum(['hybrid', 'context', 'tools']), z.literal('auto').transform(() => 'hybrid' as const)])
    .catch('hybrid'),
  observationMode: z.string().optional().catch(undefined),
  observation: z.looseObject({ user: observation, ai: observation }).optional().catch(undefined),
  sessionStrategy: z.enum(['per-directory', 'per-session', 'per-repo', 'global']).catch('per-directory'),
  sessionPeerPrefix: flag(false),
  sessions: z.record(z.string(), z.string()).catch({}),
  contextTokens: z.coerce.number().int().min(1).optional().catch(undefined),
  contextCadence: whole(1),
  injectionFrequency: z.string().optional().catch(undefined),
  dialecticCadence: whole(1),
  dialecticReasoningLevel: z.enum(reasoningLevels).catch('low'),
  reasoningLevelCap: z.enum(reasoningLevels).catch('high'),
  dialecticDynamic: flag(true),
  reasoningHeuristic: flag(true),
  dialecticMaxChars: whole(600),
  dialecticMaxInputChars: whole(10_000),
  messageMaxChars: whole(25_000),
})

const cloudUrl = 'https://api.honcho.dev'
const localUrl = 'http://localhost:8000'
/** Honcho's own limit of a message, and of a question. */
const limits = { messageChars: 25_000, questionChars: 10_000 }
const defaultTimeoutMs = 30_000

/**
 * Settings of this profile: its block under `hosts` of the file, over the rest of the file, over the environment. What
 * `config.yaml` says under `honcho:` is over all of them.
 */
export async function readHonchoSettings(start: SettingsStart): Promise<HonchoSettings> {
  const { environment } = start
  const file = await readFirst(settingsPaths(start.home, environment))
  const host = hostName(start, file)
  const own = parseSettings(
    schema,
    { ...withoutBlanks(file), ...withoutBlanks(hostBlock(file, host)), ...withoutBlanks(start.settings) },
    'Settings of Honcho',
  )
  const environmentName = own.environment ?? environment['HONCHO_ENVIRONMENT']
  const given = own.baseUrl ?? own.base_url ?? own.endpoint?.baseUrl ?? environment['HONCHO_BASE_URL']?.trim()
  const baseUrl = given || (environmentName === 'local' ? localUrl : undefined)
  const apiKey = own.apiKey ?? (environment['HONCHO_API_KEY']?.trim() || undefined)
  const seconds = own.timeout ?? own.requestTimeout ?? Number(environment['HONCHO_TIMEOUT'])
  // Files from before there was the setting meant the narrower way.
  const mode = own.observationMode ?? (Object.keys(hostBlock(file, host)).length > 0 ? 'unified' : 'directional')
  const isNarrow = mode === 'unified' || mode === 'shared'
  return {
    isEnabled: own.enabled ?? (apiKey !== undefined || baseUrl !== undefined),
    apiKey,
    baseUrl: baseUrl ?? cloudUrl,
    timeoutMs: seconds > 0 ? seconds * 1000 : defaultTimeoutMs,
    workspace: honchoId(own.workspace ?? host),
    peerName: own.peerName,
    aiPeer: honchoId(own.aiPeer ?? host),
    isPeerPinned: own.pinUserPeer ?? own.pinPeerName ?? false,
    peerAliases: own.userPeerAliases,
    runtimePeerPrefix: own.runtimePeerPrefix,
    saveMessages: own.saveMessages,
    writeFrequency: own.writeFrequency,
    recallMode: own.recallMode,
    user: {
      observe_me: own.observation?.user?.observeMe ?? true,
      observe_others: own.observation?.user?.observeOthers ?? !isNarrow,
    },
    ai: {
      observe_me: own.observation?.ai?.observeMe ?? !isNarrow,
      observe_others: own.observation?.ai?.observeOthers ?? true,
    },
    sessionStrategy: own.sessionStrategy,
    hasSessionPeerPrefix: own.sessionPeerPrefix,
    sessions: own.sessions,
    contextTokens: own.contextTokens,
    contextCadence: own.contextCadence,
    recallsFirstTurnOnly: own.injectionFrequency === 'first-turn',
    dialecticCadence: own.dialecticCadence,
    dialecticLevel: own.dialecticReasoningLevel,
    dialecticLevelCap: own.reasoningLevelCap,
    isDialecticDynamic: own.dialecticDynamic && own.reasoningHeuristic,
    dialecticMaxChars: own.dialecticMaxChars,
    dialecticMaxInputChars: Math.min(own.dialecticMaxInputChars, limits.questionChars),
    messageMaxChars: Math.min(own.messageMaxChars, limits.messageChars),
  }
}

/** Where the profile's own settings are written. */
export function honchoPath(home: Home): string {
  return home.path('honcho.json')
}

/**
 * Writes settings to the profile's own file: into its block of `hosts` where there is one, which goes before the rest.
 */
export async function saveHonchoSettings(values: Readonly<Record<string, unknown>>, home: Home): Promise<void> {
  const path = honchoPath(home)
  const file = (await readSettingsFile(path)) ?? {}
  const identity = basename(dirname(home.dir)) === 'profiles' ? basename(home.dir) : 'default'
  const host = hostName({ environment: {}, identity }, file)
  const name = blockName(file, host)
  if (name === undefined) return mergeSettingsFile(path, values)
  const hosts = isObject(file['hosts']) ? file['hosts'] : {}
  return mergeSettingsFile(path, { hosts: { ...hosts, [name]: { ...hostBlock(file, host), ...values } } })
}

/** A name as Honcho takes it: letters, digits, `_` and `-`. */
export function honchoId(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '-')
}

function settingsPaths(home: Home, environment: MemoryProviderStart['environment']): readonly string[] {
  const parent = dirname(home.dir)
  const ofDefaultProfile = basename(parent) === 'profiles' ? [join(dirname(parent), 'honcho.json')] : []
  return [honchoPath(home), ...ofDefaultProfile, join(environment['HOME'] || homedir(), '.honcho', 'config.json')]
}

async function readFirst(paths: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  for (const path of paths) {
    const settings = await readSettingsFile(path)
    if (settings) return settings
  }
  return {}
}

function hostName(
  { environment, identity = 'default' }: Pick<SettingsStart, 'environment' | 'identity'>,
  file: Readonly<Record<string, unknown>>,
): string {
  const explicit = environment['HERMES_HONCHO_HOST']?.trim()
  if (explicit) return explicit
  if (identity !== 'default' && identity !== '') return `hermes_${identity.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`
  return typeof file['defaultHost'] === 'string' && file['defaultHost'] !== '' ? file['defaultHost'] : 'hermes'
}

/** What a host's block is called in the file, where there is one. Blocks of profiles were once `hermes.<profile>`. */
function blockName(file: Readonly<Record<string, unknown>>, host: string): string | undefined {
  const hosts = file['hosts']
  if (!isObject(hosts)) return undefined
  return [host, host.replace(/^hermes_/, 'hermes.')].find((name) => isObject(hosts[name]))
}

function hostBlock(file: Readonly<Record<string, unknown>>, host: string): Readonly<Record<string, unknown>> {
  const hosts = file['hosts']
  const block = isObject(hosts) ? hosts[blockName(file, host) ?? ''] : undefined
  return isObject(block) ? block : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
