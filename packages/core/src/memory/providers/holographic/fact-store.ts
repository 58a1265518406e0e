import { z } from 'zod'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import type { Database } from '../../../storage/database.ts'
import { cleanName, entitiesIn } from './entities.ts'
import type { Phases, PhaseSpace } from './phases.ts'

export const categories = ['user_pref', 'project', 'tool', 'general'] as const

/** One fact as tools show it. */
export interface Fact {
  readonly fact_id: number
  readonly content: string
  readonly category: string
  readonly tags: string
  /** From 0 to 1: grows with each `helpful`, shrinks with each `unhelpful`. */
  readonly trust_score: number
  readonly retrieval_count: number
  readonly helpful_count: number
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  readonly created_at: string
  readonly updated_at: string
}

/** A fact with its vector; undefined where it was made with another number of dimensions. */
export interface FactRow {
  readonly fact: Fact
  readonly vector: Phases | undefined
}

export interface FactChange {
  readonly content?: string | undefined
  readonly category?: string | undefined
  readonly tags?: string | undefined
  readonly trustDelta?: number | undefined
}

export interface FactFilter {
  readonly category?: string | undefined
  readonly minTrust: number
  readonly limit: number
}

/** Longest fact, characters. */
const maxContentChars = 4_000

const feedbackDeltas = { helpful: 0.05, unhelpful: -0.1 } as const

const factRow = z.looseObject({
  fact_id: z.number(),
  content: z.string(),
  category: z.string().nullish(),
  tags: z.string().nullish(),
  trust_score: z.number().nullish(),
  retrieval_count: z.number().nullish(),
  helpful_count: z.number().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  hrr_vector: z.instanceof(Uint8Array).nullish(),
})

const textRow = z.looseObject({ text: z.string() })
const idRow = z.looseObject({ id: z.number() })

export interface FactStoreOptions {
  readonly db: Database
  readonly space: PhaseSpace
  readonly defaultTrust: number
}

/**
 * The facts in `memory_store.db`. Each change is one transaction: other processes and a kill see all of it or nothing.
 */
export type FactStore = ReturnType<typeof createFactStore>

