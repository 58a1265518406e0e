import { setImmediate as nextTick } from 'node:timers/promises'
import type { Clock } from '../../../agent/clock.ts'
import type { Fact, FactFilter, FactStore } from './fact-store.ts'
import { bind, likeness, pointsOf, roles, wordsOf } from './phases.ts'
import type { Phases, PhaseSpace, Points } from './phases.ts'

/** A fact that answers a question, and how well: higher is better, comparable within one answer. */
export interface ScoredFact extends Fact {
  readonly score: number
}

export interface Contradiction {
  readonly fact_a: Fact
  readonly fact_b: Fact
  readonly shared_entities: readonly string[]
  readonly entity_overlap: number
  readonly content_similarity: number
  readonly contradiction_score: number
}

export type Question = Pick<FactFilter, 'category' | 'limit'>

/** What the parts of a match count. */
const weights = { rank: 0.4, words: 0.3, vector: 0.3 } as const

/** Most facts that a question about entities looks at: the most trusted ones. */
const maxScanned = 5_000

/** Of an entity's name and of what it is named together with, so much counts. */
const [maxNameWords, maxNeighbours] = [8, 32]

/** A fact of a neighbour counts less than one of the entity itself. */
const neighbourShare = 0.8

/** Most facts that are held against each other. */
const maxCompared = 300

/** Facts between two pauses in which others get their turn. */
const scanStep = 200

/** The same where each is held against all others. */
const compareStep = 20

/**
 * Part of a fact from here on: of 1,024 angles that have nothing in common, a similarity above it comes once in some
 * hundred thousand.
 */
const leastPresence = 0.1

/** What a link alone says, where several entities are asked for. */
const linkedPresence = 0.5

/** Share of common entities from which on two facts speak of the same. */
const leastOverlap = 0.3

/** Contradictions below it are not worth telling. */
const leastContradiction = 0.09

const dayMs = 86_400_000

export interface FactSearchOptions {
  readonly facts: FactStore
  readonly space: PhaseSpace
  readonly clock: Clock
  /** Days after which a fact counts half; 0: time does not matter. */
  readonly halfLifeDays: number
}

/** Finds facts by words, by entities and by what they have in common. */
export type FactSearch = ReturnType<typeof createFactSearch>

