import { isCorrupt } from '../storage/database-error.ts'
import type { Database } from '../storage/database.ts'
import { createFullText } from './schema.ts'

/** What is damaged: nothing, upstream's full-text index, other indexes too (all can be made anew), or the data. */
export type Damage = 'none' | 'full-text' | 'indexes' | 'data'

/** Looks through the whole database. */
export function findDamage(db: Database): Damage {
  const kinds = new Set<Damage>()
  const names = rootPageNames(db)
  for (const row of db.prepare('PRAGMA integrity_check(1000)').all()) {
    for (const line of String(row['integrity_check']).split('\n')) kinds.add(damageOf(line, names))
  }
  return (['data', 'indexes', 'full-text'] as const).find((kind) => kinds.has(kind)) ?? 'none'
}

/**
 * Makes damaged indexes anew from the data. Resolves to whether the database is sound now; one whose data is damaged is
 * left as it is.
 */
export async function repairIndexes(db: Database): Promise<boolean> {
  const damage = await db.read(() => findDamage(db))
  if (damage === 'none' || damage === 'data') return damage === 'none'
  if (damage === 'full-text' && (await rebuildFullText(db))) return true
  await db.write(() => {
    // Damaged pages cannot be freed one by one, so the index is forgotten first; VACUUM then leaves its pages behind.
    db.exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name LIKE 'messages\\_fts%' ESCAPE '\\'`)
  })
  db.exec('PRAGMA writable_schema = RESET')
  await db.read(() => db.exec('VACUUM'))
  await db.write(() => createFullText(db))
  return (await db.read(() => findDamage(db))) === 'none'
}

async function rebuildFullText(db: Database): Promise<boolean> {
  try {
    await db.write(() => db.exec(`INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')`))
  } catch (error) {
    if (isCorrupt(error)) return false
    throw error
  }
  return (await db.read(() => findDamage(db))) === 'none'
}

function rootPageNames(db: Database): Map<string, string> {
  const rows = db.prepare('SELECT rootpage, type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0').all()
  return new Map(rows.map((row) => [String(row['rootpage']), `${String(row['type'])} ${String(row['name'])}`]))
}

/** What one line of `PRAGMA integrity_check` complains of; what is not understood counts as the data. */
function damageOf(line: string, names: ReadonlyMap<string, string>): Damage {
  if (line === 'ok' || line === '' || line.startsWith('***') || /^Page \d+: never used/.test(line)) return 'none'
  if (/messages_fts/.test(line)) return 'full-text'
  if (/ index \S+$/.test(line) || line.startsWith('Freelist')) return 'indexes'
  const tree = names.get(/^Tree (\d+) /.exec(line)?.[1] ?? '')
  if (tree?.startsWith('table messages_fts') || tree?.startsWith('index messages_fts')) return 'full-text'
  return tree?.startsWith('index ') ? 'indexes' : 'data'
}
