import assert from 'node:assert/strict'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { openSqliteSessionStore } from '@hermes/core/sessions/sqlite.ts'
import type { SessionStore } from '@hermes/core/sessions/store.ts'
import { temporaryHome } from '@hermes/testing'
import { run } from '../../main.ts'

const day = 24 * 3_600_000

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Sessions {
  /** Runs `hermes sessions …`; `typed` is what a person at a terminal types. */
  readonly hermes: (args: readonly string[], typed?: string) => Promise<Outcome>
  readonly path: (...parts: string[]) => string
}

/** A home whose store `fill` filled; `at` sets the clock so many days back. */
async function sessionsOf(
  t: TestContext,
  fill: (store: SessionStore, at: (daysAgo: number) => void) => Promise<void>,
): Promise<Sessions> {
  const home = await temporaryHome()
  t.after(() => home[Symbol.asyncDispose]())
  let now = Date.now()
  const clock = { ...systemClock('UTC'), now: () => now }
  const store = await openSqliteSessionStore({ home: openHome(home.environment), clock, log: silentLogger })
  await fill(store, (daysAgo) => {
    now = Date.now() - daysAgo * day
  })
  await store.close()
  return {
    path: (...parts) => home.path(...parts),
    async hermes(args, typed) {
      const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
      Object.assign(stdin, { isTTY: typed !== undefined })
      stdin.end(typed ?? '')
      const [shown, told] = [text(stdout), text(stderr)]
      const signal = new AbortController().signal
      const cli = { environment: home.environment, cwd: home.dir, stdin, stdout, stderr, signal }
      const code = await run(['sessions', ...args], cli)
      stdout.end()
      stderr.end()
      return { code, stdout: await shown, stderr: await told }
    },
  }
}

/** Two sessions: `old`, ended and ten days old, and `new`, with a title. */
async function twoSessions(store: SessionStore, at: (daysAgo: number) => void): Promise<void> {
  at(10)
  await store.create({ id: 'old', source: 'telegram' })
  await store.append('old', { role: 'user', content: 'an old question about docker' })
  await store.end('old', 'session_reset')
  at(0.125)
  await store.create({ id: 'new', source: 'cli', model: 'm' })
  await store.append('new', { role: 'user', content: '重构数据库 \u001b[31mnow' })
  await store.append('new', {
    role: 'assistant',
    content: 'on it',
    toolCalls: [{ id: 'c', name: 'terminal', arguments: '{"command":"ls"}' }],
  })
  await store.append('new', { role: 'tool', toolCallId: 'c', toolName: 'terminal', content: 'line\n'.repeat(40) })
  await store.rename('new', '数据库计划')
}

test('sessions are listed as a table that lines up and holds no escape sequences', async (t) => {
  const { hermes } = await sessionsOf(t, twoSessions)
  const { code, stdout } = await hermes(['list'])
  const lines = stdout.trimEnd().split('\n')
  assert.equal(code, 0)
  assert.match(lines[0]!, /^Title {7}Preview {2,}Last Active {2}ID$/)
  assert.match(lines[1]!, /^数据库计划 {2}重构数据库 now {2,}3h ago {2,}new$/)
  assert.match(lines[2]!, /^— {11}an old question about docker {2}\d{4}-\d\d-\d\d {3}old$/)
  assert.ok(!stdout.includes('\u001b'))
})

test('without titles the source has a column, and an empty list is told apart from output', async (t) => {
  const { hermes } = await sessionsOf(t, async (store) => {
    await store.create({ id: 'x', source: 'telegram' })
  })
  assert.match(
    (await hermes(['list'])).stdout,
    /^Preview {2,}Last Active {2}Src {7}ID\n {2,}just now {5}telegram {2}x\n$/,
  )
  const none = { code: 0, stdout: '', stderr: 'No sessions of source "cron".\n' }
  assert.deepEqual(await hermes(['list', '--source', 'cron']), none)
  assert.equal((await hermes(['list', '--limit', 'many'])).code, 2)
})

test('what a list or a search leaves out is told beside it, not in it', async (t) => {
  const { hermes } = await sessionsOf(t, twoSessions)
  const list = await hermes(['list', '--limit', '1'])
  assert.equal(list.stdout.trimEnd().split('\n').length, 2)
  assert.match(list.stderr, /^Only the last 1 are shown; --limit N shows more\.\n$/)
  assert.equal((await hermes(['list', '--limit', '2'])).stderr, '')
  assert.equal(JSON.parse((await hermes(['list', '--limit', '1', '--json'])).stdout).length, 1)
  const search = await hermes(['search', 'question', 'OR', 'line', 'OR', 'now', '--limit', '1'])
  assert.equal(search.stderr, 'There is more; --offset 1 shows the next.\n')
  assert.equal((await hermes(['search', 'question', '--limit', '1'])).stderr, '')
})