/** `db` has its tables already. Methods throw `DatabaseError`, and `MemoryProviderError` for what cannot be a fact. */
export function createFactStore({ db, space, defaultTrust }: FactStoreOptions) {
  /** The fact's links to its entities, and its vector. To be called in a transaction. */
  function describe(factId: number, content: string): void {
    db.prepare('DELETE FROM fact_entities WHERE fact_id = ?').run(factId)
    const names: string[] = []
    for (const { name, aliases } of entitiesIn(content)) {
      names.push(name)
      const id = entityId(name) ?? addEntity(name, aliases)
      db.prepare('INSERT OR IGNORE INTO fact_entities (fact_id, entity_id) VALUES (?, ?)').run(factId, id)
    }
    db.prepare('UPDATE facts SET hrr_vector = ? WHERE fact_id = ?').run(space.write(space.fact(content, names)), factId)
  }

  function entityId(name: string): number | undefined {
    const sql = `SELECT entity_id AS id FROM entities
      WHERE lower(name) = lower(?) OR instr(',' || lower(aliases) || ',', ',' || lower(?) || ',') > 0
      ORDER BY entity_id LIMIT 1`
    const row = db.prepare(sql).get(name, name)
    return row && idRow.parse(row).id
  }

  function addEntity(name: string, aliases: readonly string[]): number {
    const added = db.prepare('INSERT INTO entities (name, aliases) VALUES (?, ?)').run(name, aliases.join(','))
    return Number(added.lastInsertRowid)
  }

  /** Sums over categories are upstream's; it reckons without one that is missing. */
  function dropSums(): void {
    db.exec('DELETE FROM memory_banks')
  }

  return {
    /** Adds a fact, unless it is there: `isNew` tells. */
    async add(
      content: string,
      category: string,
      tags: string,
    ): Promise<{ readonly id: number; readonly isNew: boolean }> {
      const text = checked(content)
      return db.write(() => {
        const known = db.prepare('SELECT fact_id AS id FROM facts WHERE content = ?').get(text)
        if (known) return { id: idRow.parse(known).id, isNew: false }
        const added = db
          .prepare('INSERT INTO facts (content, category, tags, trust_score) VALUES (?, ?, ?, ?)')
          .run(text, category, tags, defaultTrust)
        const id = Number(added.lastInsertRowid)
        describe(id, text)
        dropSums()
        return { id, isNew: true }
      })
    },

    /** Resolves to whether there is such a fact. */
    async update(id: number, { content, category, tags, trustDelta }: FactChange): Promise<boolean> {
      const text = content === undefined ? undefined : checked(content)
      return db.write(() => {
        const found = db.prepare('SELECT * FROM facts WHERE fact_id = ?').get(id)
        if (!found) return false
        const { fact } = rowOf(found, space)
        const same = db
          .prepare('SELECT fact_id AS id FROM facts WHERE content = ? AND fact_id <> ?')
          .get(text ?? '', id)
        if (same) {
          throw new MemoryProviderError(
            'invalid',
            `Fact ${idRow.parse(same).id} says that already; remove one of them.`,
          )
        }
        db.prepare(
          'UPDATE facts SET content = ?, category = ?, tags = ?, trust_score = ?, updated_at = CURRENT_TIMESTAMP WHERE fact_id = ?',
        ).run(
          text ?? fact.content,
          category ?? fact.category,
          tags ?? fact.tags,
          clamped(fact.trust_score + (trustDelta ?? 0)),
          id,
        )
        if (text !== undefined) describe(id, text)
        dropSums()
        return true
      })
    },

    async remove(id: number): Promise<boolean> {
      return db.write(() => {
        db.prepare('DELETE FROM fact_entities WHERE fact_id = ?').run(id)
        const { changes } = db.prepare('DELETE FROM facts WHERE fact_id = ?').run(id)
        if (changes > 0) dropSums()
        return changes > 0
      })
    },

    /** Resolves to undefined where there is no such fact. */
    async rate(id: number, rating: keyof typeof feedbackDeltas) {
      return db.write(() => {
        const found = db.prepare('SELECT * FROM facts WHERE fact_id = ?').get(id)
        if (!found) return undefined
        const { fact } = rowOf(found, space)
        const trust = clamped(fact.trust_score + feedbackDeltas[rating])
        const helpful = fact.helpful_count + (rating === 'helpful' ? 1 : 0)
        db.prepare(
          'UPDATE facts SET trust_score = ?, helpful_count = ?, updated_at = CURRENT_TIMESTAMP WHERE fact_id = ?',
        ).run(trust, helpful, id)
        return { fact_id: id, old_trust: fact.trust_score, new_trust: trust, helpful_count: helpful }
      })
    },

    /** Counts that facts were found. */
    async countRetrieval(ids: readonly number[]): Promise<void> {
      await db.write(() => {
        for (const id of ids) {
          db.prepare('UPDATE facts SET retrieval_count = retrieval_count + 1 WHERE fact_id = ?').run(id)
        }
      })
    },

    /** The most trusted ones first. */
    async list({ category, minTrust, limit }: FactFilter): Promise<FactRow[]> {
      const sql = `SELECT * FROM facts WHERE trust_score >= ? AND (? IS NULL OR category = ?)
        ORDER BY trust_score DESC, updated_at DESC, fact_id DESC LIMIT ?`
      const asked = category ?? null
      return db.read(() => rowsOf(db.prepare(sql).all(minTrust, asked, asked, limit), space))
    },

    /** Some of them, the most trusted ones first. */
    async get(ids: readonly number[], { category, minTrust, limit }: FactFilter): Promise<FactRow[]> {
      const sql = `SELECT * FROM facts WHERE fact_id IN (SELECT value FROM json_each(?)) AND trust_score >= ?
        AND (? IS NULL OR category = ?) ORDER BY trust_score DESC, updated_at DESC, fact_id DESC LIMIT ?`
      const asked = category ?? null
      return db.read(() => rowsOf(db.prepare(sql).all(JSON.stringify(ids), minTrust, asked, asked, limit), space))
    },

    /** Those that match an FTS5 expression, the best first. */
    async match(expression: string, { category, minTrust, limit }: FactFilter): Promise<FactRow[]> {
      const sql = `SELECT f.* FROM facts_fts JOIN facts f ON f.fact_id = facts_fts.rowid
        WHERE facts_fts MATCH ? AND f.trust_score >= ? AND (? IS NULL OR f.category = ?) ORDER BY rank LIMIT ?`
      const asked = category ?? null
      return db.read(() => rowsOf(db.prepare(sql).all(expression, minTrust, asked, asked, limit), space))
    },

    /** Those whose text has one of some pieces, for scripts that put no spaces between words. */
    async containing(pieces: readonly string[], { category, minTrust, limit }: FactFilter): Promise<FactRow[]> {
      const sql = `SELECT * FROM facts WHERE trust_score >= ? AND (? IS NULL OR category = ?)
        AND EXISTS (SELECT 1 FROM json_each(?) WHERE instr(content, value) > 0) ORDER BY trust_score DESC LIMIT ?`
      const asked = category ?? null
      return db.read(() => rowsOf(db.prepare(sql).all(minTrust, asked, asked, JSON.stringify(pieces), limit), space))
    },

    /** Names in lower case of the entities of each of some facts. */
    async entitiesOf(ids: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
      const sql =
        'SELECT lower(e.name) AS text FROM entities e JOIN fact_entities fe ON fe.entity_id = e.entity_id WHERE fe.fact_id = ?'
      return db.read(() => {
        const namesOf = (id: number) =>
          db
            .prepare(sql)
            .all(id)
            .map((row) => textRow.parse(row).text)
        return new Map(ids.map((id) => [id, namesOf(id)]))
      })
    },

    /** Ids of the facts that are linked to an entity, by its name or an alias. */
    async linkedTo(name: string): Promise<ReadonlySet<number>> {
      return db.read(() => {
        const id = entityId(cleanName(name))
        if (id === undefined) return new Set<number>()
        const rows = db.prepare('SELECT fact_id AS id FROM fact_entities WHERE entity_id = ?').all(id)
        return new Set(rows.map((row) => idRow.parse(row).id))
      })
    },

    async count(): Promise<number> {
      return db.read(() => idRow.parse(db.prepare('SELECT count(*) AS id FROM facts').get()).id)
    },
  }
}

function checked(content: string): string {
  const text = content.toWellFormed().trim()
  if (text === '') throw new MemoryProviderError('invalid', 'content is empty: say the fact in one sentence.')
  if (text.length <= maxContentChars) return text
  throw new MemoryProviderError(
    'invalid',
    `content has ${text.length} characters, a fact at most ${maxContentChars}: say it shorter, or as several facts.`,
  )
}

function rowsOf(rows: readonly unknown[], space: PhaseSpace): FactRow[] {
  return rows.map((row) => rowOf(row, space))
}

function rowOf(row: unknown, space: PhaseSpace): FactRow {
  const { hrr_vector: blob, ...found } = factRow.parse(row)
  const created = found.created_at ?? ''
  const fact: Fact = {
    fact_id: found.fact_id,
    content: found.content,
    category: found.category ?? 'general',
    tags: found.tags ?? '',
    trust_score: found.trust_score ?? 0.5,
    retrieval_count: found.retrieval_count ?? 0,
    helpful_count: found.helpful_count ?? 0,
    created_at: created,
    updated_at: found.updated_at ?? created,
  }
  return { fact, vector: blob ? space.read(blob) : undefined }
}

function clamped(trust: number): number {
  return Math.min(1, Math.max(0, trust))
}
