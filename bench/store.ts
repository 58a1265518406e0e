import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { openSqliteSessionStore } from '@hermes/core/sessions/sqlite.ts'
import type { SessionStore } from '@hermes/core/sessions/store.ts'
import { temporaryHome } from '@hermes/testing'
import { median } from './measure.ts'
import type { Row } from './measure.ts'

const messages = 100_000
const appends = 4_000
const queries = 100

/** Appending and searching in a store of 100,000 mixed English and Chinese messages. */
export async function store(): Promise<readonly Row[]> {
  await using home = await temporaryHome()
  const sessions = await openSqliteSessionStore({
    home: openHome(home.environment),
    clock: systemClock('UTC'),
    log: silentLogger,
  })
  try {
    const append = await appendRate(sessions, home.path('state.db'))
    fill(home.path('state.db'))
    return [append, ...(await searches(sessions)), ...(await recalls(sessions, home.path('state.db')))]
  } finally {
    await sessions.close()
  }
}

/** Messages a second, one transaction each, in turns with the same statements on a bare connection. */
async function appendRate(sessions: SessionStore, path: string): Promise<Row> {
  await sessions.create({ id: 'ours', source: 'bench' })
  await sessions.create({ id: 'floor', source: 'bench' })
  const db = new DatabaseSync(path, { timeout: 5_000 })
  db.exec('PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON; PRAGMA synchronous=NORMAL')
  // The same work: a row with every column that a stored message has.
  const insert = db.prepare(
    'INSERT INTO messages (session_id, role, content, timestamp, tool_call_id, tool_calls, tool_name, finish_reason,' +
      ' reasoning, reasoning_details, codex_reasoning_items) VALUES (?, ?, ?, ?, NULL, NULL, NULL, NULL, NULL, NULL, NULL)',
  )
  const count = db.prepare('UPDATE sessions SET message_count = message_count + 1 WHERE id = ?')
  const ours: number[] = []
  const floor: number[] = []
  const block = 200
  for (let done = 0; done < appends; done += block) {
    let from = performance.now()
    for (let i = 0; i < block; i++) await sessions.append('ours', { role: 'user', content: textOf(done + i) })
    ours.push((block / (performance.now() - from)) * 1000)
    from = performance.now()
    for (let i = 0; i < block; i++) {
      db.exec('BEGIN IMMEDIATE')
      insert.run('floor', 'user', textOf(done + i), Date.now() / 1000)
      count.run('floor')
      db.exec('COMMIT')
    }
    floor.push((block / (performance.now() - from)) * 1000)
  }
  db.close()
  return {
    name: 'append one message',
    value: median(ours),
    unit: '/s',
    floor: median(floor),
    floorName: 'raw node:sqlite',
    goal: { ratioAtLeast: 0.85 },
  }
}

function fill(path: string): void {
  const db = new DatabaseSync(path, { timeout: 5_000 })
  const insert = db.prepare('INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)')
  db.exec('BEGIN IMMEDIATE')
  for (let i = appends; i < messages; i++) insert.run('ours', i % 2 === 0 ? 'user' : 'assistant', textOf(i), 1.7e9 + i)
  db.exec('COMMIT')
  db.close()
}

async function searches(sessions: SessionStore): Promise<readonly Row[]> {
  const from = performance.now()
  await sessions.search('server')
  const indexing: Row = {
    name: `index ${messages} messages at the first search`,
    value: performance.now() - from,
    unit: 'ms',
  }
  const p50 = async (name: string, query: string, atMost: number): Promise<Row> => {
    const times: number[] = []
    for (let i = 0; i < queries; i++) {
      const begun = performance.now()
      await sessions.search(query)
      times.push(performance.now() - begun)
    }
    return { name: `search, ${name} p50`, value: median(times), unit: 'ms', goal: { atMost } }
  }
  return [
    indexing,
    await p50('common word', 'server', 2),
    await p50('rare word', 'needle77777', 0.2),
    await p50('prefix', 'ser*', 10),
    await p50('two Chinese characters', '数据', 2),
  ]
}

/** Share of the messages that hold a text which the search finds, page by page. */
async function recalls(sessions: SessionStore, path: string): Promise<readonly Row[]> {
  const db = new DatabaseSync(path, { readOnly: true })
  const rows: Row[] = []
  for (const text of ['库', '数据', '数据库', '量子纠', '节点']) {
    const wanted = db.prepare('SELECT id FROM messages WHERE instr(content, ?) > 0').all(text)
    const found = new Set<number>()
    for (let offset = 0; ; offset += 5_000) {
      const hits = await sessions.search(text, { limit: 5_000, offset })
      for (const hit of hits) found.add(hit.messageId)
      if (hits.length < 5_000) break
    }
    const share = wanted.filter((row) => found.has(Number(row['id']))).length / Math.max(1, wanted.length)
    rows.push({
      name: `recall of ${text} (${wanted.length} messages)`,
      value: 100 * share,
      unit: '%',
      goal: { atLeast: 100 },
    })
  }
  db.close()
  return rows
}

const english =
  'the server returned an error while we deploy a new version of docker image and check logs for test data'.split(' ')
const chinese = '我们需要把数据库迁移到新的服务器然后检查日志文件和节点状态再部署版本'

/** A message of some 40 words, the same for the same number; one in two is partly Chinese, one in 1,000 is rare. */
function textOf(n: number): string {
  let seed = (n * 2_654_435_761) >>> 0
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed % below
  }
  const words = Array.from({ length: 30 }, () => english[next(english.length)])
  if (n % 2 === 0) {
    const at = next(chinese.length - 8)
    words.splice(next(30), 0, chinese.slice(at, at + 3 + next(6)))
  }
  if (n % 1_000 === 0) words.push('量子纠缠')
  if (n === 77_777) words.push('needle77777')
  return words.join(' ')
}
