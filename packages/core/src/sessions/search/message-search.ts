import { setImmediate } from 'node:timers/promises'
import type { Logger } from '../../log/logger.ts'
import type { StateFile } from '../state-file.ts'
import type { SearchHit, SearchOptions } from '../store.ts'
import { candidateExpression } from './candidates.ts'
import { foldText } from './fold.ts'
import { FreshIndex } from './fresh-index.ts'
import { compileMatcher, type Matcher, termFinder } from './match.ts'
import { type IndexPosition, MessageIndex } from './message-index.ts'
import { type CandidateRow, candidateRows, hitSessions, unindexedIds } from './message-rows.ts'
import { parseQuery, type QueryNode, type SearchQuery } from './parse-query.ts'
import { rank } from './rank.ts'
import { makeSnippet } from './snippet.ts'

/** Matches that are ranked with each other. More than a page, so that the best of a common word come first. */
const windowSize = 100

/** How long a search works before it lets others have the process. */
const sliceMs = 10

export interface MessageSearchOptions {
  readonly state: StateFile
  /** Where the index is kept. */
  readonly path: string
  readonly log: Logger
}

/**
 * Full-text search over the messages of `state.db`. The index proposes candidates, newest first; each is checked
 * against its text, and a window of matches at a time is ranked. So every match is found, on exactly one page, however
 * the index fares: without it everything is read.
 */
export class MessageSearch {
  readonly #state: StateFile
  readonly #index: FreshIndex

  constructor({ state, path, log }: MessageSearchOptions) {
    this.#state = state
    this.#index = new FreshIndex(new MessageIndex(path, state), log)
  }

  async search(text: string, options: SearchOptions): Promise<SearchHit[]> {
    const query = parseQuery(text)
    if (!query) return []
    const search = { query, matcher: compileMatcher(query), options }
    const hits = await this.#index.use((index, position) => this.#hits({ ...search, indexed: { index, position } }))
    return hits ?? this.#hits(search)
  }

  /** Takes deleted messages out of the index. */
  async forget(ids: readonly number[]): Promise<void> {
    await this.#index.forget(ids)
  }

  async close(): Promise<void> {
    await this.#index.close()
  }

  async #hits(search: Search): Promise<SearchHit[]> {
    const { limit = 20, offset = 0 } = search.options
    const page = (await this.#best(search, offset + limit)).slice(offset)
    if (page.length === 0) return []
    const ids = page.map(({ row }) => row.sessionId)
    const sessions = await this.#state.read((db) => hitSessions(db, ids))
    const finders = search.query.terms.map(termFinder)
    return page.flatMap(({ row, folded, score }) => {
      const session = sessions.get(row.sessionId)
      if (!session) return []
      const { id: messageId, content, ...shown } = row
      return [{ messageId, ...shown, ...session, snippet: makeSnippet(content, folded, finders), score }]
    })
  }

  /** The first `wanted` matches: window after window from the newest on, each ranked. */
  async #best(search: Search, wanted: number): Promise<RankedMatch[]> {
    const stream = this.#matches(search, search.query.root)
    const seen = new Set<number>()
    const best: RankedMatch[] = []
    while (best.length < wanted) {
      const window = await take(stream, windowSize)
      const isLast = window.length < windowSize
      if (best.length === 0 && !isLast) window.push(...(await this.#alternatives(search)))
      best.push(...rank(window.filter(({ row }) => isNew(seen, row.id))))
      if (isLast) break
    }
    return best.slice(0, wanted)
  }

  /** The newest matches of each side of an OR, so that a rare word is not lost behind a common one. */
  async #alternatives(search: Search): Promise<Match[]> {
    const { root } = search.query
    if (root.type !== 'or' || !search.indexed) return []
    const found: Match[] = []
    for (const node of root.nodes) {
      const stream = this.#matches(search, node, 'in-index')
      found.push(...(await take(stream, Math.ceil(windowSize / root.nodes.length))))
    }
    return found
  }

  /** Messages that match the query and may match `node`, newest first: those not in the index yet, then its own. */
  async *#matches(search: Search, node: QueryNode, where: 'everywhere' | 'in-index' = 'everywhere') {
    const expression = candidateExpression(node)
    const { index, position } = search.indexed ?? {}
    const indexedTo = position?.indexedTo ?? 0
    let isInIndex = where === 'in-index' || position?.lastId === indexedTo
    let below = isInIndex ? indexedTo + 1 : Number.MAX_SAFE_INTEGER
    let workingSince = performance.now()
    for (;;) {
      const ids =
        isInIndex && index
          ? await index.candidates(expression, below, windowSize)
          : await this.#state.read((db) => unindexedIds(db, indexedTo, below, windowSize))
      yield* await this.#check(search, ids)
      below = ids.at(-1) ?? 0
      if (ids.length < windowSize) {
        if (isInIndex || !index) return
        isInIndex = true
        below = indexedTo + 1
      }
      if (performance.now() - workingSince > sliceMs) {
        await setImmediate()
        workingSince = performance.now()
      }
    }
  }

  /** Those of some messages that the filters let through and whose text matches. */
  async #check({ matcher, options }: Search, ids: readonly number[]): Promise<Match[]> {
    if (ids.length === 0) return []
    const rows = await this.#state.read((db) => candidateRows(db, ids, options))
    return rows.flatMap((row) => {
      const folded = foldText(row.content)
      const counts = matcher(folded)
      return counts ? [{ row, folded, counts, length: folded.length, timestamp: row.timestamp }] : []
    })
  }
}

interface Search {
  readonly query: SearchQuery
  readonly matcher: Matcher
  readonly options: SearchOptions
  /** Absent where everything is to be read. */
  readonly indexed?: { readonly index: MessageIndex; readonly position: IndexPosition }
}

interface Match {
  readonly row: CandidateRow
  readonly folded: string
  readonly counts: readonly number[]
  readonly length: number
  readonly timestamp: number
}

type RankedMatch = Match & { readonly score: number }

async function take<T>(stream: AsyncGenerator<T>, most: number): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < most) {
    const next = await stream.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}

function isNew(seen: Set<number>, id: number): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  return true
}
