import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { Home } from '../../../config/home.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import { textSetting, wordList, yesOrNo } from '../setting-kinds.ts'
import { parseSettings, readSettingsFile, withoutBlanks } from '../settings-file.ts'

export type Budget = 'low' | 'mid' | 'high'
export type MemoryMode = 'hybrid' | 'context' | 'tools'

export interface HindsightSettings {
  /** `embedded`: upstream's own Python process, which Hermes does not start. */
  readonly mode: 'cloud' | 'external' | 'embedded'
  readonly apiKey: string | undefined
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly bank: string
  /** What the bank is for, where the person has said it: for answers, and for what is kept. */
  readonly mission: string | undefined
  readonly retainMission: string | undefined
  readonly memoryMode: MemoryMode
  readonly budget: Budget
  readonly autoRecall: boolean
  /** Facts as they are, or an answer made from them. */
  readonly recallMethod: 'recall' | 'reflect'
  readonly recallMaxTokens: number
  readonly recallMaxInputChars: number
  readonly recallPreamble: string
  readonly recallTags: readonly string[]
  readonly recallTagsMatch: string
  /** All kinds of facts where it is empty. */
  readonly recallTypes: readonly string[]
  readonly autoRetain: boolean
  /** Whether the service answers before it has worked on what it gets. */
  readonly retainAsync: boolean
  readonly retainEveryTurns: number
  readonly retainContext: string
  readonly retainTags: readonly string[]
  readonly retainSource: string
  readonly userPrefix: string
  readonly assistantPrefix: string
}

type SettingsStart = Pick<MemoryProviderStart, 'home' | 'environment'> & Partial<MemoryProviderStart>

const budget = z.enum(['low', 'mid', 'high'])

const schema = z.looseObject({
  mode: z.enum(['cloud', 'local', 'local_embedded', 'local_external']).optional(),
  apiKey: textSetting,
  api_key: textSetting,
  api_url: textSetting,
  timeout: z.coerce.number().positive().optional(),
  bank_id: textSetting,
  bank_id_template: textSetting,
  bank_mission: textSetting,
  bank_retain_mission: textSetting,
  banks: z
    .looseObject({ hermes: z.looseObject({ bankId: textSetting, budget: budget.optional() }).optional() })
    .optional(),
  budget: budget.optional(),
  recall_budget: budget.optional(),
  memory_mode: z.enum(['hybrid', 'context', 'tools']).default('hybrid'),
  auto_recall: yesOrNo.default(true),
  recall_prefetch_method: z.enum(['recall', 'reflect']).optional(),
  prefetch_method: z.enum(['recall', 'reflect']).optional(),
  recall_max_tokens: z.coerce.number().int().min(1).default(4096),
  recall_max_input_chars: z.coerce.number().int().min(1).default(800),
  recall_prompt_preamble: z.string().default('What long-term memory holds that bears on the message:'),
  recall_tags: wordList.default([]),
  recall_tags_match: z.enum(['any', 'all', 'any_strict', 'all_strict']).default('any'),
  recall_types: wordList.default([]),
  auto_retain: yesOrNo.default(true),
  retain_async: yesOrNo.default(true),
  retain_every_n_turns: z.coerce.number().int().min(1).default(1),
  retain_context: z.string().default('conversation between Hermes Agent and the User'),
  retain_tags: wordList.optional(),
  retain_source: z.string().optional(),
  retain_user_prefix: z.string().optional(),
  retain_assistant_prefix: z.string().optional(),
})

const cloudUrl = 'https://api.hindsight.vectorize.io'
const localUrl = 'http://localhost:8888'
/** Its cloud may take 40 s for an answer. */
const defaultTimeoutMs = 120_000

