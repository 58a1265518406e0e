import { open } from 'node:fs/promises'

/** Commits after which a log is brought to the disk; one of a message has some 4 to 25 pages. */
const commitsOfSync = 100

/**
 * Times of that after which it is carried over, too: pages that each commit writes are then carried over once for many, and
 * the process waits three times for the disk.
 */
const syncsOfCheckpoint = 3

/**
 * Has a database's write-ahead log carried over into its file, so that SQLite need not do it by itself in the middle of a
 * commit, where the process stands still until all of the log is on the disk (some 20 ms for 16 MB). Here the log is
 * brought to the disk by another thread first, and little is left for `checkpoint`. What fails is left to SQLite, which
 * carries a full log over in any case. Returns what is to be called after each commit.
 */
export function createLogCheckpoints(path: string, checkpoint: () => void): () => void {
  let commits = 0
  let syncs = 0
  let isUnderWay = false
  async function bringToDisk(): Promise<void> {
    isUnderWay = true
    try {
      // SQLite's locks are on other files: closing this one gives none of them back.
      const log = await open(`${path}-wal`, 'r+')
      try {
        await log.datasync()
        if (++syncs < syncsOfCheckpoint) return
        // What has come meanwhile, and when: SQLite has that brought to the disk, too.
        await log.sync()
      } finally {
        await log.close()
      }
      syncs = 0
      checkpoint()
    } catch (error) {
      if (!(error instanceof Error)) throw error
    } finally {
      isUnderWay = false
    }
  }
  return () => {
    if (++commits < commitsOfSync || isUnderWay) return
    commits = 0
    void bringToDisk()
  }
}
