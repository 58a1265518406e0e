import type { FinishedTurn, MemoryProvider, MemoryProviderKind, MemoryProviderStart } from '../../memory-provider.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import { createLateRecall } from '../late-recall.ts'
import { createOutbox } from '../outbox.ts'
import { mergeSettingsFile } from '../settings-file.ts'
import { withoutRecalled } from '../without-recalled.ts'
import { itemOf } from './item.ts'
import type { HindsightItem, HindsightService } from './service.ts'
import { createHindsightService } from './service.ts'
import type { HindsightSettings } from './settings.ts'
import { hindsightPath, readHindsightSettings, whatIsMissing } from './settings.ts'
import { hindsightTools } from './tools.ts'

const patienceMs = 3_000

/** Hindsight: facts in a graph, found in several ways at once, and reasoned about. */
export const hindsight: MemoryProviderKind = {
  name: 'hindsight',
  summary: 'Hindsight: keeps facts and how they hang together, and reasons over them (cloud or own server)',
  fields: [
    {
      key: 'mode',
      description: 'The cloud, or a server of your own',
      default: 'cloud',
      choices: ['cloud', 'local_external'],
    },
    {
      key: 'api_key',
      description: 'Hindsight API key; needed for the cloud',
      isSecret: true,
      variable: 'HINDSIGHT_API_KEY',
      url: 'https://ui.hindsight.vectorize.io',
    },
    { key: 'api_url', description: 'Address of your own server; empty for the usual one' },
    { key: 'bank_id', description: 'Name of the memory bank', default: 'hermes' },
    {
      key: 'recall_budget',
      description: 'How thoroughly it looks',
      default: 'mid',
      choices: ['low', 'mid', 'high'],
    },
    {
      key: 'memory_mode',
      description: 'hybrid: recall and tools; context: recall alone; tools: tools alone',
      default: 'hybrid',
      choices: ['hybrid', 'context', 'tools'],
    },
  ],
  async available(start) {
    return whatIsMissing(await readHindsightSettings(start)) ?? true
  },
  async open(start) {
    const settings = await usableSettings(start)
    const service = createHindsightService(settings)
    const block = promptBlock(settings)
    return {
      name: 'hindsight',
      tools: settings.memoryMode === 'context' ? [] : hindsightTools(service, start, settings),
      promptBlock: () => block,
      ...recallAndKeep(start, settings, service),
    }
  },
  async saveSettings(values, home) {
    await mergeSettingsFile(hindsightPath(home), values)
  },
  async check(start, signal) {
    const settings = await usableSettings(start)
    await createHindsightService(settings).reach(signal)
    return `Bank ${settings.bank} at ${settings.baseUrl}.`
  },
}

async function usableSettings(start: MemoryProviderStart): Promise<HindsightSettings> {
  const settings = await readHindsightSettings(start)
  const missing = whatIsMissing(settings)
  if (missing !== undefined) throw new MemoryProviderError('unconfigured', missing)
  return settings
}

function recallAndKeep(
  start: MemoryProviderStart,
  settings: HindsightSettings,
  service: HindsightService,
): Pick<MemoryProvider, 'recall' | 'keepTurn' | 'keepSession' | 'close'> {
  const { log } = start
  const late = createLateRecall({
    recall: (query, signal) => recalled(query, settings, service, signal),
    patienceMs,
    log,
  })
  const send = (items: readonly HindsightItem[], signal: AbortSignal) =>
    service.retain(items, settings.retainAsync, signal)
  const outbox = createOutbox<HindsightItem>({ batchSize: 20, send, log })
  const openedAt = start.clock.now()
  let turns: readonly FinishedTurn[] = []
  let documents = 0

  /** The turns that wait become one document, whose id stays when it has to be sent again. */
  async function flush(signal: AbortSignal): Promise<void> {
    const [first] = turns
    if (first) {
      documents++
      outbox.add({
        ...itemOf(transcript(turns, settings), start, settings),
        context: settings.retainContext,
        documentId: `${first.sessionId}-${openedAt}-${documents}`,
      })
      turns = []
    }
    await outbox.flush(signal)
  }

  return {
    ...(settings.memoryMode !== 'tools' &&
      settings.autoRecall && {
        async recall(query, signal) {
          signal.throwIfAborted()
          return query.trim() === '' ? '' : late.take(query, signal)
        },
      }),
    ...(start.role === 'primary' &&
      settings.autoRetain && {
        async keepTurn(turn, signal) {
          turns = [...turns, turn]
          if (turns.length >= settings.retainEveryTurns) await flush(signal)
        },
        keepSession: (_, signal) => flush(signal),
      }),
    async close(signal) {
      late.close()
      await flush(signal)
    },
  }
}

async function recalled(
  query: string,
  settings: HindsightSettings,
  service: HindsightService,
  signal: AbortSignal,
): Promise<string> {
  const { recallMaxInputChars, recallPreamble, recallMethod } = settings
  const asked = query.slice(0, recallMaxInputChars).toWellFormed()
  const found =
    recallMethod === 'reflect'
      ? await service.reflect(asked, signal)
      : (await service.recall(asked, signal)).map((fact) => `- ${fact}`).join('\n')
  return found === '' ? '' : `## Hindsight memory\n${recallPreamble}\n${found}`
}

function transcript(turns: readonly FinishedTurn[], { userPrefix, assistantPrefix }: HindsightSettings): string {
  return turns
    .flatMap(({ user, assistant }) => [
      `${userPrefix}: ${withoutRecalled(user)}`,
      `${assistantPrefix}: ${withoutRecalled(assistant)}`,
    ])
    .join('\n')
}

function promptBlock({ bank, memoryMode }: HindsightSettings): string {
  const parts = [
    '# Hindsight memory',
    `Long-term memory is kept in the bank ${bank}.`,
    ...(memoryMode === 'tools' ? [] : ['What bears on a message comes with it.']),
    ...(memoryMode === 'context'
      ? []
      : ['hindsight_recall searches, hindsight_reflect answers from all of it, hindsight_retain keeps a fact.']),
  ]
  return parts.join('\n')
}
