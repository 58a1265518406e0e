// Honcho's API v3: https://docs.honcho.dev/v3/api-reference
import { z } from 'zod'
import { abortable } from '../../../credentials/oauth/abortable.ts'
import type { ServiceClient } from '../service-client.ts'
import { createServiceClient, servicePath } from '../service-client.ts'
import type { HonchoIdentity } from './identity.ts'
import type { HonchoSettings, ReasoningLevel } from './settings.ts'

/** What Honcho knows about somebody. */
export interface PeerContext {
  readonly representation: string
  readonly card: readonly string[]
}

export interface HonchoMessage {
  readonly peer: string
  readonly content: string
  /** ISO 8601. */
  readonly createdAt: string
}

/** What this provider asks of Honcho, for one session. */
export interface HonchoService {
  /** Makes the workspace when it is not there; says that it is. */
  reach(signal: AbortSignal): Promise<void>
  /** What is known about `peer`; with a query, what bears on it. */
  context(peer: 'user' | 'ai', query: string | undefined, signal: AbortSignal): Promise<PeerContext>
  /** Asks Honcho's own model; empty when it has nothing to say. */
  chat(peer: 'user' | 'ai', query: string, level: ReasoningLevel, signal: AbortSignal): Promise<string>
  conclude(content: string, signal: AbortSignal): Promise<void>
  /** At most 100. */
  addMessages(messages: readonly HonchoMessage[], signal: AbortSignal): Promise<void>
  /** Ends what runs for everybody. */
  close(): void
}

const anything = z.unknown()
const contextAnswer = z.looseObject({
  representation: z.string().nullish(),
  peer_card: z.array(z.string()).nullish(),
})
const chatAnswer = z.looseObject({ content: z.string().nullish() })

export function createHonchoService(settings: HonchoSettings, identity: HonchoIdentity): HonchoService {
  const client = createHonchoClient(settings)
  const { workspace, user, ai, session } = identity
  const workspacePath = servicePath`/v3/workspaces/${workspace}`
  const peerPath = (peer: string) => `${workspacePath}${servicePath`/peers/${peer}`}`
  const life = new AbortController()
  let making: Promise<void> | undefined

  const reach = async (signal: AbortSignal) => {
    await client.call(anything, { method: 'POST', path: '/v3/workspaces', body: { id: workspace } }, signal)
  }

  async function make(signal: AbortSignal): Promise<void> {
    await reach(signal)
    const post = (path: string, body: unknown) =>
      client.call(anything, { method: 'POST', path: workspacePath + path, body }, signal)
    await Promise.all([post('/peers', { id: user }), post('/peers', { id: ai })])
    await post('/sessions', { id: session, peers: { [user]: settings.user, [ai]: settings.ai } })
  }

  /** Peers and session are made once, for everybody who waits for them; where it fails, the next who asks tries again. */
  async function ready(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    making ??= make(life.signal).catch((error: unknown) => {
      making = undefined
      throw error
    })
    await abortable(making, signal)
  }

  /** Whose knowledge of a peer is asked: the agent's own where it observes people, else what the person's peer holds. */
  const pairOf = (peer: 'user' | 'ai') => {
    if (peer === 'ai') return { observer: ai }
    return settings.ai.observe_others ? { observer: ai, target: user } : { observer: user }
  }

  return {
    reach,
    async context(peer, query, signal) {
      await ready(signal)
      const { observer, target } = pairOf(peer)
      const path = `${peerPath(observer)}/context`
      const search_query = query?.slice(0, settings.dialecticMaxInputChars)
      const answer = await client.call(contextAnswer, { path, query: { target, search_query } }, signal)
      return { representation: answer.representation?.trim() ?? '', card: answer.peer_card ?? [] }
    },
    async chat(peer, query, level, signal) {
      await ready(signal)
      const { observer, target } = pairOf(peer)
      const body = {
        query: query.slice(0, settings.dialecticMaxInputChars),
        target,
        reasoning_level: level,
        stream: false,
      }
      const request = { method: 'POST', path: `${peerPath(observer)}/chat`, body } as const
      const answer = await client.call(chatAnswer, request, signal)
      return answer.content?.trim() ?? ''
    },
    async conclude(content, signal) {
      await ready(signal)
      const { observer, target } = pairOf('user')
      const conclusion = { content, observer_id: observer, observed_id: target ?? observer, session_id: session }
      const body = { conclusions: [conclusion] }
      await client.call(anything, { method: 'POST', path: `${workspacePath}/conclusions`, body }, signal)
    },
    async addMessages(messages, signal) {
      await ready(signal)
      const path = `${workspacePath}${servicePath`/sessions/${session}/messages`}`
      const body = {
        messages: messages.map(({ peer, content, createdAt }) => ({ peer_id: peer, content, created_at: createdAt })),
      }
      await client.call(anything, { method: 'POST', path, body }, signal)
    },
    close() {
      life.abort(new DOMException('The session was closed.', 'AbortError'))
    },
  }
}

function createHonchoClient({ apiKey, baseUrl, timeoutMs }: HonchoSettings): ServiceClient {
  return createServiceClient({
    service: 'Honcho',
    baseUrl,
    timeoutMs,
    auth: apiKey === undefined ? undefined : { scheme: 'Bearer', key: apiKey },
    keyHint: 'Check HONCHO_API_KEY in .env, or apiKey in honcho.json.',
  })
}