test('a name that means no session or several is told what names one', async (t) => {
  const { hermes } = await sessionsOf(t, async (store) => {
    for (const id of ['2026_a', '2026_b']) await store.create({ id, source: 'cli' })
  })
  for (const name of ['2026', 'nobody']) {
    const { code, stderr } = await hermes(['delete', name, '--yes'])
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`^No single session matches "${name}": .*beginning of one id alone`))
  }
})

test('each command that shows sessions has a form for programs', async (t) => {
  const { hermes } = await sessionsOf(t, twoSessions)
  const json = async (...args: string[]) => JSON.parse((await hermes([...args, '--json'])).stdout)
  const [listed] = await json('list', '--limit', '1')
  assert.deepEqual([listed.id, listed.title, listed.message_count], ['new', '数据库计划', 3])
  assert.equal((await json('browse')).length, 2)
  const [hit] = await json('search', 'docker')
  assert.deepEqual([hit.session_id, hit.snippet], ['old', 'an old question about >>>docker<<<'])
  assert.equal((await json('export')).length, 2)
  assert.equal((await json('export', 'new')).messages.length, 3)
  assert.deepEqual(await json('rename', 'new', 'a', 'plan'), { id: 'new', title: 'a plan' })
  assert.equal((await json('analytics')).tool_calls, 1)
  assert.equal((await json('stats')).sessions, 2)
  assert.deepEqual(await json('delete', 'new', '--yes'), { deleted: 'new' })
  assert.deepEqual(await json('prune', '--before', '1d', '--yes'), { pruned: 1 })
  assert.deepEqual(await json('list'), [])
})

test('search shows where a hit is from and marks it; nothing found is no output', async (t) => {
  const { hermes } = await sessionsOf(t, twoSessions)
  const { stdout } = await hermes(['search', '据库', 'OR', 'nothing', '--role', 'user'])
  assert.match(stdout, /^new · 数据库计划 · cli · user · 3h ago\n {2}重构数>>>据库<<< now\n$/)
  assert.deepEqual(await hermes(['search', 'absent']), { code: 0, stdout: '', stderr: 'Nothing found.\n' })
  assert.equal((await hermes(['search'])).code, 2)
  assert.equal((await hermes(['search', 'x', '--role', 'robot'])).code, 2)
})

test('an export is one line a session, to a private file or to stdout, and holds no secret', async (t) => {
  const secret = 'sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'
  const { hermes, path } = await sessionsOf(t, async (store, at) => {
    await twoSessions(store, at)
    await store.append('new', { role: 'user', content: `my key is ${secret} and hunter2hunter2` })
    await store.create({ id: 'child', source: 'tool', parentId: 'new' })
  })
  await writeFile(path('.env'), 'SOME_PASSWORD=hunter2hunter2\n', { mode: 0o600 })
  const { stderr } = await hermes(['export', 'all.jsonl'])
  assert.equal(stderr, 'Exported 3 sessions to all.jsonl.\n')
  const written = await readFile(path('all.jsonl'), 'utf8')
  const exported: string[] = written.match(/.+/g)?.map((line) => JSON.parse(line).id) ?? []
  assert.deepEqual(exported.toSorted(), ['child', 'new', 'old'])
  assert.ok(!written.includes(secret) && !written.includes('hunter2hunter2'))
  assert.equal((await stat(path('all.jsonl'))).mode & 0o777, 0o600)
  const one = await hermes(['export', '-', '--session-id', '数据库计划'])
  assert.deepEqual(JSON.parse(one.stdout).messages[1].tool_calls[0].function.name, 'terminal')
  assert.equal((await hermes(['export', 'a', 'b', 'c'])).code, 2)
  assert.equal((await hermes(['export', '--session-id', 'none'])).code, 1)
})

test('whatever shows sessions shows no secret that was typed into them', async (t) => {
  const secret = 'sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'
  const { hermes } = await sessionsOf(t, async (store) => {
    await store.create({ id: 'told', source: 'cli' })
    await store.append('told', { role: 'user', content: `use ${secret} please` })
    await store.rename('told', `key ${secret}`)
  })
  for (const args of [
    ['list'],
    ['list', '--json'],
    ['browse', 'told'],
    ['search', 'please'],
    ['search', 'use', '--json'],
  ]) {
    const { stdout } = await hermes(args)
    assert.match(stdout, /told/, args.join(' '))
    assert.ok(!stdout.includes(secret.slice(0, 40)), args.join(' '))
  }
})

