import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from './process-identity.ts'

/** A folder that nothing has changed in for so long is nobody's, also where its process cannot be seen from here. */
const leftMs = 24 * 60 * 60 * 1000
/** Folders removed at a time. */
const mostRemoved = 50

/** A temporary folder of this process, which only this user can enter; its name says whose it is. */
export async function makeOwnFolder(kind: 'terminal' | 'script', parent = tmpdir()): Promise<string> {
  const start = `hermes-${kind}-`
  await removeLeftBehind(parent, start)
  return mkdtemp(join(parent, `${start}${process.pid}-`))
}

/** The folders of processes that were killed. */
async function removeLeftBehind(parent: string, start: string): Promise<void> {
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.startsWith(start))
  let removed = 0
  for (const name of names) {
    const pid = Number.parseInt(name.slice(start.length), 10)
    if (!(pid > 0) || isRunning(pid)) continue
    const path = join(parent, name)
    const stats = await lstat(path).catch(() => undefined)
    const isOurs = stats?.isDirectory() === true && stats.uid === process.getuid?.()
    if (!isOurs || Date.now() - stats.mtimeMs < leftMs) continue
    // Another process may be removing it too.
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
    if (++removed >= mostRemoved) return
  }
}
