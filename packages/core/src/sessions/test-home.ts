import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import type { Clock } from '../agent/clock.ts'
import { type Home, openHome } from '../config/home.ts'
import { silentLogger } from '../log/logger.ts'
import { openSqliteSessionStore } from './sqlite.ts'
import type { SessionStore } from './store.ts'

/** For tests: a home folder of its own, removed when the test ends. */
export async function temporaryHome(t: TestContext): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-sessions-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return openHome({ HERMES_HOME: join(folder, 'home') })
}

/** For tests: a clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  advance(ms: number): void
}

export function manualClock(now = Date.UTC(2026, 2, 1, 12), timeZone = 'Europe/Berlin'): ManualClock {
  return {
    timeZone,
    now: () => now,
    advance(ms) {
      now += ms
    },
  }
}

/** For tests: a store on a home, closed when the test ends. */
export async function openTestStore(t: TestContext, home: Home, clock: Clock = manualClock()): Promise<SessionStore> {
  const store = await openSqliteSessionStore({ home, clock, log: silentLogger })
  t.after(() => store.close())
  return store
}

/** For tests: a copy of the home that upstream wrote; undefined, and the test skipped by name, where there is none. */
export async function upstreamHome(t: TestContext): Promise<Home | undefined> {
  const fixtures = process.env['HERMES_FIXTURES'] ?? resolve(import.meta.dirname, '../../../../../shared/fixtures')
  const source = join(fixtures, 'upstream-home')
  if (!existsSync(source)) {
    t.skip(`no upstream home at ${source}; set HERMES_FIXTURES`)
    return undefined
  }
  const home = await temporaryHome(t)
  await cp(source, home.dir, { recursive: true })
  await chmod(home.dir, 0o700)
  for (const entry of await readdir(home.dir)) await chmod(home.path(entry), 0o700)
  return home
}
