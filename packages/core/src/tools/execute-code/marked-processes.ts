import { readFile, readdir } from 'node:fs/promises'

/** So often is it looked again whether something was started meanwhile. */
const maxRounds = 5

/**
 * Kills the user's processes that have `mark` in the environment that they were started with, also those that have left
 * their group and whose parents have ended. Linux only. What has begun a program with another environment is not found.
 */
export async function killMarked(mark: string): Promise<void> {
  if (process.platform !== 'linux') return
  for (let round = 0; round < maxRounds; round++) {
    const found = await Promise.all((await readdir('/proc')).map((name) => hasMark(name, mark)))
    const pids = found.filter((pid) => pid !== undefined)
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
  }
}

async function hasMark(name: string, mark: string): Promise<number | undefined> {
  const pid = Number(name)
  if (!Number.isInteger(pid) || pid === process.pid) return undefined
  try {
    const environment = await readFile(`/proc/${name}/environ`, 'latin1')
    return environment.split('\0').includes(mark) ? pid : undefined
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined
    throw error
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!isCode(error, 'ESRCH', 'EPERM')) throw error
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