test('nothing is deleted unless a person says yes', async (t) => {
  const { hermes } = await sessionsOf(t, twoSessions)
  const count = async () => JSON.parse((await hermes(['list', '--json'])).stdout).length
  for (const typed of ['n\n', '\n', '', 'yesterday\n']) {
    assert.equal((await hermes(['delete', 'new'], typed)).code, 1)
    assert.equal((await hermes(['prune', '--before', '5d'], typed)).code, 1)
  }
  assert.equal(await count(), 2)
  const refused = await hermes(['delete', 'new'])
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /--yes/)
  assert.equal((await hermes(['prune'])).code, 1)
  assert.equal(await count(), 2)
  const asked = await hermes(['delete', 'new'], 'y\n')
  assert.deepEqual([asked.code, asked.stdout], [0, 'Deleted new.\n'])
  assert.match(asked.stderr, /Delete session new “数据库计划” and its 3 messages\? \[y\/N\] /)
  assert.match((await hermes(['prune', '--before', '5d'], 'YES\n')).stdout, /^Deleted 1 ended sessions/)
  assert.equal(await count(), 0)
})

test('pruning keeps what is younger, open, or of another source', async (t) => {
  const { hermes } = await sessionsOf(t, async (store, at) => {
    await twoSessions(store, at)
    at(100)
    await store.create({ id: 'open', source: 'cli' })
    await store.create({ id: 'cron', source: 'cron' })
    await store.end('cron', 'cron_complete')
  })
  const prune = async (...args: string[]) =>
    (await hermes(['prune', ...args, '-y', '--json'])).stdout.replace(/\s/g, '')
  assert.equal(await prune('--source', 'telegram'), '{"pruned":0}')
  assert.equal(await prune(), '{"pruned":1}')
  assert.equal(await prune('--older-than', '9'), '{"pruned":1}')
  assert.equal((await hermes(['prune', '--before', 'soon', '-y'])).code, 2)
})

test('a title is given to a named session or to the last one', async (t) => {
  const { hermes } = await sessionsOf(t, twoSessions)
  assert.equal((await hermes(['rename', 'ol', 'the', 'old', 'one'])).stdout, 'old is “the old one”.\n')
  assert.equal((await hermes(['rename', 'the last one'])).stdout, 'new is “the last one”.\n')
  const taken = await hermes(['rename', 'new', 'the', 'old', 'one'])
  assert.deepEqual([taken.code, taken.stderr], [1, 'The title “the old one” is already that of session old.\n'])
  assert.equal((await hermes(['rename', 'new'])).code, 2)
  assert.equal((await hermes(['rename', 'nobody', 'x'])).code, 1)
})

test('a conversation can be read', async (t) => {
  const { hermes } = await sessionsOf(t, twoSessions)
  const { stdout } = await hermes(['browse', '数据库计划'])
  assert.match(stdout, /^new · 数据库计划 · cli · m\n\n── user · \d{4}-\d\d-\d\d \d\d:\d\d\n重构数据库 now\n\n/)
  assert.match(stdout, /\non it\n→ terminal \{"command":"ls"\}\n/)
  assert.match(stdout, /── result of terminal .*\n(line\n){12}… 29 more lines\n$/)
  assert.equal((await hermes(['browse', 'nobody'])).code, 1)
})

test('totals are shown for people', async (t) => {
  const { hermes } = await sessionsOf(t, twoSessions)
  assert.match(
    (await hermes(['stats'])).stdout,
    /^Sessions: 2\nMessages: 4\n {2}cli: 1 sessions\n {2}telegram: 1 sessions\nDatabase: /,
  )
  const { stdout } = await hermes(['analytics', '--days', '2'])
  assert.match(stdout, /^Sessions +1$/m)
  assert.match(stdout, /^terminal +1$/m)
})

test('a broken configuration is told but does not hide the sessions', async (t) => {
  const { hermes, path } = await sessionsOf(t, twoSessions)
  await writeFile(path('config.yaml'), 'agent: {max_turns: soon}\n')
  const { code, stdout, stderr } = await hermes(['list'])
  assert.deepEqual([code, stdout.split('\n').length], [0, 4])
  assert.match(stderr, /max_turns/)
})

test('a database that cannot be used is told with what to do', async (t) => {
  const { hermes, path } = await sessionsOf(t, twoSessions)
  await chmod(path('state.db'), 0o600)
  await writeFile(path('state.db'), 'noise '.repeat(1000))
  const { code, stderr } = await hermes(['list'])
  assert.equal(code, 1)
  assert.match(stderr, /state\.db is not a database; restore it from a backup/)
})
