// Supermemory's API as its reference and its own client describe it: https://supermemory.ai/docs/api-reference. What is
// added is queued; its memories are there when it is done. A conversation that is sent again is compared with what was
// known of it, and a memory that is forgotten is not found again.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isBearer } from './fast-api.ts'
import { factsIn, ranked } from './relevance.ts'
import type { Reply, Route, StandInService } from './stand-in.ts'
import { bareRoute, ok, route, startStandIn } from './stand-in.ts'

export interface SupermemoryMemory {
  readonly id: string
  readonly memory: string
  readonly container: string
  /** The document or conversation that it comes from. */
  readonly source: string
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly updatedAt: string
}

interface SupermemoryDocument {
  readonly id: string
  readonly customId: string | null
  status: 'queued' | 'done'
}

/** A stand-in of Supermemory. */
export interface StandInSupermemory extends StandInService {
  readonly key: string
  readonly memories: readonly SupermemoryMemory[]
  /** Messages by conversation. */
  readonly conversations: ReadonlyMap<string, number>
  /** Resolves when everything that was added is done. */
  settle(): Promise<void>
}

const tag = z.string().regex(/^[a-zA-Z0-9._-]{1,100}$/)
const metadata = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).nullish()
const documentBody = z.object({
  content: z.string().min(1),
  containerTag: tag.nullish(),
  containerTags: z.array(tag).nullish(),
  customId: tag.nullish(),
  entityContext: z.string().max(1500).nullish(),
  metadata,
})
const conversationBody = z.object({
  conversationId: z.string().min(1).max(255),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system', 'tool']), content: z.string() })).min(1),
  containerTags: z.array(tag).nullish(),
  entityContext: z.string().max(1500).nullish(),
  metadata,
})
const searchBody = z.object({
  q: z.string().min(1),
  containerTag: tag.nullish(),
  limit: z.int().min(1).max(100).default(10),
  threshold: z.number().min(0).max(1).default(0),
  searchMode: z.enum(['memories', 'hybrid', 'documents']).default('memories'),
})
const profileBody = z.object({ containerTag: tag, q: z.string().nullish(), threshold: z.number().nullish() })
const forgetBody = z.object({
  containerTag: tag,
  id: z.string().nullish(),
  content: z.string().nullish(),
  reason: z.string().nullish(),
})

const refused = (status: number, error: string): Reply => ({ status, body: { error, message: error } })

export async function startSupermemory(key = 'sm_stand-in-key'): Promise<StandInSupermemory> {
  const memories: SupermemoryMemory[] = []
  const documents: SupermemoryDocument[] = []
  const conversations = new Map<string, number>()
  const working = new Set<() => void>()

  const later = (work: () => void) => {
    working.add(work)
    setImmediate(() => {
      work()
      working.delete(work)
    })
  }
  const learn = (texts: readonly string[], from: Omit<SupermemoryMemory, 'id' | 'memory' | 'updatedAt'>) => {
    const known = new Set(memories.filter(({ container }) => container === from.container).map(({ memory }) => memory))
    const made = texts
      .flatMap(factsIn)
      .filter((fact) => !known.has(fact))
      .map((memory) => ({ ...from, id: randomUUID(), memory, updatedAt: new Date().toISOString() }))
    memories.push(...made)
  }
  const remove = (isGone: (memory: SupermemoryMemory) => boolean) => {
    memories.splice(0, memories.length, ...memories.filter((memory) => !isGone(memory)))
  }
  const inContainer = (container: string | null | undefined) =>
    memories.filter((each) => !container || each.container === container)

  const found = (query: string, container: string | null | undefined, limit: number, threshold: number) => {
    const results = ranked(query, inContainer(container), ({ memory }) => memory)
      .filter(({ score }) => score >= threshold)
      .slice(0, limit)
      .map(({ item, score }) => ({
        id: item.id,
        memory: item.memory,
        similarity: score,
        metadata: item.metadata,
        updatedAt: item.updatedAt,
        version: 1,
      }))
    return { results, total: results.length, timing: 1 }
  }

  const routes: readonly Route[] = [
    route('POST', '/v3/documents', documentBody, ({ body }) => {
      const container = body.containerTag ?? body.containerTags?.[0] ?? 'default'
      const known = documents.find(({ customId }) => customId !== null && customId === body.customId)
      const document = known ?? { id: randomUUID(), customId: body.customId ?? null, status: 'queued' }
      document.status = 'queued'
      if (!known) documents.push(document)
      later(() => {
        remove(({ source }) => source === document.id)
        learn([body.content], { container, source: document.id, metadata: body.metadata ?? null })
        document.status = 'done'
      })
      return ok({ id: document.id, status: 'queued' })
    }),
    bareRoute('GET', '/v3/documents/:id', ({ params }) => {
      const document = documents.find(({ id, customId }) => id === params['id'] || customId === params['id'])
      return document ? ok(document) : refused(404, 'Document not found')
    }),
    route('POST', '/v4/conversations', conversationBody, ({ body }) => {
      const container = body.containerTags?.[0] ?? 'default'
      const seen = conversations.get(body.conversationId) ?? 0
      const fresh = body.messages.slice(seen).filter(({ role }) => role === 'user')
      conversations.set(body.conversationId, body.messages.length)
      const texts = fresh.map(({ content }) => content)
      later(() => learn(texts, { container, source: body.conversationId, metadata: body.metadata ?? null }))
      return ok({ id: randomUUID(), conversationId: body.conversationId, status: 'queued' })
    }),
    route('POST', '/v4/search', searchBody, ({ body }) =>
      ok(found(body.q, body.containerTag, body.limit, body.threshold)),
    ),
    route('POST', '/v4/profile', profileBody, ({ body }) => {
      const known = inContainer(body.containerTag)
      const isLasting = ({ metadata }: SupermemoryMemory) => metadata?.['type'] === 'explicit_memory'
      return ok({
        profile: {
          static: known.filter(isLasting).map(({ memory }) => memory),
          dynamic: known.filter((each) => !isLasting(each)).map(({ memory }) => memory),
        },
        ...(body.q && { searchResults: found(body.q, body.containerTag, 10, body.threshold ?? 0) }),
      })
    }),
    route('DELETE', '/v4/memories', forgetBody, ({ body }) => {
      const memory = inContainer(body.containerTag).find(
        ({ id, memory: text }) => id === body.id || text === body.content,
      )
      if (!memory) return refused(404, 'Memory not found')
      remove((each) => each === memory)
      return ok({ id: memory.id, forgotten: true })
    }),
  ]

  const service = await startStandIn(routes, {
    authorize: (headers) => (isBearer(headers, key) ? undefined : refused(401, 'Unauthorized')),
    notFound: refused(404, 'Not found'),
    invalid: (error) => ({ status: 400, body: { error: 'Invalid request', details: z.prettifyError(error) } }),
  })
  return Object.assign(service, {
    key,
    memories,
    conversations,
    async settle() {
      while (working.size > 0) await new Promise((resolve) => setImmediate(resolve))
    },
  })
}