export function createFactSearch({ facts, space, clock, halfLifeDays }: FactSearchOptions) {
  /** Scores the facts that may be about something; what has too little of it is left out. */
  async function scored(
    candidates: ReadonlySet<number>,
    { category, limit }: Question,
    signal: AbortSignal,
    presence: (fact: Fact, points: Points) => number,
  ): Promise<ScoredFact[]> {
    const found: ScoredFact[] = []
    const rows = await facts.get([...candidates], { category, minTrust: 0, limit: maxScanned })
    for (const [at, { fact, vector }] of rows.entries()) {
      if (at % scanStep === scanStep - 1) await nextTick(undefined, { signal })
      // A vector of other dimensions than are set now is reckoned anew from the text.
      const value = presence(fact, pointsOf(vector ?? space.fact(fact.content, [])))
      if (value >= leastPresence) found.push({ ...fact, score: rounded(value * fact.trust_score) })
    }
    return found.sort(byScore).slice(0, limit)
  }

  /** Ids of the facts that an entity is linked to, and of those whose words name it. */
  async function about(
    name: string,
  ): Promise<{ readonly linked: ReadonlySet<number>; readonly all: ReadonlySet<number> }> {
    const all = { category: undefined, minTrust: 0, limit: maxScanned }
    const words = meaningfulWords(name)
    const [linked, named, containing] = await Promise.all([
      facts.linkedTo(name),
      words.length === 0 ? [] : facts.match(words.map((word) => `"${word}"`).join(' AND '), all),
      unspacedPieces(name).length === 0 ? [] : facts.containing([name.trim()], all),
    ])
    return { linked, all: linked.union(new Set([...named, ...containing].map(({ fact }) => fact.fact_id))) }
  }

  /** A word as it is part of facts' texts. */
  const inContent = (phases: Phases) => bind(phases, space.atom(roles.content))

  /** How much of a fact is an entity: in its role, or in the words of the text. */
  function presenceOf(name: string) {
    const inRole = pointsOf(space.entity(name))
    const words = wordsOf(name).slice(0, maxNameWords)
    const inText = words.map((word) => pointsOf(inContent(space.atom(word))))
    return (points: Points, content: string): { readonly role: number; readonly words: number } => {
      const role = likeness(points, inRole)
      const said = wordsOf(content)
      const isSaid = words.length > 0 && words.every((word) => said.includes(word))
      return { role, words: isSaid ? Math.max(leastPresence, ...inText.map((word) => likeness(points, word))) : 0 }
    }
  }

  function decay({ updated_at: updated }: Fact): number {
    const at = Date.parse(`${updated.replace(' ', 'T')}Z`)
    if (halfLifeDays <= 0 || Number.isNaN(at)) return 1
    return 0.5 ** (Math.max(0, clock.now() - at) / dayMs / halfLifeDays)
  }

  return {
    /** By the words of a query; what matches more of them, and is trusted more, comes first. */
    async search(query: string, filter: FactFilter): Promise<ScoredFact[]> {
      const wide = { ...filter, limit: filter.limit * 3 }
      const expression = ftsExpression(query)
      const pieces = unspacedPieces(query)
      const [matches, containing] = await Promise.all([
        expression === '' ? [] : facts.match(expression, wide),
        pieces.length === 0 ? [] : facts.containing(pieces, wide),
      ])
      const rows = new Map([...matches, ...containing].map((row) => [row.fact.fact_id, row]))
      const asked = pointsOf(inContent(space.text(query)))
      const words = new Set([...meaningfulWords(query), ...pieces])
      return [...rows.values()]
        .map(({ fact, vector }, at): ScoredFact => {
          const rank = 1 / (1 + at / 10)
          const alike = vector ? (likeness(asked, pointsOf(vector)) + 1) / 2 : 0.5
          const relevance = weights.rank * rank + weights.words * commonWords(words, fact) + weights.vector * alike
          return { ...fact, score: rounded(relevance * fact.trust_score * decay(fact)) }
        })
        .sort(byScore)
        .slice(0, filter.limit)
    },

    /** All that is about one entity. */
    async probe(entity: string, question: Question, signal: AbortSignal): Promise<ScoredFact[]> {
      const { linked, all } = await about(entity)
      const presence = presenceOf(entity)
      return scored(all, question, signal, (fact, points) => {
        const { role, words } = presence(points, fact.content)
        return linked.has(fact.fact_id) ? 1 + role : Math.max(role, words)
      })
    },

    /** What is connected with an entity: facts of it, and facts of what it is named together with. */
    async related(entity: string, question: Question, signal: AbortSignal): Promise<ScoredFact[]> {
      const { linked, all } = await about(entity)
      const names = new Set([...(await facts.entitiesOf([...linked].slice(0, maxScanned))).values()].flat())
      names.delete(entity.toLowerCase())
      const neighbours = [...names].slice(0, maxNeighbours)
      const theirs = await Promise.all(neighbours.map((name) => facts.linkedTo(name)))
      const presence = presenceOf(entity)
      const near = neighbours.map((name) => pointsOf(space.entity(name)))
      const candidates = theirs.reduce((sum, ids) => sum.union(ids), all)
      return scored(candidates, question, signal, (fact, points) => {
        const { role, words } = presence(points, fact.content)
        return Math.max(role, words, ...near.map((each) => likeness(points, each) * neighbourShare))
      })
    },

    /** What is about all of several entities at once. */
    async reason(entities: readonly string[], question: Question, signal: AbortSignal): Promise<ScoredFact[]> {
      const each = await Promise.all(
        entities.map(async (name) => ({ ...(await about(name)), presence: presenceOf(name) })),
      )
      const [first, ...others] = each.map(({ all }) => all)
      const candidates = others.reduce((common, ids) => common.intersection(ids), first ?? new Set<number>())
      return scored(candidates, question, signal, (fact, points) =>
        Math.min(
          ...each.map(({ linked, presence }) => {
            const { role, words } = presence(points, fact.content)
            return linked.has(fact.fact_id) ? Math.max(role, words, linkedPresence) : Math.max(role, words)
          }),
        ),
      )
    },

    /** Facts that speak of the same and say something else of it. */
    async contradict({ category, limit }: Question, signal: AbortSignal): Promise<Contradiction[]> {
      const rows = await facts.list({ category, minTrust: 0, limit: maxCompared })
      const names = await facts.entitiesOf(rows.map(({ fact }) => fact.fact_id))
      const claims = rows.map(({ fact, vector }): Claim => {
        const points = pointsOf(vector ?? space.fact(fact.content, []))
        return { fact, points, entities: new Set(names.get(fact.fact_id)) }
      })
      let found: Contradiction[] = []
      for (const [at, one] of claims.entries()) {
        if (at % compareStep === compareStep - 1) await nextTick(undefined, { signal })
        for (const other of claims.slice(at + 1)) {
          const contradiction = between(one, other)
          if (contradiction) found.push(contradiction)
        }
        found = found.sort((a, b) => b.contradiction_score - a.contradiction_score).slice(0, limit)
      }
      return found
    },
  }
}

