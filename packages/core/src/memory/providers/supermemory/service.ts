// Supermemory's API: https://supermemory.ai/docs/api-reference
import { z } from 'zod'
import { createServiceClient } from '../service-client.ts'
import type { SupermemorySettings } from './settings.ts'

export type Metadata = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface FoundMemory {
  readonly id: string
  readonly text: string
  /** 0 to 1. */
  readonly similarity: number | undefined
  /** ISO 8601; empty where it is not known. */
  readonly updatedAt: string
}

export interface Profile {
  /** What holds for long, and what was of late. */
  readonly lasting: readonly string[]
  readonly recent: readonly string[]
  /** What bears on the query, where there was one. */
  readonly found: readonly FoundMemory[]
}

export interface ConversationMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** What this provider asks of Supermemory; every container is one of those that are set. */
export interface SupermemoryService {
  /** The id of what was added; its memories come a little later. */
  add(content: string, metadata: Metadata, container: string, signal: AbortSignal): Promise<string>
  search(query: string, limit: number, container: string, signal: AbortSignal): Promise<readonly FoundMemory[]>
  profile(query: string | undefined, container: string, signal: AbortSignal): Promise<Profile>
  forget(id: string, container: string, signal: AbortSignal): Promise<void>
  /** Keeps a conversation. Sent again when it has grown, it is the same conversation. */
  keepConversation(
    id: string,
    messages: readonly ConversationMessage[],
    metadata: Metadata,
    signal: AbortSignal,
  ): Promise<void>
}

const anything = z.unknown()
const added = z.looseObject({ id: z.string().nullish() })
const found = z
  .looseObject({
    id: z.string().nullish(),
    memory: z.string().nullish(),
    /** In place of a memory where a part of a document was found. */
    chunk: z.string().nullish(),
    similarity: z.number().nullish(),
    updatedAt: z.string().nullish(),
  })
  .transform(({ id, memory, chunk, similarity, updatedAt }): FoundMemory => ({
    id: id ?? '',
    text: memory ?? chunk ?? '',
    similarity: similarity ?? undefined,
    updatedAt: updatedAt ?? '',
  }))
const searched = z.looseObject({ results: z.array(found) })
const facts = z.array(z.string()).nullish()
const profiled = z.looseObject({
  profile: z.looseObject({ static: facts, dynamic: facts }),
  searchResults: searched.nullish(),
})

export function createSupermemoryService(settings: SupermemorySettings): SupermemoryService {
  const { apiKey, baseUrl, timeoutMs, entityContext, searchMode, containerTag: usualContainer } = settings
  const client = createServiceClient({
    service: 'Supermemory',
    baseUrl,
    timeoutMs,
    auth: apiKey === undefined ? undefined : { scheme: 'Bearer', key: apiKey },
    // People sort and delete by this in Supermemory's own app.
    headers: { 'x-sm-source': 'hermes' },
    keyHint: 'Check SUPERMEMORY_API_KEY in .env.',
  })
  const withSource = (metadata: Metadata) => ({ sm_source: 'hermes', ...metadata })

  return {
    async add(content, metadata, container, signal) {
      const body = { content, containerTag: container, metadata: withSource(metadata), entityContext }
      return (await client.call(added, { method: 'POST', path: '/v3/documents', body }, signal)).id ?? ''
    },
    async search(query, limit, container, signal) {
      const body = { q: query, containerTag: container, limit, searchMode }
      const { results } = await client.call(searched, { method: 'POST', path: '/v4/search', body }, signal)
      return results.filter(({ text }) => text !== '')
    },
    async profile(query, container, signal) {
      const body = { containerTag: container, q: query }
      const answer = await client.call(profiled, { method: 'POST', path: '/v4/profile', body }, signal)
      return {
        lasting: answer.profile.static ?? [],
        recent: answer.profile.dynamic ?? [],
        found: (answer.searchResults?.results ?? []).filter(({ text }) => text !== ''),
      }
    },
    async forget(id, container, signal) {
      const body = { id, containerTag: container }
      await client.call(anything, { method: 'DELETE', path: '/v4/memories', body }, signal)
    },
    async keepConversation(id, messages, metadata, signal) {
      const body = {
        conversationId: id,
        messages,
        containerTags: [usualContainer],
        metadata: withSource(metadata),
        entityContext,
      }
      await client.call(anything, { method: 'POST', path: '/v4/conversations', body }, signal)
    },
  }
}
