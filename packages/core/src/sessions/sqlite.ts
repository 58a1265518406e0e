import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../agent/clock.ts'
import type { Home } from '../config/home.ts'
import type { Logger } from '../log/logger.ts'
import { listSessions, latestSession } from './listing.ts'
import { deleteMessagesFrom, insertNotedMessage, selectMessages } from './message-table.ts'
import { prunableSessions, removalPauseMs, removalStep } from './removal.ts'
import type { OtherModels } from './other-models.ts'
import type { MessageSearch } from './search/message-search.ts'
import {
  addSessionUsage,
  endSession,
  findSession,
  insertSession,
  renameSession,
  reopenSession,
  resolveSession,
  sessionCarryingOn,
  setSystemPrompt,
  suggestTitle,
} from './session-table.ts'
import { StateFile } from './state-file.ts'
import type { SessionStore } from './store.ts'

export interface SqliteSessionStoreOptions {
  readonly home: Home
  readonly clock: Clock
  readonly log: Logger
}

/**
 * The sessions of a home in its `state.db`, exactly as upstream keeps them, so that both may use the file at once. The
 * search index is beside it in `hermes.db` and opened at the first search.
 */
export async function openSqliteSessionStore(options: SqliteSessionStoreOptions): Promise<SessionStore> {
  const { home, clock, log } = options
  const file = new StateFile(home.path('state.db'), log)
  let opened: Promise<MessageSearch> | undefined
  const search = () =>
    (opened ??= import('./search/message-search.ts').then(
      ({ MessageSearch }) => new MessageSearch({ state: file, path: home.path('hermes.db'), log }),
    ))
  let openedOthers: Promise<OtherModels> | undefined
  const others = () =>
    (openedOthers ??= import('./other-models.ts').then(
      ({ OtherModels: Opened }) => new Opened(home.path('hermes.db'), log),
    ))
  // Opened now, so that a store that cannot be used says so before anything else is done.
  await file.read(() => undefined)

  async function removeMessagesOf(id: string): Promise<void> {
    for (;;) {
      const step = await file.write((db) => removalStep(db, id))
      await (await search()).forget(step.messageIds)
      if (step.isDone) return (await others()).forget(id)
      await sleep(removalPauseMs)
    }
  }

  return {
    create: (session) => file.write((db) => insertSession(db, clock, session)),
    async adopt(session) {
      const { adoptSession } = await import('./adopt.ts')
      return file.write((db) => adoptSession(db, clock, session))
    },
    get: (id) => file.read((db) => findSession(db, id)),
    resolve: (idOrTitle) => file.read((db) => resolveSession(db, idOrTitle)),
    list: (listOptions = {}) => file.read((db) => listSessions(db, listOptions)),
    latest: (source) => file.read((db) => latestSession(db, source)),
    async append(sessionId, message, notes = {}) {
      const noted = { sessionId, message, notes }
      const { id, model } = await file.write((db) => insertNotedMessage(db, clock, noted))
      const { usage } = notes
      if (usage && model !== usage.model) await (await others()).add(sessionId, usage)
      return id
    },
    messages: (sessionId) => file.read((db) => selectMessages(db, sessionId)),
    async removeMessages(sessionId, fromId) {
      const removed = await file.write((db) => deleteMessagesFrom(db, sessionId, fromId))
      await (await search()).forget(removed)
      return removed.length
    },
    setSystemPrompt: (id, systemPrompt) => file.write((db) => setSystemPrompt(db, id, systemPrompt)),
    rename: (id, title) => file.write((db) => renameSession(db, id, title)),
    suggestTitle: (id, title) => file.write((db) => suggestTitle(db, id, title)),
    async addUsage(id, delta) {
      const ownModel = await file.write((db) => addSessionUsage(db, id, delta))
      if (ownModel !== delta.model) await (await others()).add(id, delta)
    },
    end: (id, reason) => file.write((db) => endSession(db, clock, id, reason)),
    reopen: (id) => file.write((db) => reopenSession(db, id)),
    async remove(id) {
      if (!(await file.read((db) => findSession(db, id)))) return false
      await removeMessagesOf(id)
      return true
    },
    async prune({ before, source }) {
      const ids = await file.read((db) => prunableSessions(db, before, source))
      for (const id of ids) await removeMessagesOf(id)
      return ids.length
    },
    async branch(id, title) {
      const { branchSession } = await import('./branch.ts')
      return file.write((db) => branchSession(db, clock, id, title))
    },
    async compact(id, messages) {
      const { compactSession } = await import('./compact.ts')
      return file.write((db) => compactSession(db, clock, id, messages))
    },
    carriedOnBy: (id) => file.read((db) => sessionCarryingOn(db, id)),
    search: async (query, searchOptions = {}) => (await search()).search(query, searchOptions),
    async exportSession(id) {
      const { exportSession } = await import('./export.ts')
      return file.read((db) => exportSession(db, id))
    },
    async analytics(analyticsOptions = {}) {
      const { analyseSessions } = await import('./analytics.ts')
      const uses = await (await others()).all()
      return file.read((db) => analyseSessions(db, clock, { ...analyticsOptions, otherModels: uses }))
    },
    async rehearse() {
      const { rehearseWrites } = await import('./rehearse-writes.ts')
      await file.write((db) => rehearseWrites(db, clock))
    },
    async close() {
      await (await opened)?.close()
      await (await openedOthers)?.close()
      await file.close()
    },
  }
}
