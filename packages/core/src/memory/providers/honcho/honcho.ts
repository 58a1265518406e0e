import type { MemoryProvider, MemoryProviderKind, MemoryProviderStart } from '../../memory-provider.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import { createLateRecall } from '../late-recall.ts'
import { createOutbox } from '../outbox.ts'
import { withoutRecalled } from '../without-recalled.ts'
import type { HonchoIdentity } from './identity.ts'
import { honchoIdentity } from './identity.ts'
import { createHonchoRecall, knownContext, levelFor, shortened } from './recall.ts'
import type { HonchoMessage, HonchoService } from './service.ts'
import { createHonchoService } from './service.ts'
import type { HonchoSettings } from './settings.ts'
import { readHonchoSettings, saveHonchoSettings } from './settings.ts'
import { honchoTools } from './tools.ts'

/** Honcho's limit of messages in one request. */
const batchSize = 100
/** A message does not wait longer than this: for what Honcho knows, and for its model, which takes seconds. */
const patienceMs = { context: 3_000, dialectic: 2_000 }

const missing =
  'HONCHO_API_KEY is not set. Get a key at https://app.honcho.dev, or set baseUrl in honcho.json for a server of your own.'

/** Honcho: models who people are from what is said. */
export const honcho: MemoryProviderKind = {
  name: 'honcho',
  summary: 'Honcho: learns who you are across sessions and reasons about it (cloud or own server)',
  fields: [
    {
      key: 'api_key',
      description: 'Honcho API key',
      isSecret: true,
      variable: 'HONCHO_API_KEY',
      url: 'https://app.honcho.dev',
    },
    { key: 'baseUrl', description: 'Address of your own Honcho server; empty for the cloud' },
    { key: 'peerName', description: 'Who you are to Honcho, e.g. your first name' },
    {
      key: 'recallMode',
      description: 'hybrid: recall and tools; context: recall alone; tools: tools alone',
      default: 'hybrid',
      choices: ['hybrid', 'context', 'tools'],
    },
    {
      key: 'sessionStrategy',
      description: 'What is one conversation to Honcho',
      default: 'per-directory',
      choices: ['per-directory', 'per-repo', 'per-session', 'global'],
    },
  ],
  async available(start) {
    const { apiKey, baseUrl, isEnabled } = await readHonchoSettings(start)
    if (!isEnabled && apiKey !== undefined) return 'Honcho is off: enabled is false in honcho.json.'
    return isEnabled && (apiKey !== undefined || !baseUrl.startsWith('https://api.honcho.dev')) ? true : missing
  },
  async open(start) {
    const settings = await readHonchoSettings(start)
    if (!settings.isEnabled) throw new MemoryProviderError('unconfigured', missing)
    // What runs by itself is no conversation with anybody.
    if (start.role === 'cron' || start.role === 'flush') return { name: 'honcho', tools: [] }
    return openHoncho(start, settings)
  },
  async saveSettings(values, home) {
    await saveHonchoSettings(values, home)
  },
  async check(start, signal) {
    const settings = await readHonchoSettings(start)
    const identity = honchoIdentity(settings, start)
    await createHonchoService(settings, identity).reach(signal)
    return `Workspace ${identity.workspace}, you are ${identity.user}, the agent is ${identity.ai}.`
  },
}

function openHoncho(start: MemoryProviderStart, settings: HonchoSettings): MemoryProvider {
  const identity = honchoIdentity(settings, start)
  const service = createHonchoService(settings, identity)
  const recall = settings.recallMode === 'tools' ? undefined : recallMethods(start, settings, service)
  const isKept = start.role === 'primary' && settings.saveMessages
  const keep = isKept ? keepMethods(start, settings, service, identity) : undefined
  const block = promptBlock(settings, identity.user)
  return {
    name: 'honcho',
    tools: settings.recallMode === 'context' ? [] : honchoTools(service, settings),
    promptBlock: () => block,
    ...recall,
    ...keep,
    async close(signal) {
      try {
        await recall?.close?.(signal)
        await keep?.close?.(signal)
      } finally {
        service.close()
      }
    },
  }
}

function recallMethods(
  { log }: MemoryProviderStart,
  settings: HonchoSettings,
  service: HonchoService,
): Pick<MemoryProvider, 'recall' | 'close'> {
  const context = createLateRecall({
    recall: (query, signal) => knownContext(service, query, signal),
    patienceMs: patienceMs.context,
    log,
  })
  const dialectic = createLateRecall({
    recall: async (query, signal) => {
      const thought = await service.chat('user', query, levelFor(query, settings), signal)
      return shortened(thought, settings.dialecticMaxChars)
    },
    patienceMs: patienceMs.dialectic,
    log,
  })
  const recall = createHonchoRecall({ settings, context, dialectic, log })
  return {
    async recall(query, signal) {
      signal.throwIfAborted()
      return query.trim() === '' ? '' : recall(query, signal)
    },
    async close() {
      context.close()
      dialectic.close()
    },
  }
}

function keepMethods(
  { clock, log }: MemoryProviderStart,
  settings: HonchoSettings,
  service: HonchoService,
  { user, ai }: HonchoIdentity,
): Pick<MemoryProvider, 'keepTurn' | 'keepSession' | 'keepNote' | 'close'> {
  const { writeFrequency, messageMaxChars } = settings
  const send = (messages: readonly HonchoMessage[], signal: AbortSignal) => service.addMessages(messages, signal)
  const outbox = createOutbox<HonchoMessage>({ batchSize, send, log })
  let turnsWaiting = 0

  const isDue = () => {
    if (writeFrequency === 'session') return false
    return typeof writeFrequency === 'number' ? turnsWaiting >= writeFrequency : true
  }
  const flush = async (signal: AbortSignal) => {
    turnsWaiting = 0
    await outbox.flush(signal)
  }

  return {
    async keepTurn(turn, signal) {
      const createdAt = new Date(clock.now()).toISOString()
      const said = (peer: string, text: string) =>
        pieces(withoutRecalled(text), messageMaxChars).map((content): HonchoMessage => ({ peer, content, createdAt }))
      outbox.add(...said(user, turn.user), ...said(ai, turn.assistant))
      turnsWaiting++
      if (isDue()) await flush(signal)
    },
    keepSession: (_, signal) => flush(signal),
    async keepNote({ target, content }, signal) {
      if (target === 'user') await service.conclude(content, signal)
    },
    close: flush,
  }
}

/** A text in pieces that Honcho takes; those after the first say so. */
function pieces(text: string, maxChars: number): readonly string[] {
  const mark = '[continued] '
  if (text === '') return []
  if (text.length <= maxChars) return [text]
  const size = maxChars - mark.length
  const cuts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
  return cuts.map((cut, index) => (index === 0 ? cut : mark + cut).toWellFormed())
}

function promptBlock({ recallMode }: HonchoSettings, user: string): string {
  const recalled = 'What Honcho knows that bears on a message comes with the message.'
  const tools =
    'honcho_profile gives key facts, honcho_search looks things up, honcho_context asks its model, honcho_conclude keeps a fact about the user.'
  const parts = [
    '# Honcho memory',
    `Honcho remembers ${user} across sessions.`,
    ...(recallMode === 'tools' ? [] : [recalled]),
    ...(recallMode === 'context' ? [] : [tools]),
  ]
  return parts.join('\n')
}