/** Settings of `hindsight/config.json` of the home, or of `~/.hindsight`; the environment fills in what they leave out. */
export async function readHindsightSettings(start: SettingsStart): Promise<HindsightSettings> {
  const { home, environment } = start
  const paths = [hindsightPath(home), join(environment['HOME'] || homedir(), '.hindsight', 'config.json')]
  const file = (await readSettingsFile(paths[0] ?? '')) ?? (await readSettingsFile(paths[1] ?? '')) ?? {}
  const own = parseSettings(schema, withoutBlanks(file), 'Settings of Hindsight')
  const variable = (name: string) => environment[name]?.trim() || undefined
  const bank = own.banks?.hermes
  const mode = modeOf(own.mode ?? variable('HINDSIGHT_MODE') ?? 'cloud')
  return {
    mode,
    apiKey: own.apiKey ?? own.api_key ?? variable('HINDSIGHT_API_KEY'),
    baseUrl: own.api_url ?? variable('HINDSIGHT_API_URL') ?? (mode === 'cloud' ? cloudUrl : localUrl),
    timeoutMs: (own.timeout ?? Number(variable('HINDSIGHT_TIMEOUT') ?? 0)) * 1000 || defaultTimeoutMs,
    bank:
      filledIn(own.bank_id_template ?? '', start) ||
      (own.bank_id ?? bank?.bankId ?? variable('HINDSIGHT_BANK_ID') ?? 'hermes'),
    mission: own.bank_mission,
    retainMission: own.bank_retain_mission,
    memoryMode: own.memory_mode,
    budget: own.recall_budget ?? own.budget ?? bank?.budget ?? budgetOf(variable('HINDSIGHT_BUDGET')),
    autoRecall: own.auto_recall,
    recallMethod: own.recall_prefetch_method ?? own.prefetch_method ?? 'recall',
    recallMaxTokens: own.recall_max_tokens,
    recallMaxInputChars: own.recall_max_input_chars,
    recallPreamble: own.recall_prompt_preamble,
    recallTags: own.recall_tags,
    recallTagsMatch: own.recall_tags_match,
    recallTypes: own.recall_types,
    autoRetain: own.auto_retain,
    retainAsync: own.retain_async,
    retainEveryTurns: own.retain_every_n_turns,
    retainContext: own.retain_context,
    retainTags: own.retain_tags ?? wordList.parse(variable('HINDSIGHT_RETAIN_TAGS') ?? ''),
    retainSource: own.retain_source ?? variable('HINDSIGHT_RETAIN_SOURCE') ?? '',
    userPrefix: own.retain_user_prefix ?? variable('HINDSIGHT_RETAIN_USER_PREFIX') ?? 'User',
    assistantPrefix: own.retain_assistant_prefix ?? variable('HINDSIGHT_RETAIN_ASSISTANT_PREFIX') ?? 'Assistant',
  }
}

export function hindsightPath(home: Home): string {
  return home.path('hindsight', 'config.json')
}

/** What keeps these settings from being used, and what to do. */
export function whatIsMissing({ mode, apiKey }: HindsightSettings): string | undefined {
  if (mode === 'embedded') {
    return 'Hindsight is set to run inside Hermes (local_embedded), which Hermes does not do. Start its server yourself and set mode to local_external in hindsight/config.json.'
  }
  if (mode === 'cloud' && apiKey === undefined) {
    return 'HINDSIGHT_API_KEY is not set. Get a key at https://ui.hindsight.vectorize.io, or set mode to local_external for a server of your own.'
  }
  return undefined
}

function modeOf(name: string): HindsightSettings['mode'] {
  switch (name) {
    case 'cloud':
      return 'cloud'
    case 'local_external':
      return 'external'
    case 'local':
    case 'local_embedded':
      return 'embedded'
    default:
      throw new MemoryProviderError(
        'unconfigured',
        'HINDSIGHT_MODE must be cloud or local_external. Correct it in .env.',
      )
  }
}

function budgetOf(name: string | undefined): Budget {
  const parsed = budget.safeParse(name)
  return parsed.success ? parsed.data : 'mid'
}

/** A bank's name by its template: what is not known leaves no gap. */
function filledIn(template: string, start: Partial<MemoryProviderStart>): string {
  const values: Readonly<Record<string, string | undefined>> = {
    profile: start.identity,
    workspace: start.workspace === undefined ? undefined : basename(start.workspace),
    platform: start.platform,
    user: start.userId,
    session: start.sessionId,
  }
  return template
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => (values[name] ?? '').replaceAll(/[^a-zA-Z0-9_-]+/g, '-'))
    .replaceAll(/([-_])[-_]+/g, '$1')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
}
