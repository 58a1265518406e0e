// Honcho's API v3 as its reference and its own client describe it: https://docs.honcho.dev/v3/api-reference. Messages
// are taken at once; what is concluded from them comes a little later, as from Honcho's own deriver.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { fastApiManners, refused } from './fast-api.ts'
import type { HonchoMessage, HonchoWorkspace } from './honcho-workspace.ts'
import { conclude, conclusionsOf, derive, emptySession, emptyWorkspace, representation } from './honcho-workspace.ts'
import type { Question, Reply, Route, StandInService } from './stand-in.ts'
import { bareRoute, ok, route, startStandIn } from './stand-in.ts'

/** A stand-in of Honcho. */
export interface StandInHoncho extends StandInService {
  readonly key: string
  readonly workspaces: ReadonlyMap<string, HonchoWorkspace>
  /** Resolves when everything has been concluded from the messages so far. */
  settle(): Promise<void>
}

const id = z.string().regex(/^[a-zA-Z0-9_-]{1,512}$/)
const maxContentChars = 25_000
const maxQueryChars = 10_000

const named = z.object({ id, metadata: z.record(z.string(), z.unknown()).nullish() })
const peerConfigurations = z.record(
  id,
  z.object({ observe_me: z.boolean().nullish(), observe_others: z.boolean().nullish() }),
)
const sessionBody = named.extend({ peers: peerConfigurations.nullish() })
const messagesBody = z.object({
  messages: z
    .array(z.object({ peer_id: id, content: z.string().max(maxContentChars), created_at: z.string().nullish() }))
    .min(1)
    .max(100),
})
const conclusionsBody = z.object({
  conclusions: z
    .array(
      z.object({
        content: z.string().min(1).max(65_535),
        observer_id: id,
        observed_id: id,
        session_id: z.string().nullish(),
      }),
    )
    .min(1)
    .max(100),
})
const chatBody = z.object({
  query: z.string().min(1).max(maxQueryChars),
  target: z.string().nullish(),
  session_id: z.string().nullish(),
  stream: z.boolean().nullish(),
  reasoning_level: z.enum(['minimal', 'low', 'medium', 'high', 'max']).nullish(),
})
const representationBody = z.object({ target: z.string().nullish(), search_query: z.string().nullish() })

