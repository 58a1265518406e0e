import type { Session, SessionStore } from '../../sessions/store.ts'

/** Parents that are followed; a longer line is taken for a ring. */
const maxGenerations = 100

/** Why a session ended whose messages went on in a child of it. */
const goneOn = ['compression', 'branched']

export interface Lineages {
  /** A session's first ancestor; itself where it has none. Undefined where there is no such session. */
  root(id: string): Promise<Session | undefined>
  /** The session and those ancestors of it that still go on, as they do while delegated work runs. */
  live(id: string): Promise<readonly string[]>
}

/** Where sessions come from; each is read once. */
export function openLineages(sessions: Pick<SessionStore, 'get'>): Lineages {
  const known = new Map<string, Promise<Session | undefined>>()
  const get = (id: string) => {
    const session = known.get(id) ?? sessions.get(id)
    known.set(id, session)
    return session
  }
  const line = async (id: string) => {
    const sessionsUp: Session[] = []
    let session = await get(id)
    while (session && sessionsUp.length < maxGenerations) {
      sessionsUp.push(session)
      session = session.parentId === undefined ? undefined : await get(session.parentId)
    }
    return sessionsUp
  }
  return {
    root: async (id) => (await line(id)).at(-1),
    async live(id) {
      const ancestors = (await line(id)).slice(1)
      return [id, ...ancestors.filter(({ endReason }) => !goneOn.includes(endReason ?? '')).map((each) => each.id)]
    },
  }
}
