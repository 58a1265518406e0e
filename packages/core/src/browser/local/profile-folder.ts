import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../../config/home.ts'

/** A browser's own folder, in `cache/browser/`; its name says whose it is. */
export async function makeProfileFolder(home: Home): Promise<string> {
  const parent = home.path('cache', 'browser')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  await removeLeftBehind(parent)
  return mkdtemp(join(parent, `${process.pid}-`))
}

/** Removes a folder in which a browser that was just ended may still be writing. */
export async function removeProfileFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

/** The folders of processes that were killed. */
async function removeLeftBehind(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isInteger(pid) && !isAlive(pid)) await removeProfileFolder(join(parent, name))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Whoever may not be signalled is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
