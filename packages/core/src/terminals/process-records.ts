import { readFile } from 'node:fs/promises'
import type { Logger } from '../log/logger.ts'
import type { Redactor } from '../security/redact.ts'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import { withFileLock } from '../storage/file-lock.ts'
import { isRunning, startTicks } from './process-identity.ts'
import type { ProcessRecord } from './process-record.ts'
import type { ProcessInfo, StartProcess } from './processes.ts'

/** Notes which background processes run, so that the next run can find them after a crash. Shared by all sessions. */
export interface ProcessRecords {
  /** Replaces what is noted of one session. */
  save(sessionId: string, running: readonly RunningProcess[]): Promise<void>
  /** Processes of a session that still run although the run of Hermes that started them does not. */
  leftBy(sessionId: string): Promise<readonly ProcessRecord[]>
}

export interface RunningProcess {
  readonly info: ProcessInfo
  readonly request: StartProcess
}

/** Keeps the records in a file that several runs of Hermes share. Failing to write it is logged, and no more. */
export function createProcessRecords(
  path: string,
  { redactor, log }: { readonly redactor: Redactor; readonly log: Logger },
): ProcessRecords {
  const owner = { owner_pid: process.pid, owner_started: startTicks(process.pid) }
  const ours = new Map<string, readonly ProcessRecord[]>()
  let writing: Promise<void> = Promise.resolve()
  let queued: Promise<void> | undefined

  async function write(): Promise<void> {
    queued = undefined
    try {
      await withFileLock(path, async () => {
        const others = (await readRecords(path)).filter((record) => isRecordRunning(record) && !isOurs(record))
        await writeFileAtomic(path, JSON.stringify([...others, ...[...ours.values()].flat()], undefined, 2))
      })
    } catch (error) {
      log.warn({ path, error: String(error) }, 'background processes could not be noted')
    }
  }

  function isOurs(record: ProcessRecord): boolean {
    return record.owner_pid === owner.owner_pid && ours.has(record.task_id ?? '')
  }

  return {
    save(sessionId, running) {
      // Most sessions never have a process; nothing is read or written for them.
      if (running.length === 0 && !ours.has(sessionId)) return writing
      ours.set(
        sessionId,
        running.map((process) => ({ ...toRecord(process, redactor), task_id: sessionId, ...owner })),
      )
      queued ??= writing.then(write)
      writing = queued
      return queued
    },
    async leftBy(sessionId) {
      const records = await readRecords(path)
      return records.filter(
        (record) => record.task_id === sessionId && isRecordRunning(record) && !isOwnerRunning(record),
      )
    },
  }
}

async function readRecords(path: string): Promise<readonly ProcessRecord[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  const { parseRecords } = await import('./process-record.ts')
  return parseRecords(text)
}

function isRecordRunning(record: ProcessRecord): boolean {
  return record.pid_scope !== 'sandbox' && isRunning(record.pid, record.pid_started ?? undefined)
}

function isOwnerRunning({ owner_pid, owner_started }: ProcessRecord): boolean {
  return typeof owner_pid === 'number' && isRunning(owner_pid, owner_started ?? undefined)
}

function toRecord({ info, request }: RunningProcess, redactor: Redactor): ProcessRecord {
  return {
    session_id: info.id,
    command: redactor.redact(info.command),
    pid: info.pid,
    pid_scope: 'host',
    cwd: info.cwd,
    started_at: info.startedAt / 1000,
    session_key: '',
    watcher_platform: '',
    watcher_chat_id: '',
    watcher_user_id: '',
    watcher_user_name: '',
    watcher_thread_id: '',
    watcher_interval: 0,
    notify_on_complete: request.notifyOnComplete,
    watch_patterns: request.watchPatterns,
    pid_started: startTicks(info.pid),
  }
}
