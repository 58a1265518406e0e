import type { Database } from '../storage/database.ts'
import { createIndexes } from './schema.ts'

/**
 * Makes everything that can be made from the data of `state.db` anew: its indexes and upstream's full-text index.
 * Resolves to whether it did; a database whose data is damaged is left as it is.
 *
 * Damaged pages cannot be freed one by one, so the indexes are struck out of the schema, made again on other pages, and
 * VACUUM leaves the old pages behind.
 */
export async function repairIndexes(db: Database): Promise<boolean> {
  if (!(await db.read(() => isDataSound(db)))) return false
  db.setDefensive(false)
  try {
    await db.write(() => forgetIndexes(db))
    db.exec('PRAGMA writable_schema = RESET')
  } finally {
    db.setDefensive(true)
  }
  await db.write(() => createIndexes(db))
  await db.read(() => db.exec('VACUUM'))
  return true
}

/** Whether every row of every table can be read; what `quick_check` says of indexes does not matter here. */
function isDataSound(db: Database): boolean {
  const tables = db.prepare(`SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 0`).all()
  const roots = new Set(tables.map((row) => String(row['rootpage'])))
  return ['schema_version', 'sessions', 'messages'].every((table) =>
    db
      .prepare(`PRAGMA quick_check(${table})`)
      .all()
      .flatMap((row) => String(row['quick_check']).split('\n'))
      .every((line) => !isAboutData(line, roots)),
  )
}

function isAboutData(line: string, tableRoots: ReadonlySet<string>): boolean {
  if (line === 'ok' || line.startsWith('***') || / index \S+$/.test(line)) return false
  const root = /^Tree (\d+) /.exec(line)?.[1]
  return root === undefined || tableRoots.has(root)
}

function forgetIndexes(db: Database): void {
  db.exec(`
    PRAGMA writable_schema = ON;
    CREATE INDEX idx_sessions_id ON sessions(id);
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'idx_sessions_id')
      WHERE name = 'sqlite_autoindex_sessions_1';
    DELETE FROM sqlite_schema WHERE name LIKE 'messages\\_fts%' ESCAPE '\\' OR (type = 'index' AND sql IS NOT NULL);
  `)
}