export async function startHoncho(key = 'hch-stand-in-key'): Promise<StandInHoncho> {
  const workspaces = new Map<string, HonchoWorkspace>()
  const pending: (() => void)[] = []
  const now = () => new Date().toISOString()

  const workspaceOf = (name: string): HonchoWorkspace => {
    const known = workspaces.get(name)
    if (known) return known
    const made = emptyWorkspace()
    workspaces.set(name, made)
    return made
  }

  const within =
    <Body>(answer: (workspace: HonchoWorkspace, question: Question<Body>) => Reply) =>
    (question: Question<Body>): Reply => {
      const workspace = workspaces.get(question.params['workspace'] ?? '')
      return workspace ? answer(workspace, question) : refused(404, 'Workspace not found')
    }

  const pairOf = ({ params, query }: Question, target = query.get('target')) => {
    const observer = params['peer'] ?? ''
    return { observer, observed: target ?? observer }
  }

  const peer = (workspace: string, name: string) => ({
    id: name,
    workspace_id: workspace,
    metadata: {},
    configuration: {},
    created_at: now(),
  })

  const routes: readonly Route[] = [
    route('POST', '/v3/workspaces', named, ({ body }) => {
      workspaceOf(body.id)
      return ok({ id: body.id, metadata: {}, configuration: {}, created_at: now() })
    }),
    route(
      'POST',
      '/v3/workspaces/:workspace/peers',
      named,
      within((workspace, { params, body }) => {
        workspace.peers.add(body.id)
        return ok(peer(params['workspace'] ?? '', body.id))
      }),
    ),
    route(
      'POST',
      '/v3/workspaces/:workspace/sessions',
      sessionBody,
      within((workspace, { params, body }) => {
        const session = workspace.sessions.get(body.id) ?? emptySession()
        workspace.sessions.set(body.id, session)
        for (const [name, configuration] of Object.entries(body.peers ?? {})) {
          workspace.peers.add(name)
          session.peers.set(name, configuration)
        }
        return ok({
          id: body.id,
          workspace_id: params['workspace'],
          is_active: true,
          metadata: {},
          configuration: {},
          created_at: now(),
        })
      }),
    ),
    route(
      'POST',
      '/v3/workspaces/:workspace/sessions/:session/peers',
      peerConfigurations,
      within((workspace, { params, body }) => {
        const session = workspace.sessions.get(params['session'] ?? '')
        if (!session) return refused(404, 'Session not found')
        for (const [name, configuration] of Object.entries(body)) session.peers.set(name, configuration)
        return ok({ id: params['session'], metadata: {}, configuration: {}, created_at: now(), is_active: true })
      }),
    ),
    route(
      'POST',
      '/v3/workspaces/:workspace/sessions/:session/messages',
      messagesBody,
      within((workspace, { params, body }) => {
        const sessionId = params['session'] ?? ''
        const session = workspace.sessions.get(sessionId) ?? emptySession()
        workspace.sessions.set(sessionId, session)
        const made = body.messages.map(({ peer_id, content, created_at }): HonchoMessage => ({
          id: randomUUID(),
          content,
          peer_id,
          session_id: sessionId,
          workspace_id: params['workspace'] ?? '',
          metadata: {},
          created_at: created_at ?? now(),
          token_count: Math.ceil(content.length / 4),
        }))
        session.messages.push(...made)
        for (const { peer_id } of made) if (!session.peers.has(peer_id)) session.peers.set(peer_id, {})
        for (const message of made) pending.push(() => derive(workspace, session, message))
        setImmediate(work)
        return { status: 201, body: made }
      }),
    ),
    bareRoute(
      'GET',
      '/v3/workspaces/:workspace/peers/:peer/context',
      within((workspace, question) => {
        const pair = pairOf(question)
        return ok({
          peer_id: pair.observer,
          target_id: pair.observed,
          representation: representation(workspace, pair, question.query.get('search_query')),
          peer_card: workspace.cards.get(`${pair.observer}/${pair.observed}`) ?? null,
        })
      }),
    ),
    route(
      'POST',
      '/v3/workspaces/:workspace/peers/:peer/representation',
      representationBody,
      within((workspace, question) => {
        const pair = pairOf(question, question.body.target ?? null)
        return ok({ representation: representation(workspace, pair, question.body.search_query) })
      }),
    ),
    bareRoute(
      'GET',
      '/v3/workspaces/:workspace/peers/:peer/card',
      within((workspace, question) => {
        const { observer, observed } = pairOf(question)
        return ok({ peer_card: workspace.cards.get(`${observer}/${observed}`) ?? null })
      }),
    ),
    route(
      'PUT',
      '/v3/workspaces/:workspace/peers/:peer/card',
      z.object({ peer_card: z.array(z.string()).max(40) }),
      within((workspace, question) => {
        const { observer, observed } = pairOf(question)
        workspace.cards.set(`${observer}/${observed}`, question.body.peer_card)
        return ok({ peer_card: question.body.peer_card })
      }),
    ),
    route(
      'POST',
      '/v3/workspaces/:workspace/peers/:peer/chat',
      chatBody,
      within((workspace, question) => {
        const { query, target } = question.body
        const { observer, observed } = pairOf(question, target ?? null)
        const facts = new Set(conclusionsOf(workspace, { observer, observed }, query).map(({ content }) => content))
        return ok({ content: facts.size === 0 ? null : `What is known: ${[...facts].join(' ')}` })
      }),
    ),
    route(
      'POST',
      '/v3/workspaces/:workspace/conclusions',
      conclusionsBody,
      within((workspace, { body }) => {
        for (const { observer_id, observed_id } of body.conclusions) {
          if (!workspace.peers.has(observer_id) || !workspace.peers.has(observed_id)) {
            return refused(404, 'Peer not found')
          }
        }
        const made = body.conclusions.map(({ session_id, ...fact }) =>
          conclude(workspace, { ...fact, session_id: session_id ?? null }),
        )
        return { status: 201, body: made }
      }),
    ),
    bareRoute(
      'GET',
      '/v3/workspaces/:workspace/queue/status',
      within(() =>
        ok({
          total_work_units: pending.length,
          completed_work_units: 0,
          in_progress_work_units: 0,
          pending_work_units: pending.length,
        }),
      ),
    ),
  ]

  function work(): void {
    for (const derivation of pending.splice(0)) derivation()
  }

  const service = await startStandIn(routes, fastApiManners(key))
  return Object.assign(service, {
    key,
    workspaces,
    async settle() {
      while (pending.length > 0) await new Promise((resolve) => setImmediate(resolve))
    },
  })
}
