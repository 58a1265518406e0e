// What the stand-in of Honcho keeps of a workspace, and how it concludes something from what was said.
import { randomUUID } from 'node:crypto'
import { factsIn, ranked } from './relevance.ts'

export interface HonchoConclusion {
  readonly id: string
  readonly content: string
  readonly observer_id: string
  readonly observed_id: string
  readonly session_id: string | null
  readonly level: 'explicit'
  readonly created_at: string
}

export interface HonchoMessage {
  readonly id: string
  readonly content: string
  readonly peer_id: string
  readonly session_id: string
  readonly workspace_id: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly created_at: string
  readonly token_count: number
}

export interface PeerConfiguration {
  readonly observe_me?: boolean | null
  readonly observe_others?: boolean | null
}

export interface HonchoSession {
  readonly peers: Map<string, PeerConfiguration>
  readonly messages: HonchoMessage[]
}

export interface HonchoWorkspace {
  readonly peers: Set<string>
  readonly sessions: Map<string, HonchoSession>
  readonly conclusions: HonchoConclusion[]
  /** By `observer/observed`. */
  readonly cards: Map<string, readonly string[]>
}

/** Whose knowledge, and of whom. */
export interface HonchoPair {
  readonly observer: string
  readonly observed: string
}

export function emptyWorkspace(): HonchoWorkspace {
  return { peers: new Set(), sessions: new Map(), conclusions: [], cards: new Map() }
}

export function emptySession(): HonchoSession {
  return { peers: new Map(), messages: [] }
}

export function conclude(
  workspace: HonchoWorkspace,
  fact: Omit<HonchoConclusion, 'id' | 'level' | 'created_at'>,
): HonchoConclusion {
  const made: HonchoConclusion = { ...fact, id: randomUUID(), level: 'explicit', created_at: new Date().toISOString() }
  workspace.conclusions.push(made)
  return made
}

/** Everybody who observes a message concludes its facts about whoever said it. */
export function derive(workspace: HonchoWorkspace, session: HonchoSession, message: HonchoMessage): void {
  for (const [observer, configuration] of session.peers) {
    const observes = observer === message.peer_id ? configuration.observe_me : configuration.observe_others
    if (observes === false) continue
    for (const content of factsIn(message.content)) {
      conclude(workspace, {
        content,
        observer_id: observer,
        observed_id: message.peer_id,
        session_id: message.session_id,
      })
    }
  }
}

/** What one knows of the other; with a query, what bears on it, best first. */
export function conclusionsOf(
  workspace: HonchoWorkspace,
  { observer, observed }: HonchoPair,
  query: string | null | undefined,
): readonly HonchoConclusion[] {
  const known = workspace.conclusions.filter((each) => each.observer_id === observer && each.observed_id === observed)
  return query ? ranked(query, known, ({ content }) => content).map(({ item }) => item) : known
}

/** The same as a text. */
export function representation(workspace: HonchoWorkspace, pair: HonchoPair, query: string | null | undefined): string {
  const chosen = conclusionsOf(workspace, pair, query).slice(0, 25)
  if (chosen.length === 0) return ''
  const lines = chosen.map(({ content, created_at }) => `[${created_at.slice(0, 19)}] ${content}`)
  return `## Explicit Observations\n\n${lines.join('\n')}`
}
