import { open } from 'node:fs/promises'

/** Commits after which a log is carried over; one of a message has some 4 to 25 pages. */
const commitsOfLog = 100

/**
 * Has a database's write-ahead log carried over into its file, so that SQLite need not do it by itself in the middle of a
 * commit, where the process stands still until all of the log is on the disk (some 20 ms for 16 MB). Here the log is
 * brought to the disk by another thread first, and little is left for `checkpoint`. What fails is left to SQLite, which
 * carries a full log over in any case. Returns what is to be called after each commit.
 */
export function createLogCheckpoints(path: string, checkpoint: () => void): () => void {
  let commits = 0
  let isUnderWay = false
  async function carryOver(): Promise<void> {
    isUnderWay = true
    try {
      // SQLite's locks are on other files: closing this one gives none of them back.
      const log = await open(`${path}-wal`, 'r+')
      try {
        await log.datasync()
      } finally {
        await log.close()
      }
      checkpoint()
    } catch (error) {
      if (!(error instanceof Error)) throw error
    } finally {
      isUnderWay = false
    }
  }
  return () => {
    if (++commits < commitsOfLog || isUnderWay) return
    commits = 0
    void carryOver()
  }
}
