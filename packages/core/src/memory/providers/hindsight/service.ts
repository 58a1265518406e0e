// Hindsight's API: https://hindsight.vectorize.io/api-reference
import { z } from 'zod'
import { createServiceClient, servicePath } from '../service-client.ts'
import type { HindsightSettings } from './settings.ts'

/** Something to be kept. */
export interface HindsightItem {
  readonly content: string
  readonly context?: string
  /** What has the same id again takes its place. */
  readonly documentId?: string
  /** When it was said, ISO 8601. */
  readonly timestamp: string
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
}

/** What this provider asks of Hindsight, for one bank. */
export interface HindsightService {
  /** Asks whether the key is taken. */
  reach(signal: AbortSignal): Promise<void>
  /** `isAsync`: the service answers before it has worked on them. */
  retain(items: readonly HindsightItem[], isAsync: boolean, signal: AbortSignal): Promise<void>
  /** Facts that bear on a query, best first. */
  recall(query: string, signal: AbortSignal): Promise<readonly string[]>
  /** An answer from all that is kept; empty when there is none. */
  reflect(query: string, signal: AbortSignal): Promise<string>
}

const anything = z.unknown()
const banksAnswer = z.looseObject({ banks: z.array(z.unknown()) })
const recallAnswer = z.looseObject({ results: z.array(z.looseObject({ text: z.string() })) })
const reflectAnswer = z.looseObject({ text: z.string().nullish() })

export function createHindsightService(settings: HindsightSettings): HindsightService {
  const { apiKey, baseUrl, timeoutMs, bank, budget, mission, retainMission } = settings
  const client = createServiceClient({
    service: 'Hindsight',
    baseUrl,
    timeoutMs,
    auth: apiKey === undefined ? undefined : { scheme: 'Bearer', key: apiKey },
    keyHint: 'Check HINDSIGHT_API_KEY in .env.',
  })
  const bankPath = servicePath`/v1/default/banks/${bank}`
  let hasMissions = mission === undefined && retainMission === undefined

  /** A bank makes itself when something is kept in it; only what it is for has to be said. */
  async function ready(signal: AbortSignal): Promise<void> {
    if (hasMissions) return
    const body = { name: bank, reflect_mission: mission, retain_mission: retainMission }
    await client.call(anything, { method: 'PUT', path: bankPath, body }, signal)
    hasMissions = true
  }

  const scope = {
    ...(settings.recallTags.length > 0 && { tags: settings.recallTags, tags_match: settings.recallTagsMatch }),
  }

  return {
    async reach(signal) {
      await client.call(banksAnswer, { path: '/v1/default/banks' }, signal)
    },
    async retain(items, isAsync, signal) {
      await ready(signal)
      const body = {
        items: items.map(({ documentId, ...item }) => ({ ...item, document_id: documentId })),
        async: isAsync,
      }
      await client.call(anything, { method: 'POST', path: `${bankPath}/memories`, body }, signal)
    },
    async recall(query, signal) {
      const types = settings.recallTypes.length > 0 ? settings.recallTypes : undefined
      const body = { query, budget, max_tokens: settings.recallMaxTokens, types, ...scope }
      const request = { method: 'POST', path: `${bankPath}/memories/recall`, body } as const
      const { results } = await client.call(recallAnswer, request, signal)
      return results.map(({ text }) => text).filter((text) => text !== '')
    },
    async reflect(query, signal) {
      const body = { query, budget, ...scope }
      const answer = await client.call(reflectAnswer, { method: 'POST', path: `${bankPath}/reflect`, body }, signal)
      return answer.text?.trim() ?? ''
    },
  }
}
