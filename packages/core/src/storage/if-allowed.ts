import { statSync } from 'node:fs'

/** What is asked of a disk; undefined where it refuses: what may not be looked at is as good as not there. */
export function ifAllowed<T>(ask: () => T): T | undefined {
  try {
    return ask()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** Whether there is a folder of that name, itself or by a link, as far as one may look. */
export function isFolder(path: string): boolean {
  return ifAllowed(() => statSync(path, { throwIfNoEntry: false }))?.isDirectory() ?? false
}