/** A fact as it is held against others. */
interface Claim {
  readonly fact: Fact
  readonly points: Points
  readonly entities: ReadonlySet<string>
}

function between(a: Claim, b: Claim): Contradiction | undefined {
  const shared = [...a.entities].filter((name) => b.entities.has(name))
  const overlap = shared.length / Math.max(1, a.entities.size + b.entities.size - shared.length)
  if (overlap < leastOverlap) return undefined
  const alike = likeness(a.points, b.points)
  const score = overlap * (1 - (alike + 1) / 2)
  if (score < leastContradiction) return undefined
  return {
    fact_a: a.fact,
    fact_b: b.fact,
    shared_entities: shared,
    entity_overlap: rounded(overlap),
    content_similarity: rounded(alike),
    contradiction_score: rounded(score),
  }
}

/** Words that say nothing of what is meant. */
const fillers = new Set(
  'a an and are as at be been but by can could did do does for from had has have how i if in into is it its just let me my no not of on one or our please so some than that the their them then there these they this to up us use was we were what when where which who why will with would you your about'.split(
    ' ',
  ),
)

/** The words of a query that mean something, at most 32. */
function meaningfulWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  return [...new Set(words)]
    .filter((word) => !fillers.has(word) && (word.length > 1 || /\p{N}/u.test(word)))
    .slice(0, 32)
}

/** Any of the words, each quoted so that none is taken for an operator. Empty where there is none. */
export function ftsExpression(query: string): string {
  return meaningfulWords(query)
    .map((word) => `"${word}"`)
    .join(' OR ')
}

/** Pairs of characters of the scripts that put no spaces between words, at most 32. */
function unspacedPieces(query: string): string[] {
  const runs = query.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}/gu) ?? []
  const pairs = runs.flatMap((run) => {
    const letters = Array.from(run)
    return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
  })
  return [...new Set(pairs)].slice(0, 32)
}

/** Share of the words that a query and a fact have in common. */
function commonWords(asked: ReadonlySet<string>, { content, tags }: Fact): number {
  const said = new Set([...meaningfulWords(`${content} ${tags}`), ...unspacedPieces(content)])
  const all = asked.union(said).size
  return all === 0 ? 0 : asked.intersection(said).size / all
}

function byScore(a: ScoredFact, b: ScoredFact): number {
  return b.score - a.score || b.fact_id - a.fact_id
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
