import type { MemoryProvider, MemoryProviderKind, MemoryProviderStart } from '../../memory-provider.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import { createLateRecall } from '../late-recall.ts'
import { mergeSettingsFile } from '../settings-file.ts'
import { withoutRecalled } from '../without-recalled.ts'
import { recalledText } from './recalled-text.ts'
import type { ConversationMessage, SupermemoryService } from './service.ts'
import { createSupermemoryService } from './service.ts'
import type { SupermemorySettings } from './settings.ts'
import { containerTagOf, readSupermemorySettings, supermemoryPath } from './settings.ts'
import { supermemoryTools } from './tools.ts'

const patienceMs = 3_000
const maxQueryChars = 200
/** Shorter messages ("ok", "thanks") are not kept unless everything is. */
const minCapturedChars = 10
/** A conversation is sent whole after each turn; at this length the next begins. */
const maxConversationMessages = 100

const missing =
  'SUPERMEMORY_API_KEY is not set. Get a key at https://app.supermemory.ai/integrations?connect=hermes and put it into .env.'

/** Supermemory: a profile of the person, and memories found by meaning. */
export const supermemory: MemoryProviderKind = {
  name: 'supermemory',
  summary: 'Supermemory: keeps a profile of you and finds memories by meaning (cloud or own server)',
  fields: [
    {
      key: 'api_key',
      description: 'Supermemory API key',
      isSecret: true,
      isRequired: true,
      variable: 'SUPERMEMORY_API_KEY',
      url: 'https://app.supermemory.ai/integrations?connect=hermes',
    },
    {
      key: 'container_tag',
      description: 'Container of the memories; {identity} stands for the profile, {user} for whoever speaks',
      default: 'hermes',
    },
  ],
  async available(start) {
    return (await readSupermemorySettings(start)).apiKey === undefined ? missing : true
  },
  async open(start) {
    const settings = await readSupermemorySettings(start)
    if (settings.apiKey === undefined) throw new MemoryProviderError('unconfigured', missing)
    const service = createSupermemoryService(settings)
    const block = promptBlock(settings)
    const recall = settings.autoRecall ? recallMethods(start, settings, service) : undefined
    const keep = start.role === 'primary' ? keepMethods(start, settings, service) : undefined
    return {
      name: 'supermemory',
      tools: supermemoryTools(service, settings),
      promptBlock: () => block,
      ...recall,
      ...keep,
      async close(signal) {
        await recall?.close?.(signal)
        await keep?.close?.(signal)
      },
    }
  },
  async saveSettings(values, home) {
    const { container_tag: tag, ...others } = values
    // A template is filled in when it is used.
    const container = tag === undefined ? {} : { container_tag: tag.includes('{') ? tag : containerTagOf(tag) }
    await mergeSettingsFile(supermemoryPath(home), { ...others, ...container })
  },
  async check(start, signal) {
    const settings = await readSupermemorySettings(start)
    if (settings.apiKey === undefined) throw new MemoryProviderError('unconfigured', missing)
    const { lasting, recent } = await createSupermemoryService(settings).profile(
      undefined,
      settings.containerTag,
      signal,
    )
    return `Container ${settings.containerTag}, ${lasting.length + recent.length} facts in the profile.`
  },
}

function recallMethods(
  { log }: MemoryProviderStart,
  { containerTag, maxRecallResults, profileFrequency }: SupermemorySettings,
  service: SupermemoryService,
): Pick<MemoryProvider, 'recall' | 'close'> {
  let turn = 0
  const late = createLateRecall({
    recall: async (query, signal) => {
      turn++
      const hasProfile = turn === 1 || turn % profileFrequency === 0
      const profile = await service.profile(query.slice(0, maxQueryChars).toWellFormed(), containerTag, signal)
      const told = hasProfile ? profile : { ...profile, lasting: [], recent: [] }
      return recalledText(told, maxRecallResults)
    },
    patienceMs,
    log,
  })
  return {
    async recall(query, signal) {
      signal.throwIfAborted()
      return query.trim() === '' ? '' : late.take(query, signal)
    },
    async close() {
      late.close()
    },
  }
}

function keepMethods(
  { clock }: MemoryProviderStart,
  { autoCapture, capturesEverything, containerTag }: SupermemorySettings,
  service: SupermemoryService,
): Pick<MemoryProvider, 'keepTurn' | 'keepSession' | 'keepNote' | 'close'> {
  const openedAt = clock.now()
  let conversation: readonly ConversationMessage[] = []
  let part = 1
  let session = ''
  let isWaiting = false

  /** The service sees by the id what of it is new. */
  async function flush(signal: AbortSignal): Promise<void> {
    if (!isWaiting) return
    const metadata = { type: 'conversation', session_id: session, message_count: conversation.length }
    await service.keepConversation(`${session}-${openedAt}-${part}`, conversation, metadata, signal)
    isWaiting = false
  }

  function begin(sessionId: string): void {
    if (session === sessionId && conversation.length < maxConversationMessages) return
    if (session === sessionId) part++
    session = sessionId
    conversation = []
  }

  return {
    ...(autoCapture && {
      async keepTurn({ sessionId, user, assistant }, signal) {
        const said: readonly ConversationMessage[] = [
          { role: 'user', content: withoutRecalled(user) },
          { role: 'assistant', content: withoutRecalled(assistant) },
        ]
        if (!capturesEverything && (said[0]?.content.length ?? 0) < minCapturedChars) return
        begin(sessionId)
        conversation = [...conversation, ...said.filter(({ content }) => content !== '')]
        isWaiting = conversation.length > 0
        await flush(signal)
      },
      keepSession: (_, signal) => flush(signal),
      close: flush,
    }),
    async keepNote({ target, content }, signal) {
      await service.add(content, { target, type: 'explicit_memory' }, containerTag, signal)
    },
  }
}

function promptBlock({ containerTag, containers, containerInstructions }: SupermemorySettings): string {
  const parts = [
    '# Supermemory',
    `Long-term memory is kept in the container ${containerTag}; what bears on a message comes with it.`,
    'supermemory_search finds memories, supermemory_profile tells what is known of the user, supermemory_store keeps something, supermemory_forget forgets it.',
    ...(containers.length > 1 ? [`container_tag may be one of ${containers.join(', ')}.`] : []),
    ...(containers.length > 1 && containerInstructions !== '' ? [containerInstructions] : []),
  ]
  return parts.join('\n')
}
